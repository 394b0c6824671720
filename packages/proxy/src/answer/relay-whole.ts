import { answered, headersOf } from './attempt.ts';
import { continueAnswer, estimatedOutput, settleUse } from './continue-answer.ts';
import { cutOf, wallOf } from './cut-prompt.ts';
import { dialectStreams } from '../stream/dialect-streams.ts';
import { decoded } from '../forward/decode-answer.ts';
import { ProxyFault } from '../wire/proxy-fault.ts';
import { isObject } from '@throughline/core/codec';
import { joinWhole } from './join-whole.ts';
import { parsed } from '../wire/json-value.ts';
import { pipeline } from 'node:stream/promises';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Attempt, Outcome, SaidTooLarge } from './attempt.ts';
import type { OverflowSaid } from '../options/proxy-options.ts';
import type { JsonObject } from '../wire/json-value.ts';
import { Readable } from 'node:stream';
import type { StreamFault } from '../stream/shared/continuation.ts';
import type { UpstreamAnswer } from '../forward/upstream.ts';

const mostRestarts = 3;

/** Hands on an answer that is no stream, byte for byte; one that says that the request was too large is told instead. */
export async function relayWhole(attempt: Attempt): Promise<Outcome> {
  const { ask, answer, managed, canRetry, parts } = attempt;
  if (typeof managed === 'string' && !attempt.client.isCommitted) {
    ask.response.writeHead(answer.status, headersOf(attempt));
    await pipeline(answer.body, ask.response);
    return answered;
  }
  const { bytes, body, text } = await readWhole(answer, parts.options.maxBodyBytes);
  if (typeof managed === 'string') return end(attempt, bytes);
  if (answer.status >= 400) {
    const { status, headers } = answer;
    const said = parts.services.readOverflow({ status, headers, body: body ?? text });
    if (!canRetry || said?.kind !== 'tokens') return end(attempt, bytes);
    return { ...tooLarge(attempt, bytes, said.limitTokens), ...countedIn(said) };
  }
  if (!isObject(body)) return end(attempt, bytes);
  const facts = factsOf(attempt, body);
  if (answer.use) settleUse(answer.use, attempt, facts);
  const cut = cutOf(facts, managed);
  if (canRetry && cut?.isWorthless === true) return tooLarge(attempt, bytes, cut.window?.windowTokens);
  learn(attempt, facts, cut?.window?.windowTokens);
  const continued = mayContinue(facts, attempt) ? await finished(attempt, body, facts) : undefined;
  await attempt.beforeEnd();
  return continued ? end(attempt, Buffer.from(JSON.stringify(continued)), 'rewritten') : end(attempt, bytes);
}

interface WholeAnswer {
  /** As they came. */
  readonly bytes: Buffer;
  readonly text: string;
  /** `undefined` where it is no JSON. */
  readonly body: unknown;
}

/** @throws {ProxyFault} `broken-stream` where it breaks off, `answer-too-large` where it is. */
async function readWhole(answer: UpstreamAnswer, maxBytes: number): Promise<WholeAnswer> {
  const bytes = await collect(answer.body, maxBytes);
  const plain = decoded({ ...answer, body: Readable.from([bytes]) });
  // What nobody can decode, or only into more than is taken, is for whoever asked for it.
  const readable = plain ? await collect(plain.body, maxBytes).catch(() => nothing) : nothing;
  const text = readable.toString();
  return { bytes, text, body: parsed(text) };
}

const nothing = Buffer.alloc(0);

function factsOf({ ask, request }: Attempt, body: JsonObject): AnswerFacts {
  const { name, canContinue } = ask.dialect;
  const isStructured = request !== undefined && !canContinue(request.body);
  return dialectStreams[name].readAnswer(body, { isStructured });
}

function learn({ asking, parts, managed }: Attempt, facts: AnswerFacts, windowTokens?: number): void {
  if (typeof managed === 'string') return;
  if (windowTokens !== undefined && asking) parts.windows.learn(asking.endpoint, windowTokens);
  else if (facts.usage && facts.usage.inputTokens > 0) parts.manager.count(managed, facts.usage);
}

function mayContinue(facts: AnswerFacts, attempt: Attempt): boolean {
  const { request, ask } = attempt;
  if (!request || !ask.dialect.canContinue(request.body)) return false;
  return wallOf(facts, attempt) && facts.fullText !== '' && !facts.hasCalls && !facts.hasManyChoices;
}

/** An answer that has ended at the wall, with the rest that other calls have added. */
async function finished(first: Attempt, body: JsonObject, facts: AnswerFacts): Promise<JsonObject> {
  let whole = body;
  let last = facts;
  let attempt = first;
  let spentTokens = 0;
  for (let restarts = 0; restarts < mostRestarts && mayContinue(last, attempt); restarts += 1) {
    spentTokens += last.usage?.outputTokens || estimatedOutput(last);
    const { fullText } = factsOf(attempt, whole);
    const next = await continueAnswer(attempt, { text: fullText, spentTokens });
    if (next.type === 'failed') break;
    const more = parsed((await collect(next.answer.body, attempt.parts.options.maxBodyBytes)).toString());
    if (!isObject(more)) break;
    attempt = { ...attempt, managed: next.managed };
    last = factsOf(attempt, more);
    if (next.answer.use) settleUse(next.answer.use, attempt, last);
    whole = joinWhole(attempt.ask.dialect.name, whole, more, {
      outputTokens: spentTokens,
      inputTokens: next.managed.step.report.tokens.final,
    });
  }
  return whole;
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

function end(attempt: Attempt, bytes: Buffer, form: 'as it came' | 'rewritten' = 'as it came'): Outcome {
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
  const body = parsed(bytes.toString());
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const { message, type, code } = error;
  const words = typeof message === 'string' ? message : bytes.toString().slice(0, mostWords);
  return {
    message: status === 200 ? 'The upstream answered without a stream.' : `${words} (status ${status})`,
    ...(typeof type === 'string' && { type }),
    ...(typeof code === 'string' && { code }),
  };
}

async function collect(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw tooLong(maxBytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, bytes);
  } catch (cause) {
    if (cause instanceof ProxyFault) throw cause;
    const { message } = cause as Error;
    throw new ProxyFault('broken-stream', `The upstream broke off its answer: ${message}.`, { cause });
  }
}

function tooLong(maxBytes: number): ProxyFault {
  return new ProxyFault(
    'answer-too-large',
    `The answer of the upstream is larger than the ${maxBytes} bytes that are taken of one that is no stream.`,
  );
}
