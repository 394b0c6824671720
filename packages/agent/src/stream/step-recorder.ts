import { newEvent } from '../events/new-event.ts';
import { AnswerParts } from './answer-parts.ts';
import { closeAnswer } from './close-answer.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type {
  MessageEnd,
  ModelCall,
  ModelEvent,
  ModelUsage,
  ModelWarning,
  StepEnd,
  StepError,
  StoredPart,
} from '@throughline/ports';
import type { AgentEvents, AgentEventType, TokenUsage } from '@throughline/protocol/types';
import type { AnswerPartsOptions, Said } from './answer-parts.ts';

interface StepRecorderOptions extends AnswerPartsOptions {
  /** Number of the step in its run, from 1. */
  readonly step: number;
  /** What it uses is stored for the account of the session's owner. */
  readonly countsTokens: boolean;
}

/** A step as it was stored. */
export interface RecordedStep {
  /** The answer; absent where nothing was said. */
  readonly message?: SessionMessage;
  readonly calls: readonly ModelCall[];
  readonly end: StepEnd | StepError;
}

type Handlers = {
  readonly [Type in ModelEvent['type']]: (
    recorder: StepRecorder,
    event: Extract<ModelEvent, { type: Type }>,
  ) => void | Promise<void>;
};

const ignored = (): void => {};

/** What is stored and told of each event. A new event does not compile without a row. */
const handlers: Handlers = {
  'response-start': ignored,
  'text-start': ({ parts }, { id }) => parts.open(id, 'text'),
  'text-delta': ({ parts }, { id, text }) => parts.say(id, text),
  'text-end': ({ parts }, { id }) => parts.close(id),
  'reasoning-start': ({ parts }, { id }) => parts.open(id, 'reasoning'),
  'reasoning-delta': ({ parts }, { id, text }) => parts.say(id, text),
  'reasoning-end': ({ parts }, { id, secret }) => parts.close(id, secret),
  // The call itself comes whole.
  'tool-input-start': ignored,
  'tool-input-delta': ignored,
  'tool-input-end': ignored,
  call: (recorder, { call }) => recorder.call(call),
  'provider-result': ({ parts }, event) => parts.providerResult(event),
  file: ({ parts }, event) => parts.file(event),
  // Stays in the provider's own form of the answer.
  source: ignored,
  retry: (recorder, { attempt, nextAtMs, reason }) =>
    recorder.emit('llm:retry', { attempt, nextAt: nextAtMs, reason }),
  warning: (recorder, { warning }) => recorder.emit('context:warning', describeWarning(warning)),
  end: (recorder, event) => recorder.end(event),
  error: (recorder, event) => recorder.fail(event),
};

/**
 * Stores what a model says, in the order in which it says it, and tells it. One for each step. The answer begins with
 * its first word and is finished by `end` or `error`; what was open then ends with what it has.
 */
export class StepRecorder {
  readonly parts: AnswerParts;
  readonly #options: StepRecorderOptions;
  readonly #startedMs: number;
  readonly #calls: ModelCall[] = [];
  #recorded: RecordedStep | undefined;

  constructor(options: StepRecorderOptions) {
    this.#options = options;
    this.#startedMs = options.clock.nowMs();
    this.parts = new AnswerParts(options);
  }

  /** `undefined` until the stream has ended. */
  get recorded(): RecordedStep | undefined {
    return this.#recorded;
  }

  take<Type extends ModelEvent['type']>(event: Extract<ModelEvent, { type: Type }>): void | Promise<void> {
    const handler: Handlers[Type] = handlers[event.type];
    return handler(this, event);
  }

  emit<Type extends AgentEventType>(type: Type, data: AgentEvents[Type]): void {
    const { writer, runId } = this.#options;
    writer.add({ type: 'event', event: newEvent(type, data, { runId }) });
  }

  call(call: ModelCall): void {
    this.#calls.push(call);
    this.parts.call(call);
    this.emit('llm:tool-call', { toolName: call.name, args: call.input, callId: call.callId });
  }

