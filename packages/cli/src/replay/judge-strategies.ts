import { noStrategy } from './label-of.ts';
import type { Replayed, StrategyReplay } from './replayed.ts';

/** Of a hundred names, how many fewer than the one that keeps most the best may keep. */
const nearRecall = 0.02;

/** Which strategy did best; `rows` begins with no management. Only those with the fewest overflows are compared. */
export function judgeStrategies(rows: readonly StrategyReplay[]): Replayed['verdict'] {
  const fewest = Math.min(...rows.map(({ overflows }) => overflows));
  const able = rows.filter(({ overflows }) => overflows === fewest);
  const managing = able.filter(({ strategy }) => strategy !== noStrategy);
  const most = Math.max(0, ...managing.map(keptShare));
  const used = rows[0]?.recall.names.used ?? 0;
  return {
    cheapest: cheapestOf(able)?.strategy ?? noStrategy,
    keptMost:
      used === 0 ? null : (cheapestOf(managing.filter((row) => keptShare(row) === most))?.strategy ?? null),
    best: cheapestOf(managing.filter((row) => keptShare(row) >= most - nearRecall))?.strategy ?? null,
    isIdle: rows.every(({ overflows, compactions }) => overflows === 0 && compactions === 0),
  };
}

/** Share of the names that were kept; all of none. */
function keptShare({ recall: { names } }: StrategyReplay): number {
  return names.used === 0 ? 1 : names.kept / names.used;
}

/** The first of the cheapest. */
function cheapestOf(rows: readonly StrategyReplay[]): StrategyReplay | undefined {
  return rows.toSorted((a, b) => a.cost.total - b.cost.total)[0];
}
