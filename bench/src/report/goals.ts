import { sumOf } from '@throughline/replay';
import type { ContenderRow } from './contender-row.ts';
import type { Figures } from '@throughline/replay';
import type { SetName } from '../sessions/read-sessions.ts';
import type { SurveyedSession, TaskResult } from '../replay/session-replays.ts';

/** One stated goal for one of our contenders, and what was measured. */
export interface Judged {
  readonly contender: string;
  readonly goal: string;
  readonly isReached: boolean;
  /** What was measured, in words. */
  readonly measured: string;
}

interface Goal {
  readonly goal: string;
  readonly value: (figures: Figures) => number;
  readonly least?: number;
  readonly most?: number;
  /** @default 3 */
  readonly digits?: number;
}

const always: readonly Goal[] = [
  { goal: 'valid 100 %', value: ({ valid }) => valid, least: 1 },
  { goal: 'overflow steps 0', value: ({ overflowSteps }) => overflowSteps, most: 0, digits: 0 },
  { goal: 'overshoot ≤ 1.0', value: ({ overshoot }) => overshoot, most: 1 },
  { goal: 'utilisation ≥ 0.5', value: ({ utilisation }) => utilisation, least: 0.5 },
  { goal: 'user messages 100 % within the bound', value: (all) => all.userMessagesInBound, least: 1 },
  { goal: 'artifact ledger recall ≥ 0.98', value: ({ files }) => files, least: 0.98 },
  { goal: 'artifact ledger precision ≥ 0.98', value: (all) => all.filePrecision, least: 0.98 },
  { goal: 'unresolved error 100 %', value: ({ unresolvedErrors }) => unresolvedErrors, least: 1 },
  { goal: 'coverage 100 %', value: (all) => all.coverage, least: 1 },
  { goal: 'reversibility 100 %', value: ({ reversibility }) => reversibility, least: 1 },
  { goal: 'no fault of determinism', value: (all) => all.determinismFaults, most: 0, digits: 0 },
  { goal: 'no break without a compaction', value: ({ silentBreaks }) => silentBreaks, most: 0, digits: 0 },
  { goal: 'R-FUR ≥ 0.99', value: ({ recall }) => recall.all.recalled, least: 0.99 },
];

/** The goals stated for the Claude Code sessions, by B. */
const claudeCode: Readonly<Record<number, readonly Goal[]>> = {
  20_000: stated({ far: 0.85, locatorFar: 0.95, recall: 0.95, mean: 15_000, max: 20_000, cost: 0.4 }),
  40_000: stated({ far: 0.92, locatorFar: 0.98, recall: 0.97, mean: 24_000, max: 40_000, cost: 0.55 }),
};

interface Stated {
  readonly far: number;
  readonly locatorFar: number;
  readonly recall: number;
  readonly mean: number;
  readonly max: number;
  readonly cost: number;
}

function stated({ far, locatorFar, recall, mean, max, cost }: Stated): Goal[] {
  return [
    { goal: `far ≥ ${far}`, value: (all) => all.recall.far.hit, least: far },
    { goal: `far locators ≥ ${locatorFar}`, value: (all) => all.recall.locatorFar.hit, least: locatorFar },
    { goal: `FUR ≥ ${recall}`, value: (all) => all.recall.all.hit, least: recall },
    { goal: `mean ≤ ${mean}`, value: ({ meanTokens }) => meanTokens, most: mean, digits: 0 },
    { goal: `max ≤ ${max}`, value: ({ maxTokens }) => maxTokens, most: max, digits: 0 },
    { goal: `cost ≤ ${cost}`, value: (all) => all.cost.anthropic.inside, most: cost },
  ];
}

const mostOfLong = 0.6;
const longInBudgets = 4;
const fewestStepsAfter = 10;
/** Peers whose far recall is at most this much below ours must cost more. */
const nearRecall = 0.05;

interface JudgeInput {
  readonly set: SetName;
  readonly budgetTokens: number;
  readonly rows: readonly ContenderRow[];
  /** The rows of the same sessions at every B that was run, this one included. */
  readonly rowsOfAll: readonly ContenderRow[];
  readonly sessions: readonly SurveyedSession[];
  readonly results: readonly TaskResult[];
}

/** Every goal that is stated for this set and B, for each of our contenders. */
export function judge(input: JudgeInput): Judged[] {
  const { set, budgetTokens, rows } = input;
  const goals = [...always, ...(set === 'claude-code' ? (claudeCode[budgetTokens] ?? []) : [])];
  return rows
    .filter(({ kind }) => kind === 'ours')
    .flatMap((row) => [
      ...goals.map((goal) => judgeGoal(row, goal)),
      ...againstPeers(row, input),
      ...costJudged(row, input),
    ]);
}

