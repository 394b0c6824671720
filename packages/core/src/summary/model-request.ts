/** One call of a model that the core asks its host to make. Plain data. */
export interface ModelRequest {
  readonly purpose: 'summary' | 'prune-decisions';
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  /** Most tokens of visible answer; the driver may allow more for reasoning. */
  readonly maxOutputTokens: number;
  /** Dropped by the driver where the model refuses it. */
  readonly temperature: number;
}

export interface AnswerUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What came of a request. Expected failure is an answer, not an exception. */
export type Answer =
  | {
      readonly type: 'text';
      readonly text: string;
      /** `tool-calls`: the model tried to call a tool instead. `refusal`: content filter or refusal. */
      readonly finish: 'stop' | 'length' | 'tool-calls' | 'refusal' | 'other';
      readonly usage?: AnswerUsage;
    }
  | {
      readonly type: 'failed';
      readonly cause: 'overflow' | 'timeout' | 'unavailable' | 'cancelled';
      readonly message: string;
      /** The model's window, where the error named it. */
      readonly limitTokens?: number;
    };
