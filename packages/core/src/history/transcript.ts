import { Mending } from '../codecs/mending.ts';
import { isObject } from '../json/json.ts';
import {
  checkOption,
  checkOptions,
  optionalList,
  optionalText,
  required,
  wholeFrom,
} from '../errors/check-options.ts';
import { ContextError } from '../errors/context-error.ts';
import { aCodec } from '../errors/check-options.ts';
import { checkMessages, checkTranscript } from './check-input.ts';
import { countText, countTools, measureEntry } from '../tokens/measure-entry.ts';
import { defaultMediaPricing } from '../tokens/media-tokens.ts';
import { anEstimator, scriptAwareEstimator } from '../tokens/estimator.ts';
import {
  appendEntries,
  createConversation,
  nextOrdinal,
  unloadedRangesWithin,
} from '../transcript/conversation.ts';
import { fingerprintRange, fingerprintValue } from '../transcript/fingerprint.ts';
import { isRequest } from '../transcript/own-words.ts';
import { isUnloaded } from '../transcript/entry.ts';
import { interrupted } from '../wire/lay-out-items.ts';
import type { Codec } from '../codecs/codec.ts';
import type { WaitingCall } from '../codecs/mending.ts';
import type { OptionChecks } from '../errors/check-options.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { Meter } from '../tokens/measure-entry.ts';
import type { MediaPricing } from '../tokens/media-tokens.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { CallPart, Entry, Mend, Role } from '../transcript/entry.ts';

/** How a history is read and measured, and what travels outside its messages. */
export interface TranscriptOptions<Message> {
  /** Reads and writes the format of the messages. */
  readonly codec: Codec<Message>;
  /** @default the script-aware heuristic */
  readonly estimator?: Estimator;
  /** How the model's provider prices images and files. @default Anthropic's */
  readonly media?: MediaPricing;
  /** System text that travels outside the messages. @default '' */
  readonly system?: string;
  /** Tool schemas as they are sent. @default none */
  readonly tools?: readonly unknown[];
}

/**
 * A session's history in one wire format, decoded and measured: all of it, or what a view shows of it (see
 * `openLoadedTranscript`). Immutable; appending costs only what is new.
 */
export interface Transcript<Message = unknown> {
  readonly codec: Codec<Message>;
  readonly estimator: Estimator;
  readonly media: MediaPricing;
  readonly conversation: Conversation;
  readonly systemTokens: number;
  readonly toolsTokens: number;
  /** As they were handed in. */
  readonly tools: readonly unknown[];
  /** Fingerprint of system text and tools. */
  readonly outsideKey: string;
}

const transcriptOptions: OptionChecks<TranscriptOptions<unknown>> = {
  codec: required({
    ...aCodec,
    fits: (value) => aCodec.fits(value) && isObject((value as Codec).rules),
  }),
  estimator: anEstimator,
  media: {
    expected: 'the prices of media',
    fits: (value) => isObject(value) && 'image' in value && isObject(value.image),
  },
  system: optionalText,
  tools: optionalList,
};

/**
 * A history of these messages, decoded and measured; without messages an empty one. What a format would refuse in a
 * message is mended, and reported with the repairs of `renderView`.
 *
 * @throws {ContextError} `invalid-option` that names the option, for a misspelt one too, and for messages that are no
 * list; `bad-wire-format`, with the place, for what is no message of the format.
 */
export function openTranscript<Message>(
  options: TranscriptOptions<Message>,
  // Told apart from messages that are `undefined` by mistake.
  ...given: readonly [messages?: readonly Message[]]
): Transcript<Message> {
  checkOptions('', options, transcriptOptions);
  const messages = given.length === 0 ? [] : (given[0] as readonly Message[]);
  checkMessages(messages);
  const {
    codec,
    estimator = scriptAwareEstimator,
    media = defaultMediaPricing,
    system = '',
    tools = [],
  } = options;
  const meter = { estimator, media };
  const conversation = createConversation({
    measure: (entry) => measureEntry(entry, meter),
    responseShape: codec.rules.entriesPerResponse,
    interruptedTokens: interruptedTokens(codec, meter),
  });
  const empty: Transcript<Message> = {
    codec,
    estimator,
    media,
    conversation,
    ...outsideOf({ system, tools }, estimator),
  };
  return appendMessages(empty, messages);
}

