import { answerCompaction } from '../answer/local-compaction.ts';
import { answerModels } from './list-models.ts';
import { askingOf } from '../answer/answer-ask.ts';
import { countTokens } from './count-tokens.ts';
import { dialects } from '../wire/dialect.ts';
import { pipeline } from 'node:stream/promises';
import { readBody } from '../wire/read-body.ts';
import { readClientRequest } from '../wire/client-request.ts';
import { sendBody } from '../answer/attempt.ts';
import { withExpandedTokens } from '../compaction/compaction-token.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { ProxyParts, RouteCall } from '../answer/attempt.ts';
import type { ProxyRoute } from '../options/proxy-options.ts';

type AnswerSideCall = (call: RouteCall, parts: ProxyParts) => Promise<void>;

interface SideRow {
  readonly method: 'GET' | 'POST';
  /** Behind the version. */
  readonly path: RegExp;
  readonly answer: AnswerSideCall;
  /** The upstream answers it itself. */
  readonly isUpstreams?: (route: ProxyRoute) => boolean;
}

const counting = (path: RegExp, dialect: Dialect): SideRow => ({
  method: 'POST',
  path,
  answer: (call, parts) => countTokens(call, dialect, parts),
});

const rows: readonly SideRow[] = [
  counting(/^\/messages\/count_tokens$/, dialects.messages),
  counting(/^\/responses\/input_tokens$/, dialects.responses),
  counting(/^\/chat\/completions\/input_tokens$/, dialects.chat),
  {
    method: 'POST',
    path: /^\/responses\/compact$/,
    answer: compactHistory,
    isUpstreams: ({ compaction }) => compaction === 'upstream',
  },
  { method: 'GET', path: /^\/models(?:\/.+)?$/, answer: answerModels },
];

/** Who answers a request that is no question to a model; `undefined` where it goes through as it is. */
export function sideCallAt(
  method: string | undefined,
  path: string,
  route: ProxyRoute,
): AnswerSideCall | undefined {
  const row = rows.find((one) => one.method === method && one.path.test(path));
  return row?.isUpstreams?.(route) === true ? undefined : row?.answer;
}

/** Answers `POST /responses/compact`, which few upstreams have: a history in, one item that stands for it out. */
async function compactHistory(call: RouteCall, parts: ProxyParts): Promise<void> {
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
