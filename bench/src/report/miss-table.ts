import { formatTable } from '../table.ts';
import type { MissRow, SetReport } from './replay-report.ts';

const mostRows = 25;
const mostExamples = 3;

/** Far uses that were missed, by where they were said last and what had become of that; most frequent first. */
export function missTable(misses: readonly MissRow[], { sessions, budgetTokens }: SetReport): string[] {
  const here = misses.filter(
    (miss) => miss.budgetTokens === budgetTokens && sessions.includes(miss.session) && miss.isFar,
  );
  const byContender = Map.groupBy(here, ({ contender }) => contender);
  return [...byContender].flatMap(([contender, all]) => {
    const groups = [...Map.groupBy(all, ({ fate, source, kind }) => `${fate}\n${source}\n${kind}`).values()]
      .toSorted((left, right) => right.length - left.length)
      .slice(0, mostRows);
    const rows = groups.map((group) => {
      const [first] = group;
      const examples = [...new Set(group.map(({ entity }) => entity))].slice(0, mostExamples).join(', ');
      return [
        `    ${first?.fate ?? ''}`,
        first?.source ?? '',
        first?.kind ?? '',
        group.length,
        group.filter(({ isLocator }) => isLocator).length,
        Math.round(group.reduce((sum, { distance }) => sum + distance, 0) / group.length),
        examples.slice(0, 90),
      ];
    });
    return [
      `  far uses that ${contender} missed (${all.length}):`,
      formatTable(['    fate', 'said last in', 'kind', 'far', 'locators', 'distance', 'examples'], rows),
    ];
  });
}