/** System text and tools that travel outside the messages. */
export interface Outside {
  /** @default '' */
  readonly system?: string;
  /** @default none */
  readonly tools?: readonly unknown[];
}

type OutsideFields = Pick<Transcript, 'systemTokens' | 'toolsTokens' | 'tools' | 'outsideKey'>;

/** What they cost and their fingerprint: one is never made without the other. */
function outsideOf({ system = '', tools = [] }: Outside, estimator: Estimator): OutsideFields {
  return {
    systemTokens: countText(system, estimator),
    toolsTokens: countTools(tools, estimator),
    tools,
    outsideKey: fingerprintValue([system, tools]),
  };
}

/** The same messages behind another system text and other tools, where they are known only with each request. */
export function withOutside<Message>(transcript: Transcript<Message>, outside: Outside): Transcript<Message> {
  checkTranscript(transcript);
  checkOptions<Outside>('', outside, { system: optionalText, tools: optionalList });
  return { ...transcript, ...outsideOf(outside, transcript.estimator) };
}

/** What the error result costs that a call without a result gets before it is sent. */
function interruptedTokens<Message>(codec: Codec<Message>, meter: Meter): number {
  const { messages } = codec.compose(interrupted([{ callId: 'call_0', name: 'tool' }]));
  return messages.reduce((sum, message) => sum + measureEntry(codec.decode(message, 0), meter).tokens, 0);
}

// What is decoded is measured while the processor has it at hand.
const messagesAtOnce = 64;

/**
 * The transcript with messages added at its end. What a format would refuse in a message is mended, and reported with the
 * repairs of `renderView`.
 *
 * @throws {ContextError} `bad-wire-format`, with the place, for what is no message of the format.
 */
export function appendMessages<Message>(
  transcript: Transcript<Message>,
  messages: readonly Message[],
): Transcript<Message> {
  return appendFrom(transcript, messages, 0);
}

/** The messages from an index on, added at the end. Errors name places in the whole list. */
export function appendFrom<Message>(
  transcript: Transcript<Message>,
  messages: readonly Message[],
  start: number,
): Transcript<Message> {
  checkTranscript(transcript);
  checkMessages(messages);
  let { conversation } = transcript;
  const reader = new MessageReader(transcript.codec, conversation);
  for (let from = start; from < messages.length; from += messagesAtOnce) {
    const first = nextOrdinal(conversation);
    const entries: Entry[] = [];
    // By index: a list with holes in it has no messages there.
    for (let index = from; index < Math.min(messages.length, from + messagesAtOnce); index += 1) {
      const ordinal = first + index - from;
      const read = (): Entry => reader.read(messages[index] as Message, ordinal, index);
      entries.push(atMessage(transcript.codec.name, index, read));
    }
    conversation = appendEntries(conversation, entries);
  }
  return conversation === transcript.conversation ? transcript : { ...transcript, conversation };
}

/**
 * The transcript cut back to its first `length` entries: the client rewound its history.
 *
 * @throws {ContextError} `invalid-option` for a length that is no whole number ≥ 0.
 */
export function rewind<Message>(transcript: Transcript<Message>, length: number): Transcript<Message> {
  checkTranscript(transcript);
  checkOption('length', wholeFrom(0), length);
  const { conversation } = transcript;
  if (length >= conversation.entries.length) return transcript;
  const { entries, sizes, taskAt } = conversation;
  const empty = createConversation(conversation);
  const kept = appendEntries(empty, entries.slice(0, length), sizes.slice(0, length));
  return {
    ...transcript,
    conversation: {
      ...kept,
      taskAt: taskAt < length ? taskAt : -1,
      unloadedRanges: unloadedRangesWithin(conversation, length),
    },
  };
}

/**
 * Reads messages behind a history, one after the other: each is brought into a form that its format takes, and decoded.
 * The only way into a transcript.
 */
export class MessageReader<Message> {
  readonly #codec: Codec<Message>;
  /** Calls of the newest response that have no result yet. */
  #waiting: readonly WaitingCall[] = [];
  #lastRole: Entry['role'] | undefined;

  constructor(codec: Codec<Message>, { entries }: Conversation) {
    this.#codec = codec;
    // What waits is what would wait if the newest response and all behind it had just been read.
    for (const entry of newestResponse(entries)) this.#follow(entry);
  }

  /** @throws {ContextError} `bad-wire-format` where a message is none. */
  read(given: Message, ordinal: number, index: number): Entry {
    const entry = this.#readOne(given, ordinal, index);
    this.#follow(entry);
    return entry;
  }

