import { add, ratioOf } from './metric.ts';
import { jsonOf } from './prefix-stability.ts';
import type { Metric, Sums } from './metric.ts';

/**
 * M11, reversibility: share of the messages that are missing from the last C_k, or stand in it altered, that can be
 * restored byte for byte after state and history were saved and loaded. Only for contenders that archive.
 */
export const reversibility: Metric = {
  start({ session }) {
    const sums: Sums = {};
    return {
      sums,
      add: () => undefined,
      finish({ step, sent, request }) {
        if (!sent?.archive) return;
        const present = new Set(request.map(({ message }) => message));
        for (const [index, message] of session.messages.slice(0, step.historyLength).entries()) {
          if (present.has(message)) continue;
          add(sums, 'removed');
          if (jsonOf(sent.archive.restored(index)) === jsonOf(message)) add(sums, 'restored');
        }
      },
    };
  },
};

export function reversibilityFigures(sums: Readonly<Sums>) {
  return { reversibility: ratioOf(sums, 'restored', 'removed') };
}
