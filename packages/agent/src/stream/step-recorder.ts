import { blobUrl } from '../media/blob-reference.ts';
import { sanitiseText } from '../tools/sanitise-text.ts';
import { newEvent } from '../agent/new-event.ts';
import { sealAnswer } from './seal-answer.ts';
import { tokenUsageOf } from './token-usage-of.ts';
import type { AgentEvents, AgentEventType } from '../agent/agent-event.ts';
import type { BatchWriter } from './batch-writer.ts';
import type { Json, SessionMessage } from '@throughline/core';
import type {
  Clock,
  ModelCall,
  ModelDriver,
  ModelEvent,
  MessageEnd,
  RunWrite,
  ModelWarning,
  StepEnd,
  StepError,
  StoredPart,
} from '@throughline/ports';

export interface StepRecorderOptions {
  readonly writer: BatchWriter;
  readonly clock: Clock;
  readonly driver: ModelDriver;
  readonly runId: string;
  /** Number of the step in its run, from 1. */
  readonly step: number;
  /** Of the answer, where there is one. */
  readonly messageId: string;
  /** Stores bytes; resolves to their hash. */
  readonly keepBlob: (bytes: Uint8Array) => Promise<string>;
}

/** A step as it was stored. */
export interface RecordedStep {
  /** The answer; absent where nothing was said. */
  readonly message?: SessionMessage;
  readonly calls: readonly ModelCall[];
  readonly end: StepEnd | StepError;
}

type Said = 'text' | 'reasoning';
type TextPart = Extract<StoredPart, { type: Said }>;

interface OpenPart {
  readonly index: number;
  readonly chunkType: Said;
  readonly texts: string[];
  secret?: Json;
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
  'text-start': (recorder, { id }) => recorder.open(id, 'text'),
  'text-delta': (recorder, { id, text }) => recorder.say(id, text),
  'text-end': (recorder, { id }) => recorder.close(id),
  'reasoning-start': (recorder, { id }) => recorder.open(id, 'reasoning'),
  'reasoning-delta': (recorder, { id, text }) => recorder.say(id, text),
  'reasoning-end': (recorder, { id, secret }) => recorder.close(id, secret),
  // The call itself comes whole.
  'tool-input-start': ignored,
  'tool-input-delta': ignored,
  'tool-input-end': ignored,
  call: (recorder, { call }) => recorder.call(call),
  'provider-result': (recorder, event) => recorder.providerResult(event),
  file: (recorder, event) => recorder.file(event),
  // Stays in the provider's own form of the answer.
  source: ignored,
  retry: (recorder, { attempt, nextAtMs, reason }) =>
    recorder.tell('llm:retry', { attempt, nextAt: nextAtMs, reason }),
  warning: (recorder, { warning }) => recorder.tell('context:warning', describeWarning(warning)),
  end: (recorder, event) => recorder.end(event),
  error: (recorder, event) => recorder.fail(event),
};

/**
 * Stores what a model says, in the order in which it says it, and tells it. One for each step. The answer begins with
 * its first word and is finished by `end` or `error`; what was open then ends with what it has.
 */
export class StepRecorder {
  readonly #options: StepRecorderOptions;
  readonly #startedMs: number;
  readonly #parts: StoredPart[] = [];
  readonly #open = new Map<string, OpenPart>();
  /** Whether the provider wants reasoning back is known at the end only. */
  readonly #thoughts: OpenPart[] = [];
  readonly #calls: ModelCall[] = [];
  readonly #files = new Map<string, string>();
  #firstTokenMs: number | null = null;
  #saidCharacters = 0;
  #recorded: RecordedStep | undefined;

  constructor(options: StepRecorderOptions) {
    this.#options = options;
    this.#startedMs = options.clock.nowMs();
  }

  /** `undefined` until the stream has ended. */
  get recorded(): RecordedStep | undefined {
    return this.#recorded;
  }

  /** Text and reasoning so far. */
  get saidCharacters(): number {
    return this.#saidCharacters;
  }

  take<Type extends ModelEvent['type']>(event: Extract<ModelEvent, { type: Type }>): void | Promise<void> {
    const handler: Handlers[Type] = handlers[event.type];
    return handler(this, event);
  }

  tell<Type extends AgentEventType>(type: Type, data: AgentEvents[Type]): void {
    const { writer, runId } = this.#options;
    writer.add({ type: 'event', event: newEvent(type, data, { runId }) });
  }

  open(id: string, chunkType: Said): void {
    // A part begins with its first word: providers open some in which they say nothing.
    this.#open.set(id, { index: -1, chunkType, texts: [] });
  }

  say(id: string, delta: string): void {
    const text = sanitiseText(delta);
    const known = this.#open.get(id);
    if (!known || text === '') return;
    const part = known.index >= 0 ? known : this.#beginPart(id, known);
    part.texts.push(text);
    this.#saidCharacters += text.length;
    this.#tellPiece(part, text);
  }

  close(id: string, secret?: Json): void {
    const known = this.#open.get(id);
    this.#open.delete(id);
    if (!known) return;
    const isSilent = known.index < 0;
    // Reasoning of which nothing may be read still has to go back.
    if (isSilent && secret === undefined) return;
    const part = isSilent ? this.#beginPart(undefined, known) : known;
    this.#tellWhole(part);
    if (part.chunkType === 'text') return this.#finishPart(part);
    this.#thoughts.push(secret === undefined ? part : { ...part, secret });
  }

