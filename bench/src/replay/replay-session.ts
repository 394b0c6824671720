import { createMessageReader } from '../metrics/message-text.ts';
import { metricNames, metrics } from '../metrics/metrics.ts';
import type { AllSums } from '../metrics/metrics.ts';
import type { Contender, Run } from '../contenders/contender.ts';
import type { ReplaySetting, StepView } from '../metrics/metric.ts';
import type { SeenMessage } from '../metrics/message-text.ts';
import type { PlannedStep, SessionPlan } from '../sessions/session-plan.ts';

/** Watches a replay beside the metrics, for a report of its own. */
export type StepWatcher = (view: StepView, plan: SessionPlan) => void;

/** Replays one session step by step with one contender, and returns what the metrics added up. */
export async function replaySession(
  plan: SessionPlan,
  contender: Contender,
  setting: ReplaySetting,
  watch?: StepWatcher,
): Promise<AllSums> {
  const run = contender.start(plan.session, setting.budgetTokens);
  const runs = metricNames.map((name) => metrics[name].start(plan, setting));
  const viewer = createViewer(plan, run, setting);
  let last: StepView | undefined;
  for (const step of plan.steps) {
    last = await viewer.take(step);
    for (const metric of runs) await metric.add(last, run);
    watch?.(last, plan);
  }
  if (last) for (const metric of runs) await metric.finish?.(last, run);
  return Object.fromEntries(metricNames.map((name, index) => [name, runs[index]?.sums ?? {}])) as AllSums;
}

/** Asks the contender step by step, and puts together what the metrics see. */
function createViewer(plan: SessionPlan, run: Run, setting: ReplaySetting) {
  const { tokensOf, budgetTokens } = setting;
  const reader = run.codec === plan.session.codec ? plan.reader : createMessageReader(run.codec);
  const count = (messages: readonly unknown[]): number =>
    messages.reduce<number>((sum, message) => sum + tokensOf(reader.read(message)), 0);
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
      const seen = messages.map((message) => reader.read(message));
      const request = seen.map((message, index) => ({
        message: messages[index],
        tokens: tokensOf(message),
      }));
      const sentTokens = request.reduce((sum, { tokens }) => sum + tokens, 0);
      if (sent) run.observe?.(sentTokens);
      const changed = changedIndices(messages, history);
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

/** Indices of the messages that are no objects of the history. */
function changedIndices(messages: readonly unknown[], history: readonly unknown[]): number[] {
  const unchanged = new Set(history);
  return messages.flatMap((message, index) => (unchanged.has(message) ? [] : [index]));
}
