import { paragraphs } from '../text/quote.ts';
import type { Estimator } from '../tokens/estimator.ts';

/** One call of a model that the core asks its host to make. Plain data. */
export interface ModelRequest {
  readonly purpose: 'summary' | 'prune-decisions';
  /**
   * Messages of the session as they were sent last, in its wire format: the question goes behind them, to the session's
   * own model with the session's system text and tools, so that the provider reads them from its cache. Absent: the
   * question stands alone. Only where the policy says that the host can do it (`summariser.canUseCachedPrefix`).
   */
  readonly cachedPrefix?: readonly unknown[];
  /** Empty where the question goes behind the session's messages. */
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  /** Most tokens of visible answer; the driver may allow more for reasoning. */
  readonly maxOutputTokens: number;
  /** Dropped by the driver where the model refuses it. */
  readonly temperature: number;
}

interface Question extends Omit<ModelRequest, 'messages' | 'cachedPrefix'> {
  /** What the model is told; empty ones are left out. */
  readonly blocks: readonly string[];
}

/** A request that is one message. */
export function requestOf({ purpose, system, blocks, maxOutputTokens, temperature }: Question): ModelRequest {
  return {
    purpose,
    system,
    messages: [{ role: 'user', content: paragraphs(blocks) }],
    maxOutputTokens: Math.max(1, Math.floor(maxOutputTokens)),
    temperature,
  };
}

/** Estimated tokens of a request that stands alone. */
export function modelRequestTokens({ system, messages }: ModelRequest, estimator: Estimator): number {
  return messages.reduce(
    (sum, { content }) => sum + estimator.count(content) + 4,
    estimator.count(system) + 4,
  );
}

export interface AnswerUsage {
  /** The whole prompt. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How much of the prompt came from the provider's cache. @default 0 */
  readonly cachedTokens?: number;
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
      /** The request as the server counted it, where the error named that. */
      readonly promptTokens?: number;
    };
