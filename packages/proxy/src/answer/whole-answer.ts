import { decoded } from '../forward/decode-answer.ts';
import { dialectStreams } from '../stream/dialect-streams.ts';
import { isObject } from '@throughline/core/codec';
import { withInput } from '../stream/messages/messages-usage.ts';
import { parseJson } from '@throughline/core/internal';
import { ProxyFault } from '../wire/proxy-fault.ts';
import { Readable } from 'node:stream';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { Attempt } from './attempt.ts';
import type { DialectName } from '../stream/dialect-streams.ts';
import type { UpstreamAnswer } from '../forward/upstream.ts';
import type { WireObject } from '@throughline/core/internal';

/** An answer that is no stream. */
export interface WholeAnswer {
  /** As they came. */
  readonly bytes: Buffer;
  readonly text: string;
  /** `undefined` where it is no JSON. */
  readonly body: unknown;
}

/** @throws {ProxyFault} `broken-stream` where it breaks off, `answer-too-large` where it is. */
export async function readWhole(answer: UpstreamAnswer, maxBytes: number): Promise<WholeAnswer> {
  const bytes = await collect(answer.body, maxBytes);
  const plain = decoded({ ...answer, body: Readable.from([bytes]) });
  // What nobody can decode, or only into more than is taken, is for whoever asked for it.
  const readable = plain ? await collect(plain.body, maxBytes).catch(() => nothing) : nothing;
  const text = readable.toString();
  return { bytes, text, body: parseJson(text) };
}

const nothing = Buffer.alloc(0);

export function factsOf({ ask, request }: Attempt, body: WireObject): AnswerFacts {
  const { name, canContinue } = ask.dialect;
  const isStructured = request !== undefined && !canContinue(request.body);
  return dialectStreams[name].readAnswer(body, { isStructured });
}

type UsageRule = (usage: WireObject, inputTokens: number) => unknown;

/** The rules of streams, each at the event in which its dialect tells usage. */
const usageRules: Readonly<Record<DialectName, UsageRule>> = {
  chat: (usage, inputTokens) => dialectStreams.chat.withUsage({ usage }, { inputTokens })['usage'],
  messages: (usage, inputTokens) => withInput(usage, { inputTokens }),
  responses: (usage, inputTokens) => {
    const event = dialectStreams.responses.withUsage({ response: { usage } }, { inputTokens });
    return (event['response'] as WireObject)['usage'];
  },
};

/**
 * What an answer has to say of usage where its upstream counted no prompt: a client that believes 0 never makes room, in
 * a stream or not. `undefined` where nothing is missing.
 */
export function missingUsage(
  dialect: DialectName,
  { usage }: WireObject,
  inputTokens: number,
): { readonly usage: unknown } | undefined {
  if (!isObject(usage)) return undefined;
  const filled = usageRules[dialect](usage, inputTokens);
  return filled === usage ? undefined : { usage: filled };
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
