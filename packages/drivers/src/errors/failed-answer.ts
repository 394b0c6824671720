import type { Answer } from '@throughline/core';
import type { FailureKind, ModelFailure } from '@throughline/ports';

const causes: Readonly<Record<FailureKind, Extract<Answer, { type: 'failed' }>['cause']>> = {
  overflow: 'overflow',
  bytes: 'overflow',
  media: 'overflow',
  timeout: 'timeout',
  cancelled: 'cancelled',
  rate: 'unavailable',
  auth: 'unavailable',
  provider: 'unavailable',
};

/** What a failure is to the engine, which asked for a piece of prose. */
export function failedAnswer({ kind, status, message, limitTokens, promptTokens }: ModelFailure): Answer {
  const cause = causes[kind];
  const said = status === undefined ? message : `${status} ${message}`;
  return {
    type: 'failed',
    cause,
    message: cause === 'cancelled' ? 'cancelled' : said,
    ...(cause === 'overflow' && limitTokens !== undefined && { limitTokens }),
    ...(cause === 'overflow' && promptTokens !== undefined && { promptTokens }),
  };
}
