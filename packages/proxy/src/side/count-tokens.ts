import { countText, estimateTokens, openTranscript, scriptAwareEstimator } from '@throughline/core';
import { isObject } from '@throughline/core/codec';
import { parseJson } from '@throughline/core/internal';
import { pipeline } from 'node:stream/promises';
import { ProxyFault } from '../wire/proxy-fault.ts';
import { readBody } from '../wire/read-body.ts';
import { outsideOf, readClientRequest } from '../wire/client-request.ts';
import { readWhole } from '../answer/whole-answer.ts';
import { sendBody } from '../answer/attempt.ts';
import { withExpandedTokens } from '../compaction/compaction-token.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { ProxyParts, RouteCall } from '../answer/attempt.ts';
import type { ReadBody } from '../wire/read-body.ts';

const absent: ReadonlySet<number> = new Set([404, 405, 501]);

/** Answers how many tokens a request has: as the upstream counts them, else as they are estimated here. */
export async function countTokens(call: RouteCall, dialect: Dialect, parts: ProxyParts): Promise<void> {
  const body = withExpandedTokens(await readBody(call.request, parts.options.maxBodyBytes));
  let isAnswered = false;
  const ask = async (): Promise<boolean> => {
    isAnswered = await passOn(call, body, parts);
    return isAnswered;
  };
  const key = `${call.route.upstream} ${dialect.path}`;
  const hasCount = await parts.counting.counts(key, parts.services.clock.nowMs(), ask);
  if (isAnswered || (hasCount && (await ask()))) return;
  const tokens = estimate(dialect, body.text);
  // Both are what their APIs answer with.
  const counted = dialect.name === 'responses' ? { object: 'response.input_tokens' } : {};
  const answer = JSON.stringify({ ...counted, input_tokens: tokens });
  call.response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer),
    'x-context-action': 'estimated',
  });
  call.response.end(answer);
}

/** `false` where the upstream has no such request; else it has answered. */
async function passOn(
  call: RouteCall,
  { bytes, isRewritten }: ReadBody,
  parts: ProxyParts,
): Promise<boolean> {
  const { response } = call;
  const answer = await sendBody(
    { ...call, meter: undefined },
    bytes,
    parts,
    isRewritten === true ? 'edited' : 'untouched',
  );
  if (!absent.has(answer.status)) {
    response.writeHead(answer.status, answer.headers);
    await pipeline(answer.body, response);
    return true;
  }
  const { bytes: said, text } = await readWhole(answer, parts.options.maxBodyBytes);
  // A model that is not there is found by those who count, too.
  if (!/\bmodel\b/i.test(text)) return false;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': said.byteLength });
  response.end(said);
  return true;
}

/** What the client would send, as it is: what is done to it on the way is none of its business. */
function estimate(dialect: Dialect, text: string | undefined): number {
  const request = text === undefined ? undefined : readClientRequest(dialect, text);
  if (request) {
    const { codec } = dialect;
    const transcript = openTranscript({ codec, ...outsideOf(request) }, request.messages);
    return Math.max(1, Math.ceil(estimateTokens(transcript).total));
  }
  const body = text === undefined ? undefined : parseJson(text);
  if (!isObject(body)) throw new ProxyFault('broken-body', 'Expected the body to be a JSON object.');
  // An input that is one text, or a form that is not known.
  const { model: _, ...counted } = body;
  return Math.max(1, Math.ceil(countText(JSON.stringify(counted), scriptAwareEstimator)));
}
