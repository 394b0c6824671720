import {
  billOf,
  createRequestLog,
  futureUse,
  measureReplay,
  modelNeed,
  noManagement,
  ours,
  sumOf,
} from '@throughline/replay';
import { noStrategy } from './replayed.ts';
import { inUnit } from './prices.ts';
import type { Contender, LoggedRequest, ReplaySetting, SessionPlan, Sums } from '@throughline/replay';
import type { CompactionCost, Recall, StrategyReplay } from './replayed.ts';
import type { PriceChoice } from './prices.ts';
import type { WindowChoice } from '../reading/find-window.ts';

/** Who writes the summaries of strategies that would ask a model for them. */
export type SummaryWriter = 'code' | 'stand-in';

/** One session, ready to be replayed under any strategy. */
export interface ReplayRun {
  readonly plan: SessionPlan;
  readonly setting: ReplaySetting;
  readonly window: WindowChoice;
  /** Most tokens of a prompt. */
  readonly promptTokens: number;
  readonly prices: PriceChoice;
  readonly summaries: SummaryWriter;
  readonly onRequest: (strategy: string, request: number) => void;
}

/** Replays the session under one strategy; `none` sends everything. Without what it costs relative to no management. */
export async function replayStrategy(strategy: string, run: ReplayRun): Promise<StrategyReplay> {
  const { plan, setting, prices, onRequest } = run;
  const roles = rolesOf(strategy, run.summaries);
  const contender = strategy === noStrategy ? noManagement : contenderOf(strategy, roles, run);
  const log = createRequestLog(setting);
  const { recall } = await measureReplay({
    plan,
    contender,
    setting,
    metrics: { recall: futureUse },
    watch(view) {
      log.add(view);
      onRequest(strategy, log.requests.length);
    },
  });
  const { requests } = log;
  const bill = billOf(requests, prices.pricing);
  return {
    strategy,
    ...roles,
    ...sizesOf(requests, run.promptTokens),
    compactions: requests.filter(({ isCompaction }) => isCompaction).length,
    prefixBreaks: requests.filter(({ isBreak }) => isBreak).length,
    cost: { total: inUnit(bill.total, prices.unit), asked: inUnit(bill.asked, prices.unit), ofNone: null },
    cachedShare: bill.inputTokens === 0 ? 0 : bill.cachedTokens / bill.inputTokens,
    recall: { names: recallOf(recall, 'far'), places: recallOf(recall, 'locatorFar') },
    compaction: meanCost(requests, prices),
    contextTokens: requests.map(({ tokens }) => tokens ?? null),
  };
}

type Roles = Pick<StrategyReplay, 'summariesBy' | 'decisionsBy'>;

function rolesOf(strategy: string, summaries: SummaryWriter): Roles {
  if (strategy === noStrategy) return { summariesBy: 'nobody', decisionsBy: null };
  const need = modelNeed(strategy);
  if (need === 'decisions') return { summariesBy: 'stand-in', decisionsBy: 'stand-in' };
  if (need === 'summary') return { summariesBy: summaries, decisionsBy: null };
  return { summariesBy: strategy === 'digest' ? 'code' : 'nobody', decisionsBy: null };
}

function contenderOf(strategy: string, { summariesBy }: Roles, run: ReplayRun): Contender {
  const { window, setting, prices } = run;
  return ours({
    strategy,
    windowTokens: window.windowTokens,
    reportsUsage: true,
    countsOutside: true,
    asksModel: summariesBy === 'stand-in',
    textTokens: setting.textTokens,
    policy: {
      budget: window.budget,
      pricing: prices.pricing,
      ...(window.reasoningBinding && { reasoningBinding: window.reasoningBinding }),
    },
  });
}

function sizesOf(
  requests: readonly LoggedRequest[],
  promptTokens: number,
): Pick<StrategyReplay, 'requests' | 'overflows' | 'cannotFit' | 'tokens'> {
  const sent = requests.flatMap(({ tokens }) => tokens ?? []);
  const cannotFit = requests.length - sent.length;
  return {
    requests: requests.length,
    overflows: cannotFit + sent.filter((tokens) => tokens > promptTokens).length,
    cannotFit,
    tokens: {
      largest: sent.reduce((most, tokens) => Math.max(most, tokens), 0),
      mean: Math.round(sent.reduce((sum, tokens) => sum + tokens, 0) / Math.max(1, sent.length)),
    },
  };
}

function recallOf(sums: Readonly<Sums>, split: 'far' | 'locatorFar'): Recall {
  return {
    used: sumOf(sums, `${split}.uses`),
    kept: sumOf(sums, `${split}.hit`),
    recallable: sumOf(sums, `${split}.recalled`),
  };
}

/** The mean of what the engine says of its compactions. */
function meanCost(requests: readonly LoggedRequest[], { unit }: PriceChoice): CompactionCost | null {
  const costs = requests.flatMap(({ passCost }) => passCost ?? []);
  if (costs.length === 0) return null;
  const mean = (of: (cost: (typeof costs)[number]) => number): number =>
    inUnit(costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length, unit);
  const rewrite = mean(({ rewriteUsd }) => rewriteUsd);
  const summariser = mean(({ summariserUsd }) => summariserUsd);
  const savedPerRequest = mean(({ savedPerStepUsd }) => savedPerStepUsd);
  const spent = rewrite + summariser;
  const paidBackAfter = spent <= 0 ? 0 : savedPerRequest > 0 ? Math.ceil(spent / savedPerRequest) : null;
  return { rewrite, summariser, savedPerRequest, paidBackAfter };
}
