import { aCodec, anEstimator, checkMessages, checkTranscript } from './check-input.ts';
import { checkOptions, isOptions, optionalList, optionalText, required } from '../errors/check-options.ts';
import type { OptionChecks } from '../errors/check-options.ts';
import {
  appendEntries,
  createConversation,
  nextOrdinal,
  unloadedRangesWithin,
} from '../transcript/conversation.ts';
import { countText, countTools, measureEntry } from '../tokens/measure-entry.ts';
import { defaultMediaPricing } from '../tokens/media-tokens.ts';
import { fingerprintValue } from '../transcript/fingerprint.ts';
import { atMessage, MessageReader } from './read-messages.ts';
import { interrupted } from '../wire/lay-out-items.ts';
import { scriptAwareEstimator } from '../tokens/script-aware-estimator.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Entry } from '../transcript/entry.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { MediaPricing } from '../tokens/media-tokens.ts';
import type { Meter } from '../tokens/measure-entry.ts';

export interface TranscriptOptions<Message> {
  readonly codec: Codec<Message>;
  /** @default the script-aware heuristic */
  readonly estimator?: Estimator;
  /** How the model's provider prices images and files. @default Anthropic's */
  readonly media?: MediaPricing;
  /** System text that travels outside the messages. */
  readonly system?: string;
  /** Tool schemas as they are sent. */
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
    fits: (value) => aCodec.fits(value) && isOptions((value as Codec).rules),
  }),
  estimator: anEstimator,
  media: {
    expected: 'the prices of media',
    fits: (value) => isOptions(value) && 'image' in value && isOptions(value.image),
  },
  system: optionalText,
  tools: optionalList,
};

/**
 * @throws {ContextError} `invalid-option` for options that are none, and for messages that are no list; `bad-wire-format`,
 * with the place, for what is no message of the format.
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

/** The transcript cut back to its first `length` entries: the client rewound its history. */
export function rewind<Message>(transcript: Transcript<Message>, length: number): Transcript<Message> {
  checkTranscript(transcript);
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
