import { editObject } from '@throughline/core';
import type { BenchSession } from './read-sessions.ts';
import type { Contender } from './contender.ts';
import type { Entry } from '@throughline/core';

const mask = '[Old tool output omitted to save space]';

/** No management. */
export const noManagement: Contender = {
  name: 'none',
  start: ({ codec, messages }) => ({ codec, step: (length) => ({ messages: messages.slice(0, length) }) }),
};

/** At every step all results but the newest `keep` are masked, however large they are. */
export function rollingMasking(keep: number): Contender {
  return {
    name: `rolling masking, last ${keep} results`,
    start(session) {
      const masker = createMasker(session);
      return {
        codec: session.codec,
        step(length) {
          const withResults = masker.resultPositions(length);
          const masked = new Set(withResults.slice(0, Math.max(0, withResults.length - keep)));
          return { messages: masker.apply(length, masked) };
        },
      };
    },
  };
}

/** Above B results are masked, oldest first, down to B/2; what the model has not seen stays. */
export const batchMasking: Contender = {
  name: 'masking in batches to B/2',
  start(session, budgetTokens) {
    const masker = createMasker(session);
    const masked = new Set<number>();
    return {
      codec: session.codec,
      step(length, count) {
        let messages = masker.apply(length, masked);
        if (count(messages) <= budgetTokens) return { messages };
        const unseenFrom = masker.unseenFrom(length);
        let tokens = count(messages);
        for (const position of masker.resultPositions(length)) {
          if (tokens <= budgetTokens / 2 || position >= unseenFrom) break;
          if (masked.has(position)) continue;
          masked.add(position);
          tokens +=
            count(masker.apply(position + 1, masked).slice(-1)) -
            count(session.messages.slice(position, position + 1));
        }
        messages = masker.apply(length, masked);
        return { messages, isCompaction: true };
      },
    };
  },
};

interface Masker {
  /** Positions of messages with results among the first `length`, oldest first. */
  resultPositions(length: number): number[];
  /** Position after the newest response. */
  unseenFrom(length: number): number;
  apply(length: number, masked: ReadonlySet<number>): unknown[];
}

function createMasker({ codec, messages }: BenchSession): Masker {
  const entries = messages.map((message, index) => codec.decode(message, index));
  const hasResult = entries.map(({ parts }) => parts.some(({ type }) => type === 'result'));
  const maskedMessages = new Map<number, unknown>();
  const maskedMessage = (position: number): unknown => {
    if (!maskedMessages.has(position))
      maskedMessages.set(position, withMaskedResults(entries[position] as Entry));
    return maskedMessages.get(position);
  };
  const withMaskedResults = (entry: Entry): unknown => {
    const results = entry.parts.filter((part) => part.type === 'result');
    const changes = results.map(
      (part) => ({ type: 'replace-result', part, text: mask, keepMedia: false }) as const,
    );
    return editObject(entry.wire, codec.edit(entry, changes));
  };
  return {
    resultPositions: (length) => hasResult.slice(0, length).flatMap((is, position) => (is ? [position] : [])),
    unseenFrom: (length) => entries.slice(0, length).findLastIndex(({ role }) => role === 'assistant') + 1,
    apply: (length, masked) =>
      messages
        .slice(0, length)
        .map((message, position) => (masked.has(position) ? maskedMessage(position) : message)),
  };
}
