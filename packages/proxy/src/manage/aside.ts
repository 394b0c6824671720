import { ContextError } from '@throughline/core';
import { fit } from '@throughline/adapters/following';
import { leastAnswerTokens } from './answer-limit.ts';
import { mostReserveTokens, partText } from '@throughline/core/internal';
import type { Codec, Strategy } from '@throughline/core';
import type { Entry } from '@throughline/core/codec';
import type { FittedStep, Snapshot } from '@throughline/adapters/following';
import type { RenderedMessage } from '@throughline/core/types';
import { outsideOf } from '../wire/client-request.ts';
import type { ClientRequest } from '../wire/client-request.ts';

type FitOptions = Parameters<typeof fit>[2];

/** A request whose context is made to fit without becoming part of its conversation. */
interface Aside {
  /** The conversation as it is; it stays so. */
  readonly before: Snapshot;
  readonly request: ClientRequest;
  readonly options: FitOptions;
  readonly signal: AbortSignal;
  readonly tooLarge: { readonly windowTokens?: number } | undefined;
}

/**
 * The request behind the changes that its conversation has. Only where that does not fit it is made smaller, by code:
 * no summary is written for a client that writes one itself.
 */
export async function fitAside({ before, request, options, signal, tooLarge }: Aside): Promise<FittedStep> {
  const { messages } = request;
  const { background: _, ...snapshot } = before;
  const { requestMaxTokens: __, ...budget } = options.policy.budget;
  const policy = {
    ...options.policy,
    budget: { ...budget, outputReserveTokens: Math.min(leastAnswerTokens, mostReserveTokens(budget)) },
    summariser: { type: 'code' as const },
    background: false,
  };
  const given = { ...outsideOf(request), signal };
  if (!tooLarge) {
    try {
      return await fit(snapshot, messages, { policy: { ...policy, auto: false } }, given);
    } catch (error) {
      if (!ContextError.is(error, 'cannot-fit')) throw error;
    }
  }
  const limitTokens = tooLarge?.windowTokens;
  return await fit(
    snapshot,
    messages,
    { policy },
    {
      ...given,
      ...(tooLarge && { reason: 'provider-error' as const }),
      ...(limitTokens !== undefined && { limitTokens }),
    },
  );
}

/** Everything but the last messages goes into the summary: the client keeps nothing but what it is given. */
const wholeHistory: Strategy = {
  name: 'whole-history',
  trigger: 'threshold',
  triggerAt: (usableTokens) => usableTokens,
  ladderSteps: [
    {
      type: 'compact',
      writer: 'model',
      keepsFirstTurn: false,
      keep: { type: 'last-messages', messages: 2 },
    },
  ],
};

/** The history compacted by force, whatever its size. */
export async function fitWholeHistory({
  before,
  request,
  options,
  signal,
}: Omit<Aside, 'tooLarge'>): Promise<FittedStep> {
  const { messages } = request;
  const { background: _, ...snapshot } = before;
  const policy = { ...options.policy, strategy: wholeHistory, background: false };
  return await fit(
    snapshot,
    messages,
    { ...options, policy },
    {
      ...outsideOf(request),
      reason: 'manual',
      signal,
    },
  );
}

/** What stays of one message behind the summary; the middle of a longer one is left out. */
const mostCharacters = 8_000;

/** A view as one text: the summary, and what stands behind it. Instructions are not in it: the client has them. */
export function historyText(codec: Codec, rendered: readonly RenderedMessage<unknown>[]): string {
  return rendered
    .flatMap(({ source, message }, at) => {
      const entry = codec.decode(message, at);
      if (entry.role === 'system') return [];
      const text = textOf(entry);
      if (text === '') return [];
      return [source === 'written' ? text : `${speakers[entry.role]}: ${shortened(text)}`];
    })
    .join('\n\n');
}

const speakers = { user: 'User', assistant: 'Assistant', tool: 'Tool result' } as const;

function textOf({ parts }: Entry): string {
  return parts
    .filter(({ type }) => type !== 'reasoning' && type !== 'opaque')
    .map((part) => partText(part))
    .filter((text) => text !== '')
    .join('\n');
}

function shortened(text: string): string {
  if (text.length <= mostCharacters) return text;
  const half = mostCharacters / 2;
  return `${text.slice(0, half)}\n[… ${text.length - mostCharacters} characters …]\n${text.slice(-half)}`;
}