  end(end: StepEnd): void {
    const { parts } = this;
    const { driver, step, clock, writer, countsTokens } = this.#options;
    parts.closeAll();
    const closed = closeAnswer(this.#answer(), end, { driver, secrets: parts.secrets, files: parts.files });
    parts.finishReasoning(closed.parts);
    const { id: _, role: __, parts: ___, ...fields } = closed;
    // A process that takes over must know that the answer goes on.
    const paused = end.finish === 'paused' ? { meta: { ...fields.meta, isPaused: true } } : {};
    this.#finish({ ...end, messages: [] }, { ...fields, ...paused });
    if (countsTokens && end.usage) writer.add({ type: 'usage', tokens: end.usage.totalTokens });
    const { firstAtMs } = parts;
    this.emit('step:end', {
      step,
      finish: end.finish,
      usage: tokenUsageOf(end.usage),
      durationMs: clock.nowMs() - this.#startedMs,
      firstTokenMs: firstAtMs === null ? null : firstAtMs - this.#startedMs,
    });
  }

  fail(error: StepError): void {
    this.parts.closeAll();
    this.parts.finishReasoning();
    this.#finish({ ...error, messages: [] }, cutOff(error));
  }

  #answer(): SessionMessage {
    return { id: this.#options.messageId, role: 'assistant', parts: this.parts.all };
  }

  #finish(end: StepEnd | StepError, fields: MessageEnd): void {
    const { writer, messageId } = this.#options;
    const calls = this.#calls;
    if (this.parts.all.length === 0) {
      this.#recorded = { calls, end };
      return;
    }
    const error = end.type === 'error' ? { error: end.failure.message } : {};
    writer.add({ type: 'finish-message', messageId, fields, ...error });
    this.#tellResponse(end);
    this.#recorded = { message: { ...this.#answer(), ...fields }, calls, end };
  }

  #tellResponse(end: StepEnd | StepError): void {
    const { driver, messageId } = this.#options;
    const { all } = this.parts;
    const reasoning = textOf(all, 'reasoning');
    this.emit('llm:response', {
      messageId,
      content: textOf(all, 'text'),
      ...(reasoning === '' ? {} : { reasoning }),
      provider: driver.provider,
      model: (end.type === 'end' ? end.response.model : undefined) ?? driver.model,
      tokenUsage: tokenUsageOf(end.type === 'end' ? end.usage : undefined),
      ...(end.type === 'error' ? { isPartial: true as const } : {}),
    });
  }
}

function cutOff({ failure }: StepError): MessageEnd {
  return { finishReason: failure.kind, meta: { isCutOff: true } };
}

function textOf(parts: readonly StoredPart[], type: Said): string {
  return parts
    .filter((part): part is Extract<StoredPart, { type: Said }> => part.type === type)
    .map(({ text }) => text)
    .join(type === 'reasoning' ? '\n\n' : '');
}

type Describers = {
  readonly [Type in ModelWarning['type']]: (warning: Extract<ModelWarning, { type: Type }>) => string;
};

const describers: Describers = {
  'prompt-cut': ({ promptTokens, expectedTokens }) =>
    `The server counted ${promptTokens} tokens where about ${Math.round(expectedTokens)} were sent: it cuts prompts without saying so. Check the window it was started with.`,
  'beyond-window': ({ promptTokens, windowTokens }) =>
    `The server took ${promptTokens} tokens; its window was believed to be ${windowTokens}.`,
  'left-out': ({ what, message }) => `${what} was left out of the request: ${message}`,
};

/** What a driver warns of, as it is told. */
function describeWarning<Type extends ModelWarning['type']>(
  warning: Extract<ModelWarning, { type: Type }>,
): AgentEvents['context:warning'] {
  const describe: Describers[Type] = describers[warning.type];
  return { warning: warning.type, message: describe(warning) };
}

function tokenUsageOf(usage: ModelUsage | undefined): TokenUsage | null {
  if (!usage) return null;
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
    total: usage.totalTokens,
  };
}
