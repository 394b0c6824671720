import { answerCompaction } from '../answer/local-compaction.ts';
import { askingOf } from '../answer/answer-ask.ts';
import { dialects } from '../wire/dialect.ts';
import { pipeline } from 'node:stream/promises';
import { readBody } from '../wire/read-body.ts';
import { readClientRequest } from '../wire/client-request.ts';
import { sendBody } from '../answer/attempt.ts';
import { withExpandedTokens } from '../compaction/compaction-token.ts';
import type { ProxyParts, RouteCall } from '../answer/attempt.ts';

/** Answers `POST /responses/compact`, which few upstreams have: a history in, one item that stands for it out. */
export async function compactHistory(call: RouteCall, parts: ProxyParts): Promise<void> {
  const body = withExpandedTokens(await readBody(call.request, parts.options.maxBodyBytes));
  const dialect = dialects.responses;
  const given = body.text === undefined ? undefined : readClientRequest(dialect, body.text);
  if (given && dialect.unmanaged(given.body) === undefined) {
    const ask = { ...call, dialect };
    const asking = await askingOf(ask, given, parts);
    await answerCompaction({ ask, given, asking, parts, form: 'compaction' });
    return;
  }
  // A history that only the upstream has.
  const use = body.isRewritten === true ? 'edited' : 'untouched';
  const answer = await sendBody(call, body.bytes, parts, use);
  call.response.writeHead(answer.status, answer.headers);
  await pipeline(answer.body, call.response);
}
