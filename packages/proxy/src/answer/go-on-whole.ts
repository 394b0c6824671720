import { answerRecalls, isOwn, ownCalls } from './answer-recall.ts';
import { continueAnswer, settleUse } from './continue-answer.ts';
import { dialectStreams } from '../stream/dialect-streams.ts';
import { mayGoOn } from '../manage/answer-limit.ts';
import { spentBy } from './attempt.ts';
import { factsOf, readWhole } from './whole-answer.ts';
import { isObject } from '@throughline/core/codec';
import { joinBehindCalls, joinWhole } from './join-whole.ts';
import { listOf } from '@throughline/core/internal';
import { ProxyFault } from '../wire/proxy-fault.ts';
import { wallOf } from './cut-prompt.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Attempt } from './attempt.ts';
import type { DialectName } from '../stream/dialect-streams.ts';
import type { UpstreamAnswer } from '../forward/upstream.ts';
import type { WholeAnswer } from './whole-answer.ts';
import type { WireObject } from '@throughline/core/internal';

/** An answer that ends at the wall is continued so often. */
const mostRestarts = 3;

/** What an answer has become that was not handed on as it came. */
type GoneOn =
  | { readonly type: 'rewritten'; readonly body: WireObject }
  /** Another call was needed, and its upstream has refused it. */
  | { readonly type: 'refused'; readonly answer: UpstreamAnswer; readonly bytes: Buffer };

/** All that is known of an answer of which more may come. */
interface SoFar {
  readonly attempt: Attempt;
  /** What the client gets. */
  readonly whole: WireObject;
  /** The last answer, as it came. */
  readonly last: WireObject;
  readonly facts: AnswerFacts;
  readonly restarts: number;
}

type Next = SoFar | GoneOn | undefined;

/**
 * The answer with what other calls have added: the rest of one that has ended at the wall, and what a model says behind
 * what it has recalled. `undefined` where it is as it came.
 *
 * @throws {ProxyFault} `broken-stream` where nothing readable comes behind a call that the client may not see
 */
export async function goOnWhole(attempt: Attempt, body: WireObject): Promise<GoneOn | undefined> {
  let soFar: SoFar = { attempt, whole: body, last: body, facts: factsOf(attempt, body), restarts: 0 };
  for (;;) {
    const next: Next = isRecalling(soFar) ? await recalled(soFar) : await continued(soFar);
    if (!next) break;
    if ('type' in next) return next;
    soFar = next;
  }
  return soFar.whole === body ? undefined : { type: 'rewritten', body: soFar.whole };
}

function isRecalling({ attempt, last, facts }: SoFar): boolean {
  const { calls } = dialectStreams[attempt.ask.dialect.name];
  return !facts.hasManyChoices && ownCalls(attempt, calls.partsOf(last)).length > 0;
}

async function recalled(soFar: SoFar): Promise<Next> {
  const { attempt, last, whole, facts } = soFar;
  const { name } = attempt.ask.dialect;
  const { calls } = dialectStreams[name];
  const next = await answerRecalls(attempt, { parts: calls.partsOf(last), facts });
  if (next.type === 'refused') {
    const { bytes } = await readWhole(next.answer, attempt.parts.options.maxBodyBytes);
    return { type: 'refused', answer: next.answer, bytes };
  }
  if (next.type === 'over') return { type: 'rewritten', body: calls.withoutCalls(whole, isOwn) };
  const without = calls.withoutCalls(whole, () => true);
  if (next.type === 'no-room') return { type: 'rewritten', body: endedForRoom(name, without) };
  const more = await readNext(next.attempt);
  if (!isObject(more.body))
    throw new ProxyFault('broken-stream', 'The upstream went on with its answer in another form.');
  return taken(soFar, more.body, {
    attempt: next.attempt,
    whole: joinBehindCalls(name, without, more.body, {
      outputTokens: next.attempt.spentTokens,
      inputTokens: next.attempt.promptTokens,
    }),
  });
}

async function continued(soFar: SoFar): Promise<Next> {
  const { attempt, whole, facts, restarts } = soFar;
  if (restarts >= mostRestarts || !mayContinue(facts, attempt)) return undefined;
  const spentTokens = spentBy(attempt, facts);
  const next = await continueAnswer(attempt, { text: factsOf(attempt, whole).fullText, spentTokens });
  if (next.type === 'failed') return undefined;
  const { managed, behind, answer, promptTokens } = next;
  const asked = { ...attempt, managed, behind, answer, spentTokens, promptTokens };
  const { body: more } = await readNext(asked);
  if (!isObject(more)) return undefined;
  const counts = { outputTokens: spentTokens, inputTokens: promptTokens };
  const joined = joinWhole(attempt.ask.dialect.name, whole, more, counts);
  return { ...taken(soFar, more, { attempt: asked, whole: joined }), restarts: restarts + 1 };
}

function taken(before: SoFar, last: WireObject, { attempt, whole }: Pick<SoFar, 'attempt' | 'whole'>): SoFar {
  const facts = factsOf(attempt, last);
  if (attempt.answer.use) settleUse(attempt.answer.use, attempt, facts);
  return { ...before, attempt, whole, last, facts };
}

async function readNext({ answer, parts }: Attempt): Promise<WholeAnswer> {
  return await readWhole(answer, parts.options.maxBodyBytes);
}

function mayContinue(facts: AnswerFacts, attempt: Attempt): boolean {
  const { request, ask } = attempt;
  if (!request || !ask.dialect.canContinue(request.body)) return false;
  if (!mayGoOn(request, spentBy(attempt, facts))) return false;
  return wallOf(facts, attempt) && facts.fullText !== '' && !facts.hasCalls && !facts.hasManyChoices;
}

/** As an answer ends that has reached its limit. */
function endedForRoom(dialect: DialectName, body: WireObject): WireObject {
  return lengthEnds[dialect](body);
}

const lengthEnds: Readonly<Record<DialectName, (body: WireObject) => WireObject>> = {
  chat: (body) => {
    const [first, ...others] = listOf(body['choices']);
    return { ...body, choices: [{ ...(isObject(first) && first), finish_reason: 'length' }, ...others] };
  },
  messages: (body) => ({ ...body, stop_reason: 'max_tokens', stop_sequence: null }),
  responses: (body) => ({
    ...body,
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  }),
};