function judgeGoal({ contender, figures }: ContenderRow, goal: Goal): Judged {
  const value = goal.value(figures);
  const { least = -Infinity, most = Infinity, digits = 3 } = goal;
  const isReached = Number.isNaN(value) || (value >= least && value <= most);
  return {
    contender,
    goal: goal.goal,
    isReached,
    measured: Number.isNaN(value) ? 'nothing to measure' : value.toFixed(digits),
  };
}

/** Recall at equal mean tokens, and cost at equal recall. */
function againstPeers({ contender, figures }: ContenderRow, { rows, rowsOfAll }: JudgeInput): Judged[] {
  const isPeer = ({ kind, contender: name }: ContenderRow): boolean => kind !== 'ours' && name !== 'none';
  const curves = [...Map.groupBy(rowsOfAll.filter(isPeer), (peer) => peer.contender)];
  const above = (of: (all: Figures) => number): string[] =>
    curves.flatMap(([name, points]) => {
      const there = valueAt(points, figures.meanTokens, of);
      return there !== undefined && there > of(figures) ? [`${name} ${there.toFixed(2)}`] : [];
    });
  const isNear = (peer: ContenderRow): boolean =>
    peer.figures.recall.far.hit >= figures.recall.far.hit - nearRecall;
  const cheaper = rows
    .filter(isPeer)
    .filter((peer) => isNear(peer) && peer.figures.cost.anthropic.inside < figures.cost.anthropic.inside)
    .map((peer) => `${peer.contender} ${peer.figures.cost.anthropic.inside.toFixed(2)} (${pointOf(peer)})`);
  const own = pointOf({ figures });
  const mean = Math.round(figures.meanTokens);
  return [
    listed(
      `far above every peer at equal mean tokens (${own})`,
      above((all) => all.recall.far.hit),
    ),
    listed(
      `far locators above every peer at equal mean tokens (${figures.recall.locatorFar.hit.toFixed(2)} at ${mean})`,
      above((all) => all.recall.locatorFar.hit),
    ),
    listed(
      `cost below every peer that recalls as much (${figures.cost.anthropic.inside.toFixed(2)}, ${own})`,
      cheaper,
    ),
  ];

  function listed(goal: string, found: readonly string[]): Judged {
    const isReached = found.length === 0;
    return { contender, goal, isReached, measured: isReached ? 'none' : found.join('; ') };
  }
}

function pointOf({ figures: { recall, meanTokens } }: Pick<ContenderRow, 'figures'>): string {
  return `far ${recall.far.hit.toFixed(2)} at ${Math.round(meanTokens)}`;
}

/**
 * What a peer comes to where it sends `meanTokens`: between two B on the line through them; above its largest mean what
 * it has there; below its smallest it cannot be compared.
 */
function valueAt(
  points: readonly ContenderRow[],
  meanTokens: number,
  of: (figures: Figures) => number,
): number | undefined {
  const sorted = points
    .map(({ figures }) => [figures.meanTokens, of(figures)] as const)
    .filter(([mean, value]) => Number.isFinite(mean) && Number.isFinite(value))
    .toSorted(([left], [right]) => left - right);
  const after = sorted.findIndex(([mean]) => mean > meanTokens);
  if (after < 0) return sorted.at(-1)?.[1];
  const [low, high] = [sorted[after - 1], sorted[after]];
  if (!low || !high) return undefined;
  return low[1] + ((high[1] - low[1]) * (meanTokens - low[0])) / (high[0] - low[0]);
}

/** Long sessions pay in total; no session with enough steps after its first compaction costs more than doing nothing. */
function costJudged({ contender }: ContenderRow, { sessions, results, budgetTokens }: JudgeInput): Judged[] {
  const own = results.filter((one) => one.contender === contender);
  const long = new Set(
    sessions.filter(({ tokens }) => tokens >= longInBudgets * budgetTokens).map(({ name }) => name),
  );
  const costOf = (all: readonly TaskResult[]): number => {
    const total = (key: string): number =>
      all.reduce((sum, { sums }) => sum + sumOf(sums.replayCost, `anthropic.inside.${key}`), 0);
    return total('cost') / total('base');
  };
  const longCost = costOf(own.filter(({ session }) => long.has(session)));
  const dear = own.filter(
    (one) => sumOf(one.sums.prefixStability, 'stepsAfterCompaction') >= fewestStepsAfter && costOf([one]) > 1,
  );
  return [
    {
      contender,
      goal: `cost ≤ ${mostOfLong} in total on sessions of at least ${longInBudgets}·B`,
      isReached: long.size === 0 || longCost <= mostOfLong,
      measured: long.size === 0 ? 'no such session' : `${longCost.toFixed(3)} over ${long.size}`,
    },
    {
      contender,
      goal: `cost ≤ 1.0 in every session with at least ${fewestStepsAfter} steps after its first compaction`,
      isReached: dear.length === 0,
      measured: dear.length === 0 ? 'none above' : dear.map(({ session }) => session).join(', '),
    },
  ];
}
