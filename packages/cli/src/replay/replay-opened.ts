import { budgetOf } from '@throughline/core/internal';
import { choosePrices, roundedCost } from './prices.ts';
import { CommandFailure } from '../outcome/failure.ts';
import { createTokenCounter, outsideText, planSteps, sessionToReplay } from '@throughline/replay';
import { exitCode } from '../outcome/exit-code.ts';
import { findWindow } from '../reading/find-window.ts';
import { labelOf, noStrategy } from './replayed.ts';
import { replayStrategy } from './replay-strategy.ts';
import { compareUsage } from '../inspect/compare-usage.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { Replayed, ReplayPrices, StrategyReplay } from './replayed.ts';
import type { PriceChoice } from './prices.ts';
import type { ReplayRun, SummaryWriter } from './replay-strategy.ts';
import type { WindowChoice } from '../reading/find-window.ts';

interface ReplayRequest {
  readonly window?: number;
  readonly model?: string;
  /** Everything as one conversation: the recorded usage is of other requests then. */
  readonly whole?: boolean;
  /** Beside no management, which is always there. */
  readonly strategies: readonly string[];
  readonly summaries: SummaryWriter;
  /** Called before anything that takes long: what is being done. */
  readonly onProgress: (what: string) => void;
}

/** What is used again is looked up at so many steps at most, evenly spread: it takes the most time. */
const mostMeasuredSteps = 500;

/** One session under every strategy that is asked for. Rejects where the session holds nothing to replay. */
export async function replayOpened(opened: OpenedSession, wanted: ReplayRequest): Promise<Replayed> {
  const window = findWindow(opened.session, wanted);
  wanted.onProgress('Looking for what is used again');
  const run = runOf(opened, window, wanted);
  const { steps } = run.plan;
  if (steps.length === 0) throw nothingToReplay(opened.file);
  const names = [noStrategy, ...wanted.strategies];
  const onRequest: ReplayRun['onRequest'] = (strategy, request) => {
    const which = `${labelOf(strategy)} (${names.indexOf(strategy) + 1} of ${names.length})`;
    wanted.onProgress(`Replaying ${which}, request ${request} of ${steps.length}`);
  };
  const rows: StrategyReplay[] = [];
  for (const name of names) rows.push(await replayStrategy(name, { ...run, onRequest }));
  return report(opened, run, rows, wanted);
}

function runOf(
  opened: OpenedSession,
  window: WindowChoice,
  { summaries }: ReplayRequest,
): Omit<ReplayRun, 'onRequest'> {
  const session = sessionToReplay(opened.session, opened.recording.document);
  const counter = createTokenCounter(opened.estimator);
  const { windowTokens, outputReserveTokens, usableTokens } = budgetOf(window.budget);
  const room = windowTokens - outputReserveTokens;
  return {
    plan: planSteps(session, { maxSteps: mostMeasuredSteps, textTokens: counter.ofText }),
    setting: {
      budgetTokens: usableTokens,
      windowTokens,
      outputReserveTokens,
      tokensOf: counter.ofMessage,
      textTokens: counter.ofText,
      outsideTokens: counter.ofText(outsideText(session)),
    },
    window,
    promptTokens: Math.min(room, window.budget.maxInputTokens ?? room),
    prices: choosePrices(opened.model),
    summaries,
  };
}

function nothingToReplay(file: string): CommandFailure {
  const reason = 'it holds no answer of an agent with something before it';
  return new CommandFailure('unreadable-file', `${file} cannot be replayed: ${reason}.`, {
    exitCode: exitCode.unreadable,
    details: { file, reason },
  });
}

/** A row beside no management, its costs without the noise of their arithmetic. */
function finished(
  row: StrategyReplay,
  none: StrategyReplay | undefined,
  { unit }: PriceChoice,
): StrategyReplay {
  const cost = (value: number): number => roundedCost(value, { unit });
  const base = none?.cost.total ?? 0;
  const { compaction } = row;
  return {
    ...row,
    cost: {
      total: cost(row.cost.total),
      asked: cost(row.cost.asked),
      ofNone: base === 0 ? null : rounded(row.cost.total / base),
    },
    cachedShare: rounded(row.cachedShare),
    compaction: compaction && {
      ...compaction,
      rewrite: cost(compaction.rewrite),
      summariser: cost(compaction.summariser),
      savedPerRequest: cost(compaction.savedPerRequest),
    },
  };
}

function rounded(share: number): number {
  return Math.round(share * 1e4) / 1e4;
}

function report(
  opened: OpenedSession,
  run: Omit<ReplayRun, 'onRequest'>,
  measured: readonly StrategyReplay[],
  wanted: ReplayRequest,
): Replayed {
  const { file, recording, session, number, estimator } = opened;
  const rows = measured.map((row) => finished(row, measured[0], run.prices));
  const { window, promptTokens, setting, plan } = run;
  return {
    file,
    format: recording.format,
    session: {
      number,
      id: session.id,
      model: session.model ?? null,
      messages: session.messages.length,
    },
    recordedCompactions: recording.sessions.filter(({ kind }) => kind === 'archived').length,
    estimator: estimator.name,
    window: { tokens: window.windowTokens, promptTokens, source: window.source, model: window.model },
    prices: pricesOf(run),
    outsideTokens: setting.outsideTokens,
    notInLog: notInLog(opened, window.windowTokens, wanted.whole ?? false),
    requests: plan.steps.length,
    measuredRequests: plan.steps.filter(({ isMeasured }) => isMeasured).length,
    strategies: rows,
    verdict: judgeStrategies(rows),
    notes: recording.notes,
  };
}

function pricesOf({ prices, plan: { steps } }: Pick<ReplayRun, 'prices' | 'plan'>): ReplayPrices {
  const { pricing, unit, model, pricedUpToTokens } = prices;
  // No pause lies before the first request.
  const known = steps.slice(1).filter(({ gapMs }) => gapMs !== undefined).length;
  return {
    unit,
    model,
    perMillion: pricing.prices,
    cacheLifetimeMs: pricing.cache.kind === 'none' ? null : pricing.cache.lifetimeMs,
    pricedUpToTokens: pricedUpToTokens ?? null,
    knownPauses: steps.length < 2 ? 0 : rounded(known / (steps.length - 1)),
  };
}

/** What the requests of a session held that its file does not hold, and how much that was. */
function notInLog(
  { session, transcript }: OpenedSession,
  windowTokens: number,
  isWhole: boolean,
): Replayed['notInLog'] {
  const { holdsWholePrompt, system, tools } = session;
  if (holdsWholePrompt) return { what: [], tokens: null };
  const { entries } = transcript.conversation;
  const hasSystem = system !== undefined || entries.at(0)?.role === 'system';
  const what = [
    ...(hasSystem ? [] : ['system prompt' as const]),
    ...(tools === undefined ? ['tools' as const] : []),
  ];
  // All branches and archived parts together are no request that was ever counted.
  const tokens = isWhole ? 0 : (compareUsage(transcript, session, windowTokens)?.notInLogTokens ?? 0);
  return { what, tokens: tokens > 0 ? tokens : null };
}

/** How much less of the names than the strategy that keeps most the best one may keep, as a share. */
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
