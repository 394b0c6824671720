/** The part of the OpenAI Agents SDK's items that this codec writes. It reads more; see `decode.ts`. */
export type AgentsItem =
  | { type: 'message'; role: 'user'; content: string | AgentsBlock[] }
  | { type: 'message'; role: 'system'; content: string }
  | { type: 'message'; role: 'assistant'; status: 'completed'; content: AgentsOutputText[] }
  | { type: 'function_call'; callId: string; name: string; arguments: string; status: 'completed' }
  | {
      type: 'function_call_result';
      callId: string;
      name: string;
      status: 'completed';
      output: string | AgentsBlock[];
    };

interface AgentsOutputText {
  type: 'output_text';
  text: string;
}

export type AgentsBlock =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image: string; detail: 'auto' }
  | { type: 'input_file'; file: string | { url: string }; filename?: string };
