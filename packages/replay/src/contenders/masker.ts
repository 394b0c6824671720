import { editObject, resultText } from '@throughline/core';
import type { SessionToReplay } from '../sessions/session-to-replay.ts';
import type { Entry, ResultPart } from '@throughline/core';

const mask = '[Old tool output omitted to save space]';

/** One result of a session. */
export interface ResultPlace {
  /** Position of its message. */
  readonly message: number;
  readonly part: ResultPart;
}

/** Masks results of a session: each of a message for itself. */
export interface Masker {
  /** The results of the first `length` messages, oldest first. */
  results(length: number): readonly ResultPlace[];
  /** Position after the newest response: what lies there the model has not seen. */
  unseenFrom(length: number): number;
  /** The first `length` messages, the given results masked. */
  apply(length: number, masked: ReadonlySet<ResultPlace>): unknown[];
}

export function createMasker({ codec, messages }: SessionToReplay): Masker {
  const entries = messages.map((message, index) => codec.decode(message, index));
  const places = entries.flatMap(({ parts }, message) =>
    parts.flatMap((part): ResultPlace[] => (part.type === 'result' ? [{ message, part }] : [])),
  );
  const known = new Map<number, { readonly masked: number; readonly message: unknown }>();
  const withMasked = (position: number, masked: readonly ResultPlace[]): unknown => {
    const found = known.get(position);
    // Results are only ever masked, never unmasked: their number says which.
    if (found?.masked === masked.length) return found.message;
    const entry = entries[position] as Entry;
    const changes = masked
      .filter(({ part }) => resultText(part).length > mask.length)
      .map(({ part }) => ({ type: 'replace-result', part, text: mask, keepMedia: false }) as const);
    const message = changes.length === 0 ? entry.wire : editObject(entry.wire, codec.edit(entry, changes));
    known.set(position, { masked: masked.length, message });
    return message;
  };
  return {
    results: (length) => places.filter(({ message }) => message < length),
    unseenFrom: (length) => entries.slice(0, length).findLastIndex(({ role }) => role === 'assistant') + 1,
    apply(length, masked) {
      const byMessage = Map.groupBy(masked, ({ message }) => message);
      return messages.slice(0, length).map((message, position) => {
        const places = byMessage.get(position);
        return places ? withMasked(position, places) : message;
      });
    },
  };
}
