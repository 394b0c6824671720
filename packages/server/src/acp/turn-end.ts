import { RequestError } from '@agentclientprotocol/sdk';
import { ContextError } from '@throughline/core';
import { errorMessage } from '@throughline/core/internal';
import type { StopReason } from '@agentclientprotocol/sdk';
import type { AcpNotice } from './notices.ts';
import type { RunOutcome } from '@throughline/agent';

/** How a turn ends for the editor. */
type TurnEnd =
  | { readonly type: 'stopped'; readonly stopReason: StopReason; readonly notice?: AcpNotice }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };

type Ends = {
  readonly [Type in RunOutcome['type']]: (outcome: Extract<RunOutcome, { readonly type: Type }>) => TurnEnd;
};

const finishes: Readonly<Record<Extract<RunOutcome, { type: 'completed' }>['finish'], TurnEnd>> = {
  stop: { type: 'stopped', stopReason: 'end_turn' },
  'tool-calls': { type: 'stopped', stopReason: 'end_turn' },
  paused: { type: 'stopped', stopReason: 'end_turn' },
  other: { type: 'stopped', stopReason: 'end_turn' },
  length: { type: 'stopped', stopReason: 'max_tokens' },
  'window-full': { type: 'stopped', stopReason: 'max_tokens' },
  // `refusal` would make the editor take the turn out of the conversation, in which it stays.
  refusal: {
    type: 'stopped',
    stopReason: 'end_turn',
    notice: { severity: 'warning', title: 'The model refused to answer, or its provider filtered it' },
  },
};

const ends: Ends = {
  completed: ({ finish }) => finishes[finish],
  cancelled: () => ({ type: 'stopped', stopReason: 'cancelled' }),
  limit: ({ limit }) => ({
    type: 'stopped',
    stopReason: 'max_turn_requests',
    notice: { severity: 'info', title: `The turn has reached its limit of ${limit}: a message goes on` },
  }),
  failed: ({ failure }) => ({
    type: 'failed',
    code: failure.kind,
    message: `The model failed: ${failure.message}`,
  }),
  'cannot-fit': ({ usableTokens, requestTokens, canCompact, refusal }) => ({
    type: 'failed',
    code: 'cannot-fit',
    message:
      `The request measures ${requestTokens} tokens and ${usableTokens} are usable. ` +
      (canCompact
        ? 'Automatic compaction is off: /compact makes room.'
        : 'A model with a larger window or a new session helps.') +
      (refusal ? ` The provider says: ${refusal.message}` : ''),
  }),
  lost: () => ({
    type: 'failed',
    code: 'lease-lost',
    message: 'Another process has taken this session over.',
  }),
  broken: ({ code, message }) => ({ type: 'failed', code, message }),
};

export function endOf(outcome: RunOutcome): TurnEnd {
  return lookUp(outcome.type, outcome);
}

function lookUp<Type extends RunOutcome['type']>(type: Type, outcome: RunOutcome): TurnEnd {
  // The outcome is of the type that its row is looked up by.
  return ends[type](outcome as Extract<RunOutcome, { readonly type: Type }>);
}

const invalidParams = -32_602;
const notFound = -32_002;
const internalError = -32_603;

/** Something the editor asked for cannot be: what was wrong, in a sentence. */
export function refused(message: string): RequestError {
  return new RequestError(invalidParams, message);
}

/** What failed, with a code to branch on. */
export function failed(code: string, message: string): RequestError {
  return new RequestError(internalError, message, { code });
}

/** Anything that was thrown, as an error the editor shows: a sentence instead of “internal error”. */
export function errorOf(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const message = errorMessage(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'fault';
  if (ContextError.is(error, 'not-found')) return new RequestError(notFound, message, { code });
  if (ContextError.is(error, 'invalid-option')) return new RequestError(invalidParams, message, { code });
  return failed(code, message);
}
