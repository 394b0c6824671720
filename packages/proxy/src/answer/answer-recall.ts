import { decoded } from '../forward/decode-answer.ts';
import { dialectStreams } from '../stream/dialect-streams.ts';
import { editBody } from '../wire/edit-body.ts';
import { estimatedOutput } from '../stream/shared/estimated-output.ts';
import { limitLeft, recallRoom } from '../recall/recall-room.ts';
import { maxTokensOf } from '../wire/dialect.ts';
import { recallToolName } from '../wire/recall-tool.ts';
import { noRoomText, recallWithin, tokensOf } from '../recall/recall-within.ts';
import { sendBody } from './attempt.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Attempt } from './attempt.ts';
import type { CallResult, SaidCall, SaidParts } from '../stream/shared/said.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Managed } from '../manage/context-manager.ts';
import type { ModelFinish } from '@throughline/ports';
import type { RecallRoom } from '../recall/recall-room.ts';
import type { RenderedMessage } from '@throughline/core/types';
import type { UpstreamAnswer } from '../forward/upstream.ts';

/** For one answer a model is let recall so often. */
const mostRecalls = 8;

const lastRecallText = '[That was the last recall for this answer: go on with what you have.]';
const notRunText = `Not run: ${recallToolName} is answered alone. Call again.`;

/** How the answer goes on that has called the recall tool. */
export type Recalled =
  /** With another answer, to a request of which this attempt tells. */
  | {
      readonly type: 'answer';
      readonly attempt: Attempt;
      /** Of that request, at most. */
      readonly promptTokens: number;
    }
  /** It has recalled often enough, or has ended for another reason than its calls. */
  | { readonly type: 'over' }
  /** The window, or the limit of the answer, leaves nothing to go on with. */
  | { readonly type: 'no-room' }
  | { readonly type: 'refused'; readonly answer: UpstreamAnswer };

/** An answer of which all is told. */
export interface Recaller {
  readonly parts: SaidParts;
  readonly facts: AnswerFacts;
}

/** Another reason than its calls: they may be cut, or the answer is not to go on. */
const endsOtherwise: ReadonlySet<ModelFinish | undefined> = new Set([
  'length',
  'window-full',
  'refusal',
  'paused',
]);

/** Calls of the tool that was offered by us. */
export function ownCalls({ request }: Pick<Attempt, 'request'>, parts: SaidParts): readonly SaidCall[] {
  if (!request?.offersRecall) return [];
  return dialectStreams[request.dialect.name].calls.callsIn(parts).filter(isOwn);
}

export function isOwn({ name }: SaidCall): boolean {
  return name === recallToolName;
}

/** Answers the calls of the recall tool, and asks for what the model says then. The client hears nothing of it. */
export async function answerRecalls(attempt: Attempt, { parts, facts }: Recaller): Promise<Recalled> {
  const { managed, request, ask, recalls = 0, behind = [] } = attempt;
  if (typeof managed === 'string' || !request) throw new TypeError('only a managed answer recalls');
  if (recalls >= mostRecalls || endsOtherwise.has(facts.finish)) return { type: 'over' };
  const { calls: rules } = dialectStreams[request.dialect.name];
  const calls = rules.callsIn(parts);
  const spentTokens = attempt.spentTokens + (facts.usage?.outputTokens || estimatedOutput(facts));
  if (limitLeft(request, spentTokens) < 1) return { type: 'no-room' };
  const room = recallRoom({ request, managed, behind, facts, results: calls.length, spentTokens });
  if (!room) return { type: 'no-room' };
  const results = resultsOf(calls, { managed, room, isLast: recalls + 1 === mostRecalls });
  const exchange = rules.exchange(parts, results, request.body).map(written);
  const usedTokens = room.promptTokens + sum(results.map(({ text }) => tokensOf(text)));
  const asked = { managed, behind: [...behind, ...exchange], spentTokens, usedTokens };
  tell(attempt, results);
  const said = await sendBody(ask, Buffer.from(bodyOf(request, asked)), attempt.parts, 'edited');
  const answer = decoded(said) ?? said;
  if (answer.status !== 200) return { type: 'refused', answer };
  const next = { ...attempt, answer, behind: asked.behind, spentTokens, recalls: recalls + 1 };
  return { type: 'answer', attempt: next, promptTokens: usedTokens };
}

interface Recalling {
  readonly managed: Managed;
  readonly room: RecallRoom;
  /** No more is answered. */
  readonly isLast: boolean;
}

/** Each call is told something, in the order in which they were made; what is recalled shares the room. */
function resultsOf(calls: readonly SaidCall[], { managed, room, isLast }: Recalling): readonly CallResult[] {
  let left = room.textTokens - (isLast ? tokensOf(lastRecallText) : 0);
  let open = calls.filter(isOwn).length;
  return calls.map((call) => {
    if (!isOwn(call)) return { call, text: notRunText, isError: true };
    const share = Math.max(0, Math.floor(left / open));
    const text = share === 0 ? noRoomText : recallWithin(managed.snapshot, call.input, share);
    left -= tokensOf(text);
    open -= 1;
    return { call, text: isLast ? `${text}\n${lastRecallText}` : text, isError: false };
  });
}

function written(message: unknown): RenderedMessage<unknown> {
  return { source: 'written', isEdited: true, message };
}

interface Asked {
  readonly managed: Managed;
  readonly behind: readonly RenderedMessage<unknown>[];
  readonly spentTokens: number;
  /** Its whole prompt, at most. */
  readonly usedTokens: number;
}

function bodyOf(request: ClientRequest, { managed, behind, spentTokens, usedTokens }: Asked): string {
  const { dialect, body } = request;
  return editBody(request, {
    messages: [...managed.messages, ...behind],
    members: {
      ...(managed.asksUsage && dialect.askingForUsage(body)),
      ...limitMember(request, managed, { spentTokens, usedTokens }),
    },
  });
}

/** What is left of the answer's own limit, and of the window. */
function limitMember(
  request: ClientRequest,
  { limits, maxTokens = Infinity }: Managed,
  { spentTokens, usedTokens }: Pick<Asked, 'spentTokens' | 'usedTokens'>,
): Readonly<Record<string, number>> {
  const { dialect, body } = request;
  const asked = maxTokensOf(dialect, body);
  const key = dialect.maxTokensKeys.find((name) => body[name] === asked);
  if (asked === undefined || key === undefined) return {};
  const room = limits.window.source === 'default' ? Infinity : limits.window.tokens - usedTokens;
  return { [key]: Math.max(1, Math.min(maxTokens, room, limitLeft(request, spentTokens))) };
}

function tell({ ask, parts }: Attempt, results: readonly CallResult[]): void {
  const recalled = results.filter(({ call }) => isOwn(call));
  const tokens = sum(recalled.map(({ text }) => tokensOf(text)));
  for (const _ of recalled) parts.traffic.count(ask.route.name, 'recalls');
  const calls = `${recalled.length} ${recalled.length === 1 ? 'call' : 'calls'}`;
  parts.services.log?.info(
    { route: ask.route.name, calls: recalled.length, tokens },
    `[Context] Recall inside an answer: ${calls}, ${tokens} tokens`,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
