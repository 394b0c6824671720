import { answered, estimatedPrompt, failed, headersOf } from './attempt.ts';
import { believedOverflow } from '../limits/believed-overflow.ts';
import { cutOf } from './cut-prompt.ts';
import { factsOf, missingUsage, readWhole } from './whole-answer.ts';
import { goOnWhole } from './go-on-whole.ts';
import { isObject } from '@throughline/core/codec';
import { parseJson } from '@throughline/core/internal';
import { pipeline } from 'node:stream/promises';
import { settleUse } from './continue-answer.ts';
import { withMembers } from '../wire/edit-members.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Answered, Attempt, Outcome, SaidTooLarge } from './attempt.ts';
import type { OverflowSaid } from '../options/proxy-options.ts';
import type { Managed } from '../manage/managed.ts';
import type { StreamFault } from '../stream/shared/continuation.ts';
import type { UpstreamAnswer } from '../forward/upstream.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** Hands on an answer that is no stream, byte for byte; one that says that the request was too large is told instead. */
export async function relayWhole(attempt: Attempt): Promise<Outcome> {
  const { ask, answer, managed, canRetry, parts } = attempt;
  if (typeof managed === 'string' && !attempt.client.isCommitted) {
    ask.response.writeHead(answer.status, headersOf(attempt));
    await pipeline(answer.body, ask.response);
    return answered;
  }
  const whole = await readWhole(answer, parts.options.maxBodyBytes);
  const { bytes, body, text } = whole;
  if (typeof managed === 'string') return end(attempt, bytes);
  if (answer.status >= 400) return refusal(attempt, managed, whole);
  if (!isObject(body)) return end(attempt, bytes);
  const facts = factsOf(attempt, body);
  // Gateways tell errors under a status of 200, too.
  if (facts.error !== undefined && !facts.hasContent) return refusal(attempt, managed, whole);
  if (answer.use) settleUse(answer.use, attempt, facts);
  const cut = cutOf(facts, managed);
  if (canRetry && cut?.isWorthless === true) return tooLarge(attempt, bytes, cut.window?.windowTokens);
  learn(attempt, facts, cut?.window?.windowTokens);
  const goneOn = await goOnWhole(attempt, body);
  await attempt.beforeEnd();
  if (goneOn?.type === 'refused') return end({ ...attempt, answer: goneOn.answer }, goneOn.bytes);
  const usage = missingUsage(ask.dialect.name, goneOn?.body ?? body, estimatedPrompt(managed, attempt));
  if (!goneOn && !usage) return end(attempt, bytes);
  const told = goneOn ? JSON.stringify(goneOn.body) : text;
  return end(attempt, Buffer.from(usage ? withMembers(told, usage) : told), 'rewritten');
}

const badRequest = 400;

/** An answer that is none: the request is too large, as the upstream says, or was refused for another reason. */
function refusal(attempt: Attempt, managed: Managed, { bytes, body, text }: WholeAnswer): Outcome {
  const { answer, canRetry, request, parts } = attempt;
  const { status, headers } = answer;
  const { readOverflow } = parts.services;
  const said = believedOverflow({ status, headers, body: body ?? text }, { readOverflow, managed, request });
  if (!canRetry || said?.kind !== 'tokens') {
    end(attempt, bytes);
    return status === badRequest ? { type: 'answered', failure: 'bad-request' } : failed;
  }
  const { isSilent } = said;
  return { ...tooLarge(attempt, bytes, said.limitTokens), ...countedIn(said), ...(isSilent && { isSilent }) };
}

function learn({ asking, parts, managed }: Attempt, facts: AnswerFacts, windowTokens?: number): void {
  if (typeof managed === 'string') return;
  if (windowTokens !== undefined && asking) parts.windows.learn(asking.endpoint, windowTokens);
  else if (facts.usage && facts.usage.inputTokens > 0) parts.manager.count(managed, facts.usage);
}

/** A server that names the room asked for the answer refuses the sum of both. */
function countedIn({ promptTokens, limitTokens, outputTokens }: OverflowSaid): Pick<SaidTooLarge, 'counted'> {
  if (promptTokens === undefined || limitTokens === undefined || outputTokens === undefined) return {};
  const isAtLeast = promptTokens + outputTokens === limitTokens + 1;
  return { counted: { promptTokens, windowTokens: limitTokens, isAtLeast } };
}

function tooLarge(attempt: Attempt, bytes: Buffer, windowTokens?: number): SaidTooLarge {
  return {
    type: 'too-large',
    ...(windowTokens !== undefined && { windowTokens }),
    handOn: () => Promise.resolve(void end(attempt, bytes)),
  };
}

function end(attempt: Attempt, bytes: Buffer, form: 'as it came' | 'rewritten' = 'as it came'): Answered {
  const { ask, client, answer } = attempt;
  if (client.isCommitted) {
    client.fail(faultIn(answer, bytes));
    return answered;
  }
  const headers = { ...headersOf(attempt), 'content-length': bytes.byteLength };
  if (form === 'rewritten') delete (headers as { 'content-encoding'?: string })['content-encoding'];
  ask.response.writeHead(answer.status, headers);
  ask.response.end(bytes);
  return answered;
}

const mostWords = 2_000;

/** What an answer that is no stream says to a client that was told that one comes. */
function faultIn({ status }: UpstreamAnswer, bytes: Buffer): StreamFault {
  const body = parseJson(bytes.toString());
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const { message, type, code } = error;
  const isAnswer = status === 200 && message === undefined;
  const words = typeof message === 'string' ? message : bytes.toString().slice(0, mostWords);
  return {
    message: isAnswer ? 'The upstream answered without a stream.' : `${words} (status ${status})`,
    ...(typeof type === 'string' && { type }),
    ...(typeof code === 'string' && { code }),
  };
}