  call(call: ModelCall): void {
    const { callId, name, input, isProviderExecuted } = call;
    this.#calls.push(call);
    this.#addPart({
      type: 'call',
      callId,
      name,
      input,
      ...(isProviderExecuted ? { isProviderExecuted } : {}),
    });
    this.tell('llm:tool-call', { toolName: name, args: input, callId });
  }

  providerResult({ callId, name, output, isError }: Extract<ModelEvent, { type: 'provider-result' }>): void {
    const text = sanitiseText(typeof output === 'string' ? output : JSON.stringify(output));
    this.#addPart({
      type: 'result',
      callId,
      name,
      content: [{ type: 'text', text }],
      isProviderExecuted: true,
      ...(isError ? { isError } : {}),
    });
  }

  async file({ mediaType, base64 }: Extract<ModelEvent, { type: 'file' }>): Promise<void> {
    const url = blobUrl(await this.#options.keepBlob(Buffer.from(base64, 'base64')));
    this.#files.set(base64, url);
    this.#addPart({ type: 'media', mediaType, source: { type: 'url', url } });
  }

  end(end: StepEnd): void {
    this.#closeAll();
    const { driver, step, clock } = this.#options;
    const sealed = sealAnswer(this.#answer(), end, { driver, secrets: this.#secrets(), files: this.#files });
    for (const part of this.#thoughts) this.#finishPart(part, sealed.parts[part.index]);
    const { parts: _, ...fields } = sealed;
    this.#finish({ ...end, messages: [] }, fields, sealed);
    this.tell('step:end', {
      step,
      finish: end.finish,
      usage: tokenUsageOf(end.usage),
      durationMs: clock.nowMs() - this.#startedMs,
      firstTokenMs: this.#firstTokenMs,
    });
  }

  fail(error: StepError): void {
    this.#closeAll();
    for (const part of this.#thoughts) this.#finishPart(part);
    this.#finish({ ...error, messages: [] }, cutOff(error), this.#answer());
  }

  #answer(): SessionMessage {
    return { id: this.#options.messageId, role: 'assistant', parts: this.#parts };
  }

  #secrets(): ReadonlyMap<number, Json> {
    return new Map(
      this.#thoughts.flatMap(({ index, secret }) => (secret === undefined ? [] : [[index, secret] as const])),
    );
  }

  #begin(): void {
    if (this.#parts.length > 0) return;
    const { writer, messageId, driver, clock } = this.#options;
    this.#firstTokenMs = clock.nowMs() - this.#startedMs;
    const message = { id: messageId, role: 'assistant' as const, parts: [] };
    writer.add({ type: 'message', message, isOpen: true, model: driver.name });
  }

  #beginPart(id: string | undefined, known: OpenPart): OpenPart {
    const part = { ...known, index: this.#addPart({ type: known.chunkType, text: '' }, true) };
    if (id !== undefined) this.#open.set(id, part);
    return part;
  }

  #addPart(part: StoredPart, isOpen = false): number {
    this.#begin();
    const { writer, messageId } = this.#options;
    writer.add({ type: 'part', messageId, part, ...(isOpen ? { isOpen } : {}) });
    return this.#parts.push(part) - 1;
  }

  #tellPiece({ index: part, chunkType }: OpenPart, piece: string): void {
    const { writer, messageId, runId } = this.#options;
    const key = chunkKey(messageId, part);
    const writesOf = (text: string): readonly RunWrite[] => {
      const chunk = { chunkType, content: text, messageId, part };
      const event = newEvent('llm:chunk', chunk, { runId, chunkOf: key });
      return [
        { type: 'text', messageId, part, text },
        { type: 'event', event },
      ];
    };
    writer.addPiece({ key, text: piece, writesOf });
  }

  /** The whole of a part takes the place of its pieces. */
  #tellWhole({ index: part, chunkType, texts }: OpenPart): void {
    const { writer, messageId, runId } = this.#options;
    const whole = { chunkType, content: texts.join(''), messageId, part, isComplete: true as const };
    const event = newEvent('llm:chunk', whole, { runId, ends: chunkKey(messageId, part) });
    writer.add({ type: 'event', event });
  }

  #finishPart({ index, chunkType, texts }: OpenPart, sealed?: StoredPart): void {
    const { writer, messageId } = this.#options;
    const content: StoredPart = sealed ?? { type: chunkType, text: texts.join('') };
    this.#parts[index] = content;
    writer.add({ type: 'finish-part', messageId, part: index, content });
  }

  #closeAll(): void {
    for (const id of this.#open.keys()) this.close(id);
    for (const { index, texts, chunkType } of this.#thoughts) {
      this.#parts[index] = { type: chunkType, text: texts.join('') };
    }
  }

  #finish(end: StepEnd | StepError, fields: MessageEnd, message: SessionMessage): void {
    const { writer, messageId } = this.#options;
    if (this.#parts.length === 0) {
      this.#recorded = { calls: this.#calls, end };
      return;
    }
    const error = end.type === 'error' ? { error: end.failure.message } : {};
    writer.add({ type: 'finish-message', messageId, fields, ...error });
    this.#tellResponse(end);
    this.#recorded = { message: { ...message, ...fields }, calls: this.#calls, end };
  }

  #tellResponse(end: StepEnd | StepError): void {
    const { driver, messageId } = this.#options;
    const reasoning = textOf(this.#parts, 'reasoning');
    this.tell('llm:response', {
      messageId,
      content: textOf(this.#parts, 'text'),
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

/** Names the chunks of one part in the journal. */
function chunkKey(messageId: string, part: number): string {
  return `${messageId}.${part}`;
}

function textOf(parts: readonly StoredPart[], type: Said): string {
  return parts
    .filter((part): part is TextPart => part.type === type)
    .map(({ text }) => text)
    .join(type === 'reasoning' ? '\n\n' : '');
}

function describeWarning(warning: ModelWarning): AgentEvents['context:warning'] {
  return { warning: warning.type, message: describers[warning.type](warning as never) };
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
