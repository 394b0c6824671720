/** The part of the Responses format that this codec writes. It reads more; see `decode.ts`. */
export type ResponsesItem =
  | { type: 'message'; role: 'user' | 'assistant' | 'system'; content: string | InputBlock[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | InputBlock[] };

export type InputBlock =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; file_url: string }
  | { type: 'input_file'; file_data: string; filename: string };
