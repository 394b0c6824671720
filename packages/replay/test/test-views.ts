import { openaiChatCodec } from '@throughline/core';
import { createMessageReader } from '../src/sessions/message-text.ts';
import { createTokenCounter } from '../src/sessions/token-count.ts';
import { planSteps } from '../src/replay/plan-steps.ts';
import type { SessionToReplay } from '../src/sessions/session-to-replay.ts';
import type { Metric, ReplaySetting, StepView, Sums } from '../src/metrics/metric.ts';
import type { PlannedStep, SessionPlan } from '../src/sessions/session-plan.ts';
import type { Run, Sent } from '../src/contenders/contender.ts';

// For the tests of metrics: histories in the format of OpenAI chat, one token a character.

export const user = (content: string): unknown => ({ role: 'user', content });

export const call = (id: string, args: object, name = 'read'): unknown => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});

export const result = (id: string, content: string): unknown => ({ role: 'tool', tool_call_id: id, content });

export function sessionOf(messages: readonly unknown[], timesMs: readonly number[] = []): SessionToReplay {
  return { codec: openaiChatCodec, messages, timesMs };
}

const perCharacter = createTokenCounter({ name: 'one a character', count: (text) => text.length });

export function planOf(messages: readonly unknown[], timesMs: readonly number[] = []): SessionPlan {
  return planSteps(sessionOf(messages, timesMs), { maxSteps: 1_000, textTokens: perCharacter.ofText });
}

export function settingOf(budgetTokens = 1_000): ReplaySetting {
  return {
    budgetTokens,
    windowTokens: 10_000,
    outputReserveTokens: 1_000,
    tokensOf: perCharacter.ofMessage,
    textTokens: perCharacter.ofText,
    outsideTokens: 0,
  };
}

const reader = createMessageReader(openaiChatCodec);

/** What a metric sees at a step at which `messages` are sent. */
export function viewOf(
  plan: SessionPlan,
  step: PlannedStep,
  messages: readonly unknown[],
  more: Partial<StepView & Sent> = {},
): StepView {
  const seen = messages.map((message) => reader.read(message));
  const request = seen.map((message, index) => ({
    message: messages[index],
    tokens: perCharacter.ofMessage(message),
  }));
  const history = new Set(plan.session.messages.slice(0, step.historyLength));
  const tokensUpTo = (length: number): number =>
    plan.seen.slice(0, length).reduce((sum, message) => sum + perCharacter.ofMessage(message), 0);
  const former = plan.steps[plan.steps.indexOf(step) - 1]?.historyLength ?? 0;
  const changed = messages.flatMap((message, index) => (history.has(message) ? [] : [index]));
  return {
    step,
    sent: { messages, ...more },
    seen,
    request,
    sentTokens: request.reduce((sum, { tokens }) => sum + tokens, 0),
    changed,
    historyTokens: tokensUpTo(step.historyLength),
    formerHistoryTokens: tokensUpTo(former),
    hasTriggered: more.hasTriggered ?? false,
    isPost: more.isPost ?? changed.length > 0,
    elapsedMs: 0,
  };
}

const noRun = { codec: openaiChatCodec, history: () => [], step: () => undefined } satisfies Run;

/** The sums of one metric over views; at the end it is told the last. */
export async function measure(
  metric: Metric,
  plan: SessionPlan,
  views: readonly StepView[],
  { setting = settingOf(), run = noRun }: { readonly setting?: ReplaySetting; readonly run?: Run } = {},
): Promise<Readonly<Sums>> {
  const started = metric.start(plan, setting);
  for (const view of views) await started.add(view, run);
  const last = views.at(-1);
  if (last) await started.finish?.(last, run);
  return started.sums;
}
