import { editObject } from '@throughline/core/codec';
import { resultText } from '@throughline/core/internal';
import type { Entry } from '@throughline/core';
import type { ResultPart } from '@throughline/core/codec';
import type { SessionToReplay } from '../sessions/session-to-replay.ts';
import type { Contender } from './contender.ts';

/** No management. */
export const noManagement: Contender = {
  name: 'none',
  kind: 'baseline',
  start: ({ codec, messages }) => ({
    codec,
    history: (length) => messages.slice(0, length),
    step: (length) => ({ messages: messages.slice(0, length) }),
  }),
};

/** At every step all results but the newest `keep` are masked, whatever their size and whatever B is. */
export function rollingMasking(keep: number): Contender {
  return {
    name: `rolling masking, last ${keep}`,
    kind: 'baseline',
    start(session) {
      const masker = createMasker(session);
      return {
        codec: session.codec,
        history: (length) => session.messages.slice(0, length),
        step(length) {
          const results = masker.results(length);
          return { messages: masker.apply(length, new Set(results.slice(0, -keep))) };
        },
      };
    },
  };
}

/** Above B results are masked, oldest first, down to B/2; what the model has not seen stays. */
export const batchMasking: Contender = {
  name: 'masking in batches to B/2',
  kind: 'baseline',
  start(session, budgetTokens) {
    const masker = createMasker(session);
    const masked = new Set<ResultPlace>();
    return {
      codec: session.codec,
      history: (length) => session.messages.slice(0, length),
      step(length, count) {
        const messages = masker.apply(length, masked);
        let tokens = count(messages);
        if (tokens <= budgetTokens) return { messages };
        const unseenFrom = masker.unseenFrom(length);
        for (const place of masker.results(length)) {
          if (tokens <= budgetTokens / 2 || place.message >= unseenFrom) break;
          if (masked.has(place)) continue;
          const before = count(masker.apply(place.message + 1, masked).slice(-1));
          masked.add(place);
          tokens += count(masker.apply(place.message + 1, masked).slice(-1)) - before;
        }
        return { messages: masker.apply(length, masked), isCompaction: true };
      },
    };
  },
};

const mask = '[Old tool output omitted to save space]';

/** One result of a session. */
interface ResultPlace {
  /** Position of its message. */
  readonly message: number;
  readonly part: ResultPart;
}

/** Masks results of a session: each of a message for itself. */
interface Masker {
  /** The results of the first `length` messages, oldest first. */
  results(length: number): readonly ResultPlace[];
  /** Position after the newest response: what lies there the model has not seen. */
  unseenFrom(length: number): number;
  /** The first `length` messages, the given results masked. */
  apply(length: number, masked: ReadonlySet<ResultPlace>): unknown[];
}

function createMasker({ codec, messages }: SessionToReplay): Masker {
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
