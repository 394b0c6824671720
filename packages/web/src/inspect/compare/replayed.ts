import { scriptAwareEstimator } from '@throughline/core';
import { givenMessage, strategyNames } from '@throughline/core/internal';
import {
  billOf,
  createRequestLog,
  createTokenCounter,
  measureReplay,
  noManagement,
  ours,
  outsideText,
  planSteps,
} from '@throughline/replay';
import type { Contender, LoggedRequest, ReplaySetting, SessionPlan } from '@throughline/replay';
import type { Inspected } from '../inspected.ts';

/** A whole recorded session under one strategy, from its first request to its last. */
interface ReplayedStrategy {
  /** `none`: everything is sent. */
  readonly strategy: string;
  readonly requests: number;
  /** Requests that would not have fitted. */
  readonly overflows: number;
  readonly compactions: number;
  readonly largestTokens: number;
  readonly lastTokens: number;
  /** Share of all tokens sent that came from the cache: from 0 to 1. */
  readonly cachedShare: number;
  /** US dollars for all prompts; `null` where no prices are known. */
  readonly costUsd: number | null;
  /** Tokens of each request, for a chart; `null` where nothing fitted. */
  readonly tokens: readonly (number | null)[];
}

const noStrategy = 'none';

/** Where no prices are known the cache is counted all the same, as most providers have it. */
const assumedPricing = {
  prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  cache: { kind: 'automatic', lifetimeMs: 300_000 },
} as const;

/**
 * All strategies over a whole recording, one after the other; `none` first. Tokens are estimated, summaries written by
 * a stand-in of the size that models write. Gives way between requests, so that a page stays alive.
 *
 * @throws the reason of the signal, when it is aborted
 */
export async function* replayStrategies(
  inspected: Inspected,
  signal?: AbortSignal,
  strategies: readonly string[] = [noStrategy, ...strategyNames],
): AsyncGenerator<ReplayedStrategy> {
  const { plan, setting } = planOf(inspected);
  for (const strategy of strategies) yield await replayOne(inspected, { plan, setting, strategy, signal });
}

function planOf({ transcript, setup, steps }: Inspected): { plan: SessionPlan; setting: ReplaySetting } {
  const { ofText, ofMessage } = createTokenCounter(scriptAwareEstimator);
  const times = new Map(
    steps.map(({ historyLength, startedAtMs }) => [historyLength, startedAtMs ?? undefined]),
  );
  const messages = [...transcript.conversation.entries].map(givenMessage);
  const session = {
    codec: transcript.codec,
    messages,
    timesMs: messages.map((_, index) => times.get(index)),
    system: setup.system,
    tools: setup.tools,
  };
  const plan = planSteps(session, { maxSteps: 0, textTokens: ofText });
  const setting: ReplaySetting = {
    budgetTokens: setup.triggerTokens,
    windowTokens: setup.windowTokens,
    outputReserveTokens: setup.windowTokens - setup.usableTokens,
    tokensOf: ofMessage,
    textTokens: ofText,
    outsideTokens: ofText(outsideText(session)),
  };
  return { plan, setting };
}

interface One {
  readonly plan: SessionPlan;
  readonly setting: ReplaySetting;
  readonly strategy: string;
  readonly signal: AbortSignal | undefined;
}

async function replayOne(
  { setup }: Inspected,
  { plan, setting, strategy, signal }: One,
): Promise<ReplayedStrategy> {
  const { budget, pricing } = setup;
  const contender =
    strategy === noStrategy
      ? noManagement
      : ours({
          strategy,
          windowTokens: setup.windowTokens,
          reportsUsage: true,
          countsOutside: true,
          asksModel: true,
          textTokens: setting.textTokens,
          policy: { budget, ...(pricing && { pricing }) },
        });
  const log = createRequestLog(setting);
  await measureReplay({
    plan,
    contender: givingWay(contender),
    setting,
    metrics: {},
    watch(view) {
      signal?.throwIfAborted();
      log.add(view);
    },
  });
  const bill = billOf(log.requests, pricing ?? assumedPricing);
  return {
    strategy,
    ...sizesOf(log.requests, setup.usableTokens),
    compactions: log.requests.filter(({ isCompaction }) => isCompaction).length,
    cachedShare: bill.inputTokens === 0 ? 0 : bill.cachedTokens / bill.inputTokens,
    costUsd: pricing ? bill.total : null,
  };
}

/** Longer than this nothing else of a page may wait. */
const longestTurnMs = 12;

/** The same contender, which lets others have a turn between two requests. */
function givingWay(contender: Contender): Contender {
  return {
    ...contender,
    start(session, budgetTokens) {
      const run = contender.start(session, budgetTokens);
      let begunAt = performance.now();
      return {
        ...run,
        async step(historyLength, count, idleMs) {
          if (performance.now() - begunAt > longestTurnMs) {
            await new Promise((resolve) => setTimeout(resolve));
            begunAt = performance.now();
          }
          return run.step(historyLength, count, idleMs);
        },
      };
    },
  };
}

function sizesOf(
  requests: readonly LoggedRequest[],
  usableTokens: number,
): Pick<ReplayedStrategy, 'requests' | 'overflows' | 'largestTokens' | 'lastTokens' | 'tokens'> {
  const tokens = requests.map((request) => request.tokens ?? null);
  const sent = tokens.filter((count) => count !== null);
  return {
    requests: requests.length,
    overflows: tokens.length - sent.filter((count) => count <= usableTokens).length,
    largestTokens: sent.reduce((most, count) => Math.max(most, count), 0),
    lastTokens: sent.at(-1) ?? 0,
    tokens,
  };
}
