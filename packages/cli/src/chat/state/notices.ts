import { cannotFitText } from '@throughline/core';
import { joined } from '../../outcome/failure.ts';
import { countOf, formatNumber, shortTokens } from '../../terminal/numbers.ts';
import type { AgentEvent, AgentEvents, AgentEventType, RunOutcome } from '@throughline/agent';
import type { FailureKind } from '@throughline/ports';
import type { Tone } from './block.ts';

/** One thing a person should know. */
export interface Notice {
  readonly tone: Tone;
  readonly text: string;
}

type Notices = {
  readonly [Type in AgentEventType]?: (data: AgentEvents[Type]) => Notice | undefined;
};

const notices: Notices = {
  'llm:error': ({ error, context, recoverable }) => ({
    tone: recoverable ? 'warning' : 'bad',
    text: joined(
      // What was interrupted, and what wrote no summary, is a sentence of its own.
      context === 'step' && error.code !== 'interrupted'
        ? `The model failed: ${error.message}`
        : error.message,
      recoverable ? '' : adviceFor(error.code),
    ),
  }),
  'llm:switched': ({ newConfig }) => ({
    tone: 'good',
    text: `Goes on with ${newConfig.provider}:${newConfig.model}.`,
  }),
  'llm:unsupported-input': ({ errors, model }) => ({
    tone: 'warning',
    text: `${model} does not take this: ${errors.join(' ')}`,
  }),
  'context:overflow': ({ currentTokens, limit }) => ({
    tone: 'warning',
    text:
      currentTokens > limit
        ? `The context is full: ${shortTokens(currentTokens)} tokens, ${shortTokens(limit)} are usable.`
        : `The provider finds the request too large; it measures ${shortTokens(currentTokens)} tokens.`,
  }),
  'context:pruned': ({ prunedCount, savedTokens }) => ({
    tone: 'faint',
    text: `cleared ${formatNumber(prunedCount)} old tool outputs: saved ${shortTokens(savedTokens)} tokens`,
  }),
  'context:repaired': ({ repairs }) => ({
    tone: 'warning',
    text: `Mended ${repairs.length === 1 ? 'one place' : `${repairs.length} places`} in the conversation before it was sent: ${repairs.map(({ type }) => type).join(', ')}.`,
  }),
  'context:warning': ({ message }) => ({ tone: 'warning', text: message }),
  'context:compressed': (data) => ({ tone: 'good', text: compressedText(data) }),
  // What cannot fit is told with the end of the run, or of the command.
  'compaction:error': ({ error, canRetry }) =>
    error.code === 'cannot-fit'
      ? undefined
      : {
          tone: 'bad',
          text: joined(`The compaction failed: ${error.message}`, canRetry ? '/compact tries again.' : ''),
        },
  'compaction:cancelled': () => ({
    tone: 'warning',
    text: 'The compaction was cancelled; nothing has changed.',
  }),
  'compaction:undone': ({ tokensAfter }) => ({
    tone: 'good',
    text: `The compaction is taken back: the context has ${shortTokens(tokensAfter)} tokens.`,
  }),
  'compaction:redone': ({ tokensAfter }) => ({
    tone: 'good',
    text: `The compaction is in force again: the context has ${shortTokens(tokensAfter)} tokens.`,
  }),
};

/** What an event says to a person in one sentence; `undefined` for those that say nothing, or more than that. */
export function noticeOf(event: AgentEvent): Notice | undefined {
  return look(event.type, event.data);
}

function look<Type extends AgentEventType>(type: Type, data: AgentEvents[Type]): Notice | undefined {
  return notices[type]?.(data);
}

function compressedText(data: AgentEvents['context:compressed']): string {
  const { originalTokens, compressedTokens, messagesCompacted } = data;
  const saved = originalTokens > 0 ? Math.round(100 * (1 - compressedTokens / originalTokens)) : 0;
  return `compacted ${countOf(messagesCompacted, 'message')}: ${shortTokens(originalTokens)} → ${shortTokens(compressedTokens)}, saved ${saved} %, /undo takes it back`;
}

/** What a person can do about a failure. A new kind does not compile until someone decides. */
const adviceOn = {
  overflow: '/compact makes room; /context shows what fills the window.',
  bytes: 'The request is too large for the server: /compact makes it smaller.',
  media: 'Send the message again without the image or file, or with a smaller one.',
  rate: 'Too many requests, or a quota is used up: wait, then /resume.',
  auth: 'Check the key: OPENAI_API_KEY and the like are for their own address, THROUGHLINE_API_KEY is for any other.',
  timeout: 'The server did not answer in time: /resume tries again.',
  provider: '/resume tries again; /model NAME goes on with another model.',
  cancelled: '/resume goes on.',
} as const satisfies Record<FailureKind, string>;

