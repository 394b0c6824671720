import { createMessageReader } from '../sessions/message-text.ts';
import { metrics } from '../metrics/metrics.ts';
import type { AllSums } from '../metrics/metrics.ts';
import type { Contender, Run } from '../contenders/contender.ts';
import type { Metric, ReplaySetting, SentMessage, StepView, Sums } from '../metrics/metric.ts';
import type { SeenMessage } from '../sessions/message-text.ts';
import type { PlannedStep, SessionPlan } from '../sessions/session-plan.ts';

/** Watches a replay beside the metrics, for a report of its own. */
export type StepWatcher = (view: StepView, plan: SessionPlan) => void;

/** Replays one session step by step with one contender, and returns what all metrics added up. */
export function replaySession(
  plan: SessionPlan,
  contender: Contender,
  setting: ReplaySetting,
  watch?: StepWatcher,
): Promise<AllSums> {
  return measureReplay({ plan, contender, setting, metrics, ...(watch ? { watch } : {}) });
}

/** One contender on one session, and what is measured of it. */
export interface Replay<Name extends string> {
  readonly plan: SessionPlan;
  readonly contender: Contender;
  readonly setting: ReplaySetting;
  readonly metrics: Readonly<Record<Name, Metric>>;
  /** Called after each step. */
  readonly watch?: StepWatcher;
}

/** The same for some metrics; the others cost nothing. */
export async function measureReplay<Name extends string>(
  replay: Replay<Name>,
): Promise<Readonly<Record<Name, Sums>>> {
  const { plan, contender, setting, watch } = replay;
  const run = contender.start(plan.session, setting.budgetTokens);
  const runs = Object.entries<Metric>(replay.metrics).map(
    ([name, metric]) => [name, metric.start(plan, setting)] as const,
  );
  const viewer = createViewer(plan, run, setting);
  let last: StepView | undefined;
  for (const step of plan.steps) {
    last = await viewer.take(step);
    for (const [, metric] of runs) await metric.add(last, run);
    watch?.(last, plan);
  }
  if (last) for (const [, metric] of runs) await metric.finish?.(last, run);
  return Object.fromEntries(runs.map(([name, { sums }]) => [name, sums])) as Record<Name, Sums>;
}

/** Asks the contender step by step, and puts together what the metrics see. */
function createViewer(plan: SessionPlan, run: Run, setting: ReplaySetting) {
  const { tokensOf, budgetTokens } = setting;
  const reader = run.codec === plan.session.codec ? plan.reader : createMessageReader(run.codec);
  const count = (messages: readonly unknown[]): number =>
    messages.reduce<number>((sum, message) => sum + tokensOf(reader.read(message)), 0);
  const read = createRequestReader((message) => reader.read(message), tokensOf);
  const differences = createComparison();
  let known = 0;
  let historyTokens = 0;
  let hasTriggered = false;
  let isPost = false;
  return {
    async take(step: PlannedStep): Promise<StepView> {
      const formerHistoryTokens = historyTokens;
      for (; known < step.historyLength; known += 1)
        historyTokens += tokensOf(plan.seen[known] as SeenMessage);
      hasTriggered ||= historyTokens > budgetTokens;
      const history = run.history(step.historyLength);
      const startedAt = performance.now();
      const sent = await run.step(step.historyLength, count, step.gapMs);
      const elapsedMs = performance.now() - startedAt;
      const messages = sent?.messages ?? [];
      const { seen, request } = read(messages);
      const sentTokens = request.reduce((sum, { tokens }) => sum + tokens, 0);
      if (sent) run.observe?.(sentTokens);
      const changed = differences(messages, history);
      isPost ||= changed.length > 0 || messages.length !== history.length;
      return {
        step,
        sent,
        seen,
        request,
        sentTokens,
        changed,
        historyTokens,
        formerHistoryTokens,
        hasTriggered,
        isPost,
        elapsedMs,
      };
    },
  };
}

interface ReadRequest {
  readonly seen: readonly SeenMessage[];
  readonly request: readonly SentMessage[];
}

/** Reads requests of which each has most messages at the places where the one before had them. */
function createRequestReader(
  read: (message: unknown) => SeenMessage,
  tokensOf: ReplaySetting['tokensOf'],
): (messages: readonly unknown[]) => ReadRequest {
  let former: ReadRequest = { seen: [], request: [] };
  return (messages) => {
    let same = 0;
    const most = Math.min(messages.length, former.request.length);
    while (same < most && former.request[same]?.message === messages[same]) same += 1;
    const fresh = messages.slice(same).map((message) => ({ message, seen: read(message) }));
    former = {
      seen: former.seen.slice(0, same).concat(fresh.map(({ seen }) => seen)),
      request: former.request
        .slice(0, same)
        .concat(fresh.map(({ message, seen }) => ({ message, tokens: tokensOf(seen) }))),
    };
    return former;
  };
}

/** Where a request differs from a history that grows: the messages that are no objects of it. */
function createComparison(): (messages: readonly unknown[], history: readonly unknown[]) => number[] {
  const places = new Map<unknown, number>();
  let known = 0;
  return (messages, history) => {
    for (; known < history.length; known += 1)
      if (!places.has(history[known])) places.set(history[known], known);
    const changed: number[] = [];
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index];
      const isSame = index < history.length && message === history[index];
      if (!isSame && (places.get(message) ?? Infinity) >= history.length) changed.push(index);
    }
    return changed;
  };
}
