/** The part of the Messages format that this codec writes. It reads more; see `decode.ts`. */
export interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: string | Block[];
}

/** System text lies outside the messages; newer models also take it among them. */
export interface AnthropicSystemMessage {
  role: 'system';
  content: string;
}

export interface TextBlock {
  type: 'text';
  text: string;
}

export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export type MediaBlock =
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } | UrlSource }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } | UrlSource };

export interface UrlSource {
  type: 'url';
  url: string;
}

export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string | (TextBlock | MediaBlock)[];
  is_error?: true;
}

export type Block = TextBlock | MediaBlock | ToolUseBlock | ToolResultBlock;
