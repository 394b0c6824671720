/** The part of the Chat Completions format that this codec writes. It reads more; see `decode.ts`. */
export type OpenaiChatMessage =
  | { role: 'system'; content: string | TextBlock[] }
  | { role: 'user'; content: string | UserBlock[] }
  | { role: 'assistant'; content: string | TextBlock[] | null; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string | TextBlock[] };

export interface TextBlock {
  type: 'text';
  text: string;
}

export type UserBlock =
  | TextBlock
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } }
  | { type: 'file'; file: { file_data: string; filename: string } };

export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}
