import { isObject } from '@throughline/core/codec';

export { isObject };

export interface JudgeOptions {
  /** `send`: every call must have its result. `open`: a trailing response may wait for its results. */
  readonly ending: 'send' | 'open';
  /** Also the rule that the first message that is not the system's is the user's, in formats that do not demand it. */
  readonly wantsUserFirst?: boolean;
}

/** Notes one fault of the message at an index; the length of the list stands for its end. */
export type Report = (index: number, fault: string) => void;

export type WireObject = { readonly [key: string]: unknown };

/** Content blocks of a message; a bare text counts as one. `undefined`: the content is neither. */
export function blocksOf(content: unknown): readonly WireObject[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) && content.every(isObject) ? (content as WireObject[]) : undefined;
}

export function isBlankText(block: WireObject): boolean {
  const { text } = block;
  return typeof text === 'string' && text.trim() === '' && block['providerOptions'] === undefined;
}

/** A string or member name that cannot be said in UTF-8, anywhere in a value. */
export function hasLoneSurrogate(value: unknown): boolean {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      if (!next.isWellFormed()) return true;
    } else if (Array.isArray(next)) {
      for (const element of next as unknown[]) pending.push(element);
    } else if (isObject(next) && !ArrayBuffer.isView(next)) {
      for (const [key, member] of Object.entries(next)) pending.push(key, member);
    }
  }
  return false;
}

/** What a field says as text, for ids and types that should be text and may be anything. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : `(${typeof value})`;
}
