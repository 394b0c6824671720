import { believedOverflow } from '../limits/believed-overflow.ts';
import { decoded } from '../forward/decode-answer.ts';
import { dialectStreams } from '../stream/dialect-streams.ts';
import { leastLimitOf, limitLeft } from '../manage/answer-limit.ts';
import { requestText } from '../manage/request-text.ts';
import { recallRoom } from '../recall/recall-room.ts';
import { maxTokensOf } from '../wire/dialect.ts';
import { recallToolName } from '../wire/recall-tool.ts';
import { noRoomText, recallWithin, tokensOf } from '../recall/recall-within.ts';
import { Readable } from 'node:stream';
import { readWhole } from './whole-answer.ts';
import { sendBody, spentBy } from './attempt.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Attempt } from './attempt.ts';
import type { CallResult, SaidCall, SaidParts } from '../stream/shared/said.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Managed } from '../manage/managed.ts';
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
  | { readonly type: 'answer'; readonly attempt: Attempt & { readonly promptTokens: number } }
  /** It has recalled often enough, or has ended for another reason than its calls. */
  | { readonly type: 'over' }
  /** The window, or the limit of the answer, leaves nothing to go on with. */
  | { readonly type: 'no-room' }
  | { readonly type: 'refused'; readonly answer: UpstreamAnswer };

/** An answer of which all is told. */
interface Recaller {
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
  const { managed, request, recalls = 0, behind = [] } = attempt;
  if (typeof managed === 'string' || !request) throw new TypeError('only a managed answer recalls');
  if (recalls >= mostRecalls || endsOtherwise.has(facts.finish)) return { type: 'over' };
  const { calls: rules } = dialectStreams[request.dialect.name];
  const calls = rules.callsIn(parts);
  const exchangeOf = (results: readonly CallResult[]): SaidParts =>
    rules.exchange(parts, results, request.body);
  const spentTokens = spentBy(attempt, facts);
  // Calls of the client can still be made.
  const noRoom: Recalled = { type: calls.every(isOwn) ? 'no-room' : 'over' };
  if (limitLeft(request, spentTokens) < leastLimitOf(request, 1)) return noRoom;
  const unanswered = calls.map((call) => ({ call, text: '', isError: false }));
  const exchange = JSON.stringify(exchangeOf(unanswered));
  const results = calls.length;
  const room = recallRoom({ request, managed, behind, facts, spentTokens, results, exchange });
  if (!room) return noRoom;
  const isLast = recalls + 1 === mostRecalls;
  const round = { attempt, managed, request, room, spentTokens, exchangeOf, isLast };
  const recalled = resultsOf(calls, round);
  tell(attempt, recalled);
  const answer = await ask(round, recalled);
  return answer.type === 'refused' ? await askWithout(round, recalled, answer) : answer;
}

/** One exchange with the model. */
interface Round {
  readonly attempt: Attempt;
  readonly managed: Managed;
  readonly request: ClientRequest;
  readonly room: RecallRoom;
  readonly spentTokens: number;
  readonly exchangeOf: (results: readonly CallResult[]) => SaidParts;
  /** No more is answered. */
  readonly isLast: boolean;
}

type Asked = Extract<Recalled, { type: 'answer' | 'refused' }>;

async function ask(round: Round, results: readonly CallResult[]): Promise<Asked> {
  const { attempt, managed, request, room, spentTokens } = round;
  const promptTokens = room.promptTokens + sum(results.map(({ text }) => tokensOf(text)));
  const limit = limitOf(request, managed, { spentTokens, promptTokens });
  const behind = [...(attempt.behind ?? []), ...round.exchangeOf(results).map(written)];
  const messages = [...managed.messages, ...behind];
  const body = requestText(request, { messages, asksUsage: managed.asksUsage, maxTokens: limit });
  const said = await sendBody(attempt.ask, Buffer.from(body), attempt.parts, 'edited');
  const answer = decoded(said) ?? said;
  if (answer.status !== 200) return { type: 'refused', answer };
  const isLowered = limit !== undefined && limit < limitLeft(request, spentTokens);
  const recalls = (attempt.recalls ?? 0) + 1;
  const next = { ...attempt, answer, behind, spentTokens, promptTokens, recalls };
  return {
    type: 'answer',
    attempt: { ...next, managed: isLowered ? { ...managed, maxTokens: limit } : managed },
  };
}

/** An upstream that has less room than is known is asked once more, without what was recalled. */
async function askWithout(
  round: Round,
  results: readonly CallResult[],
  { answer }: Extract<Recalled, { type: 'refused' }>,
): Promise<Asked> {
  const { parts, asking } = round.attempt;
  const { status, headers } = answer;
  const { bytes, body, text } = await readWhole(answer, parts.options.maxBodyBytes);
  const { readOverflow } = parts.services;
  const said = believedOverflow(
    { status, headers, body: body ?? text },
    { readOverflow, managed: round.managed, request: round.request },
  );
  if (said?.kind !== 'tokens')
    return { type: 'refused', answer: { ...answer, body: Readable.from([bytes]) } };
  const { limitTokens } = said;
  if (limitTokens !== undefined && asking) parts.windows.learn(asking.endpoint, limitTokens);
  const { limits } = round.managed;
  const window =
    limitTokens === undefined ? limits.window : { tokens: limitTokens, source: 'learned' as const };
  const managed = { ...round.managed, limits: { ...limits, window } };
  const without = results.map((result) =>
    isOwn(result.call) ? { ...result, text: textOf(noRoomText, round) } : result,
  );
  return await ask({ ...round, managed }, without);
}

function textOf(text: string, { isLast }: Pick<Round, 'isLast'>): string {
  return isLast ? `${text}\n${lastRecallText}` : text;
}

/** Each call is told something, in the order in which they were made; what is recalled shares the room. */
function resultsOf(calls: readonly SaidCall[], round: Round): readonly CallResult[] {
  const { managed, room, isLast } = round;
  let left = room.textTokens - (isLast ? tokensOf(lastRecallText) : 0);
  let open = calls.filter(isOwn).length;
  return calls.map((call) => {
    if (!isOwn(call)) return { call, text: notRunText, isError: true };
    const share = Math.max(0, Math.floor(left / open));
    const text = share === 0 ? noRoomText : recallWithin(managed.snapshot, call.input, share);
    left -= tokensOf(text);
    open -= 1;
    return { call, text: textOf(text, round), isError: false };
  });
}

function written(message: unknown): RenderedMessage<unknown> {
  return { source: 'written', isEdited: true, message };
}

/** What is left of the answer's own limit, and of the window; `undefined` where the client has set none. */
function limitOf(
  request: ClientRequest,
  { limits, maxTokens = Infinity }: Managed,
  { spentTokens, promptTokens }: { readonly spentTokens: number; readonly promptTokens: number },
): number | undefined {
  if (maxTokensOf(request.dialect, request.body) === undefined) return undefined;
  const room = limits.window.source === 'default' ? Infinity : limits.window.tokens - promptTokens;
  const least = leastLimitOf(request, 1);
  return Math.max(least, Math.min(maxTokens, room, limitLeft(request, spentTokens)));
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
