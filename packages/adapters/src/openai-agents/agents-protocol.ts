/**
 * What the adapter reads of the SDK's protocol. Written out, so that it fits every version whose types agree on it, and
 * the SDK need not be installed for its sake.
 */
export interface CountedUsage {
  readonly inputTokens: number;
}

export interface FilterArgs<Item> {
  readonly modelData: { readonly input: Item[]; readonly instructions?: string };
  readonly agent: { readonly tools?: readonly unknown[] };
}

export interface FilteredData<Item> {
  input: Item[];
  instructions?: string;
}

/** The call-model input filter. It changes no item, so the SDK need not copy them for it. */
export interface InputFilter {
  <Item>(args: FilterArgs<Item>): Promise<FilteredData<Item>>;
  preserveInputIdentity?: boolean;
}

export interface AgentsRequest<Item = unknown> {
  input: string | Item[];
  systemInstructions?: string;
  tools: readonly unknown[];
  previousResponseId?: string;
  conversationId?: string;
  signal?: AbortSignal;
}

export interface AgentsResponse {
  usage: CountedUsage;
  output: readonly unknown[];
}

export interface AgentsModel<Request, Response, Event, Advice, Asked> {
  readonly supportsPromptModelSelection?: boolean;
  getResponse(request: Request): Promise<Response>;
  getStreamedResponse(request: Request): AsyncIterable<Event>;
  getRetryAdvice?(asked: Asked): Advice;
}

export interface AgentsSession<Item> {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<Item[]>;
  addItems(items: Item[]): Promise<void>;
  popItem(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
}
