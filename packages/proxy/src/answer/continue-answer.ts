import { cannotFitOf } from '../manage/context-manager.ts';
import { decoded } from '../forward/decode-answer.ts';
import { estimatedOutput } from '../stream/shared/facts.ts';
import { countText, scriptAwareEstimator } from '@throughline/core';
import { leastLimitOf, limitLeft, withMargin } from '../manage/answer-limit.ts';
import { requestText } from '../manage/request-text.ts';
import { estimatedPrompt, sendBody } from './attempt.ts';
import type { MeteredUse } from '../forward/token-meter.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Attempt } from './attempt.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Managed } from '../manage/managed.ts';
import type { RenderedMessage } from '@throughline/core/types';
import type { UpstreamAnswer } from '../forward/upstream.ts';

/** Constant, so that it is recognised for what it is; the model reads it behind its own unfinished answer. */
const goOn =
  'Your answer above was interrupted in the middle. Go on with it exactly where it stops: begin with the next character, ' +
  'repeat nothing, and say nothing about the interruption.';

export type Continued =
  | {
      readonly type: 'answer';
      readonly answer: UpstreamAnswer;
      readonly managed: Managed;
      /** What the request had behind the client's messages. */
      readonly behind: readonly RenderedMessage<unknown>[];
      /** The prompt with that, by our own count. */
      readonly promptTokens: number;
    }
  | { readonly type: 'failed'; readonly message: string };

/** What the client has of its answer. */
interface Unfinished {
  readonly text: string;
  /** What of the answer's own limit is used up. */
  readonly spentTokens: number;
}

/** What was told of an answer, and of one that is not whole what was said of it by then. */
export function settleUse(
  use: MeteredUse,
  attempt: Pick<Attempt, 'managed' | 'promptTokens'>,
  facts: AnswerFacts,
): void {
  const { managed } = attempt;
  const { usage, isDone, error } = facts;
  if (typeof managed === 'string' || (error !== undefined && !facts.hasContent)) return;
  const told = usage?.outputTokens ?? 0;
  use.settle({
    inputTokens: usage?.inputTokens || estimatedPrompt(managed, attempt),
    outputTokens: isDone && told > 0 ? told : Math.max(told, estimatedOutput(facts)),
  });
}

/** Makes room behind an answer that has reached the end of the window, and asks for the rest of it. */
export async function continueAnswer(
  attempt: Attempt,
  { text, spentTokens }: Unfinished,
): Promise<Continued> {
  const { ask, asking, request, parts } = attempt;
  if (!asking || !request) throw new TypeError('only a managed answer is continued');
  try {
    const { maxTokens: _, ...smaller } = await parts.manager.manage(request, asking, {});
    const behind = unfinished(request, text);
    const promptTokens = smaller.step.report.tokens.final + tokensBehind(behind, text, spentTokens);
    const limit = limitBehind(request, smaller, { spentTokens, promptTokens });
    const left = limitLeft(request, spentTokens);
    // Where the client has set none, none is sent.
    const isLowered = Number.isFinite(left) && limit < left;
    const managed = isLowered ? { ...smaller, maxTokens: limit } : smaller;
    const messages = [...managed.messages, ...behind];
    const body = requestText(request, { messages, asksUsage: managed.asksUsage, maxTokens: limit });
    const said = await sendBody(ask, Buffer.from(body), parts, 'edited');
    const answer = decoded(said) ?? said;
    if (answer.status === 200) {
      parts.traffic.count(ask.route.name, 'restarts');
      return { type: 'answer', answer, managed, behind, promptTokens };
    }
    answer.body.destroy();
    return { type: 'failed', message: `The upstream refused to go on with its answer (${answer.status}).` };
  } catch (error) {
    if (ask.signal.aborted) throw error;
    const cannotFit = cannotFitOf(error);
    return { type: 'failed', message: cannotFit?.message ?? 'The answer cannot be continued.' };
  }
}

function unfinished({ dialect }: ClientRequest, text: string): readonly RenderedMessage<unknown>[] {
  const said = [
    { role: 'assistant', text },
    { role: 'user', text: goOn },
  ] as const;
  return said.flatMap(({ role, text: words }) =>
    dialect.codec
      .compose({ role, parts: [{ type: 'text', text: words }], kind: 'converted' })
      .messages.map((message): RenderedMessage<unknown> => ({ source: 'written', isEdited: true, message })),
  );
}

/** The answer so far counts as what was spent on it, where the upstream has told that: it knows better than any estimate. */
function tokensBehind(
  behind: readonly RenderedMessage<unknown>[],
  text: string,
  spentTokens: number,
): number {
  const written = behind.map(({ message }) => JSON.stringify(message)).join('\n');
  const all = countText(written, scriptAwareEstimator);
  const said = countText(text, scriptAwareEstimator);
  return Math.ceil(all - said + Math.min(said, spentTokens));
}

/** What is left of the answer's own limit, and of the window where more would not fit. */
function limitBehind(
  request: ClientRequest,
  { limits: { window } }: Pick<Managed, 'limits'>,
  { spentTokens, promptTokens }: { readonly spentTokens: number; readonly promptTokens: number },
): number {
  const left = limitLeft(request, spentTokens);
  if (window.source === 'default') return left;
  return Math.min(left, Math.max(leastLimitOf(request), window.tokens - withMargin(promptTokens)));
}