  #readOne(given: Message, ordinal: number, index: number): Entry {
    const codec = this.#codec;
    if (!codec.mend) return codec.decode(given, ordinal);
    const mends: Mend[] = [];
    const place = `messages[${index}]`;
    const mending = new Mending({ format: codec.name, place, waiting: [...this.#waiting], mends });
    const message = codec.mend(given, mending);
    const entry = codec.decode(message as Message, ordinal);
    return message === given ? entry : { ...entry, mended: { given, mends } };
  }

  #follow(entry: Entry): void {
    const calls: WaitingCall[] = [];
    for (const part of entry.parts) {
      if (part.type !== 'call' || part.isProviderExecuted === true) continue;
      calls.push({ callId: part.callId, name: part.name, hasMadeUpId: hasMadeUpId(entry, part) });
    }
    if (entry.role === 'assistant') {
      const goesOn = this.#codec.rules.entriesPerResponse === 'many' && this.#lastRole === 'assistant';
      this.#waiting = goesOn ? [...this.#waiting, ...calls] : calls;
    }
    for (const part of entry.parts) {
      if (part.type !== 'result' || this.#waiting.length === 0) continue;
      const index = this.#waiting.findIndex(({ callId }) => callId === part.callId);
      if (index >= 0) this.#waiting = this.#waiting.toSpliced(index, 1);
    }
    this.#lastRole = entry.role;
  }
}

/** The newest response of the assistant with all that came behind it, as far as it is loaded. */
function newestResponse(entries: Conversation['entries']): readonly Entry[] {
  const newestFirst: Entry[] = [];
  let hasResponse = false;
  for (let position = entries.length - 1; position >= 0; position -= 1) {
    const entry = entries.at(position);
    if (!entry || isUnloaded(entry) || (hasResponse && entry.role !== 'assistant')) break;
    hasResponse ||= entry.role === 'assistant';
    newestFirst.push(entry);
  }
  return newestFirst.toReversed();
}

/**
 * What is done with one message. What the message itself throws when it is read, as a getter or a proxy that was revoked
 * may, is told with its place.
 *
 * @throws {ContextError} `bad-wire-format`
 */
export function atMessage<Value>(format: string, index: number, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (ContextError.is(cause)) throw cause;
    const path = `messages[${index}]`;
    const expected = 'a message that can be read';
    const why = cause instanceof Error ? cause.message : 'it throws';
    const message = `Expected ${path} to be ${expected}, got one that throws: ${why}`;
    throw new ContextError('bad-wire-format', message, { format, path, expected }, { cause });
  }
}

function hasMadeUpId({ mended }: Entry, { at }: CallPart): boolean {
  return (
    mended?.mends.some(
      (mend) =>
        mend.isCallId === true &&
        mend.at.length === at.length + 1 &&
        at.every((step, index) => step === mend.at[index]),
    ) === true
  );
}

/**
 * Fingerprint of what stands in front of every request and never changes because of a compaction: the tools, the
 * system text, and the system messages before the first request.
 */
export function fixedKey({ conversation, outsideKey }: Transcript): string {
  return `${outsideKey}.${fingerprintRange(leadingSystem(conversation.entries))}`;
}

function* leadingSystem(entries: Iterable<Entry>): Generator<Entry> {
  for (const entry of entries) {
    if (entry.role !== 'system') return;
    yield entry;
  }
}

/** Numbers of messages in a history. Only `total` counts what was not loaded. */
export interface MessageCounts {
  /** Wire messages of the full history; in item formats each item is one. */
  readonly total: number;
  /** Counts only messages that were loaded. */
  readonly byRole: Readonly<Record<Role, number>>;
  /** Messages in which a user says something, not only the transport of results. */
  readonly requests: number;
}

/** How many messages the history holds. A walk over it. */
export function countMessages(transcript: Transcript): MessageCounts {
  checkTranscript(transcript);
  const { conversation } = transcript;
  const byRole: Record<Role, number> = { system: 0, user: 0, assistant: 0, tool: 0 };
  let requests = 0;
  for (const entry of conversation.entries) {
    if (isUnloaded(entry)) continue;
    byRole[entry.role] += 1;
    if (isRequest(entry)) requests += 1;
  }
  return { total: nextOrdinal(conversation), byRole, requests };
}
