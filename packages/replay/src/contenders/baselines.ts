import { createMasker } from './masker.ts';
import type { Contender } from './contender.ts';
import type { ResultPlace } from './masker.ts';

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