function adviceFor(code: string): string {
  return Object.hasOwn(adviceOn, code) ? adviceOn[code as FailureKind] : '';
}

type Outcomes = {
  readonly [Type in RunOutcome['type']]: (outcome: Extract<RunOutcome, { type: Type }>) => Notice | undefined;
};

const outcomes: Outcomes = {
  completed: ({ finish }) => finishNotices[finish],
  cancelled: () => ({ tone: 'warning', text: 'Cancelled; what was said so far is kept.' }),
  limit: ({ limit, isConcluded }) => ({
    tone: 'warning',
    text: `The run has reached its limit of ${limit === 'steps' ? 'steps' : 'time'}${isConcluded ? '; the model had a last word' : ''}. /resume or a message goes on.`,
  }),
  failed: ({ failure }) => ({
    tone: 'bad',
    text: joined(`The model failed: ${failure.message}`, adviceFor(failure.kind)),
  }),
  'cannot-fit': (outcome) => ({ tone: 'bad', text: noFitText(outcome) }),
  lost: () => ({ tone: 'bad', text: 'Another process has taken this session over.' }),
  broken: ({ code, message }) => ({ tone: 'bad', text: `The run broke (${code}): ${message}` }),
};

type NoFit = Extract<RunOutcome, { type: 'cannot-fit' }>;

/** What is too large, and what can be done about it. */
function noFitText(noFit: NoFit): string {
  const { parts, canCompact, refusal } = noFit;
  const options = { number: formatNumber, ...(refusal && { refusal: refusal.message }) };
  const advice = canCompact ? '/compact makes room.' : noFitAdvice(parts);
  return joined(cannotFitText(noFit, options), advice);
}

/** What could make the request fit. A new session is no cure for what it begins with, too. */
function noFitAdvice(parts: NoFit['parts']): string {
  const [biggest] = parts;
  if (biggest?.name === 'tools')
    return 'Fewer tools (--tools read,grep) or a model with a larger window (/model) helps.';
  if (biggest?.name.startsWith('system') === true)
    return 'Shorter instructions or a model with a larger window (/model) helps.';
  return 'A model with a larger window (/model) or a new session (/new) helps.';
}

/** A step that is tried again, where nobody sees a count-down. */
export function retryNotice({ attempt, nextAt, reason }: AgentEvents['llm:retry'], nowMs: number): Notice {
  const seconds = Math.max(0, Math.ceil((nextAt - nowMs) / 1_000));
  const what: Readonly<Partial<Record<typeof reason.kind, string>>> = {
    overflow: 'The provider finds the request too large: it is made smaller and sent again.',
    bytes: 'The provider finds the request too large: it is made smaller and sent again.',
    media: 'The model takes no images: it is asked again without.',
  };
  const text = joined(reason.message, `Try ${attempt} in ${seconds} s.`);
  return { tone: 'warning', text: what[reason.kind] ?? text };
}

const finishNotices: Readonly<
  Record<Extract<RunOutcome, { type: 'completed' }>['finish'], Notice | undefined>
> = {
  stop: undefined,
  'tool-calls': undefined,
  paused: undefined,
  other: undefined,
  length: { tone: 'warning', text: 'The answer was cut: its room was used up. Say “go on”.' },
  'window-full': { tone: 'warning', text: 'The answer was cut: the window is full. /compact makes room.' },
  refusal: { tone: 'warning', text: 'The model refused to answer, or its provider filtered it.' },
};

/**
 * How a run ended, where it is worth a word.
 *
 * @param toldFailure what was told before: of the same failure only what can be done about it is told now.
 */
export function outcomeNotice(outcome: RunOutcome, toldFailure: string | null = null): Notice | undefined {
  if (outcome.type !== 'failed' || outcome.failure.message !== toldFailure)
    return lookOutcome(outcome.type, outcome);
  const { kind, recoverable } = outcome.failure;
  return recoverable ? { tone: 'bad', text: adviceFor(kind) } : undefined;
}

function lookOutcome<Type extends RunOutcome['type']>(
  type: Type,
  outcome: Extract<RunOutcome, { type: Type }>,
): Notice | undefined {
  return outcomes[type](outcome);
}

/** Told of a message that was accepted and that nobody here takes. */
export const takenElsewhere =
  'Another process has this session: the message waits for it. Where it has died, /resume goes on in a few seconds.';
