import { isAnthropicModel, markAiSdkForCache, sameMessage } from '@throughline/core/internal';
import type { AiSdkModel, AiSdkRequest, MarkedAiSdkRequest } from '@throughline/core/internal';
import type { Conversations, Followed } from '../following/conversations.ts';

/** The options by which marks are switched off. */
export interface CacheMarkOptions {
  /**
   * Sets Anthropic's cache marks in what is sent to its models, beside those you set yourself. Never in what is saved.
   * @default true
   */
  readonly cacheMarks?: boolean;
}

/** A message or instructions that got a mark here. */
interface Marked {
  readonly marked: unknown;
  readonly original: unknown;
}

/**
 * Sets the marks in the requests of one adapter object, and takes them off again: version 7 of the SDK carries what was
 * sent forward, and there a mark of an earlier step would make a message another one.
 */
export class CacheMarks {
  readonly #conversations: Conversations;
  readonly #isOn: boolean;
  readonly #originals = new WeakMap<object, unknown>();
  /** Marks of the last request of each conversation, told by content, for hosts that hand in copies. */
  readonly #last = new WeakMap<Followed, readonly Marked[]>();

  constructor(conversations: Conversations, { cacheMarks = true }: CacheMarkOptions) {
    this.#conversations = conversations;
    this.#isOn = cacheMarks;
  }

  /** The message or the instructions as they were before they got a mark here. A mark of the client stays. */
  restore<Value>(value: Value): Value {
    if (typeof value !== 'object' || value === null) return value;
    const original = this.#originals.get(value) ?? this.#originalOf(value);
    return original === undefined ? value : (original as Value);
  }

  /** The request with its marks, where the model is one that reads them. */
  mark(
    followed: Followed,
    model: AiSdkModel | undefined,
    request: AiSdkRequest<unknown>,
  ): MarkedAiSdkRequest<unknown> {
    const { instructions, messages } = request;
    if (!this.#isOn || model === undefined || !isAnthropicModel(model)) return { instructions, messages };
    const marked = markAiSdkForCache(request);
    const pairs = [
      { marked: marked.instructions, original: instructions },
      ...marked.messages.map((message, at) => ({ marked: message, original: messages[at] })),
    ].filter((pair) => pair.marked !== pair.original);
    for (const pair of pairs) this.#originals.set(pair.marked as object, pair.original);
    this.#last.set(followed, pairs);
    return marked;
  }

  #originalOf(value: object): unknown {
    // Messages without options of a provider have no mark: most need not be compared.
    if (!Array.isArray(value) && !('providerOptions' in value)) return undefined;
    const find = (followed: Followed): Marked | undefined =>
      this.#last.get(followed)?.find(({ marked }) => isEqual(value, marked));
    const followed = this.#conversations.find((one) => find(one) !== undefined);
    return followed && find(followed)?.original;
  }
}

/** Equal with their marks: inside a list nothing is left out. */
function isEqual(a: unknown, b: unknown): boolean {
  return sameMessage([a], [b]);
}

/** Whether two lists hold the very same messages. */
export function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((message, at) => message === b[at]);
}
