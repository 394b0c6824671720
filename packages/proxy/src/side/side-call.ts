import { answerModels } from './list-models.ts';
import { compactHistory } from './compact-history.ts';
import { countTokens } from './count-tokens.ts';
import { dialects } from '../wire/dialect.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { ProxyParts, RouteCall } from '../answer/attempt.ts';
import type { ProxyRoute } from '../options/proxy-options.ts';

export type AnswerSideCall = (call: RouteCall, parts: ProxyParts) => Promise<void>;

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
