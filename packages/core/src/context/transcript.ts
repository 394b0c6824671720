import { appendEntries, createConversation, nextOrdinal } from '../transcript/conversation.ts';
import { countText, countTools, measureEntry } from '../tokens/measure-entry.ts';
import { defaultMediaPricing } from '../tokens/media-tokens.ts';
import { fingerprintValue } from '../transcript/fingerprint.ts';
import { interrupted } from '../wire/notes.ts';
import { sealedWithin } from '../transcript/sealed-within.ts';
import { scriptAwareEstimator } from '../tokens/script-aware-estimator.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Conversation } from '../transcript/conversation.ts';
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
  /** Fingerprint of system text and tools. */
  readonly outsideKey: string;
}

export function openTranscript<Message>(
  options: TranscriptOptions<Message>,
  messages: readonly Message[] = [],
): Transcript<Message> {
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
    systemTokens: countText(system, estimator),
    toolsTokens: countTools(tools, estimator),
    outsideKey: fingerprintValue([system, tools]),
  };
  return appendMessages(empty, messages);
}

/** What the error result costs that a call without a result gets before it is sent. */
function interruptedTokens<Message>(codec: Codec<Message>, meter: Meter): number {
  const { messages } = codec.compose(interrupted([{ callId: 'call_0', name: 'tool' }]));
  return messages.reduce((sum, message) => sum + measureEntry(codec.decode(message, 0), meter).tokens, 0);
}

// What is decoded is measured while the processor has it at hand.
const messagesAtOnce = 64;

/** The transcript with messages added at its end. */
export function appendMessages<Message>(
  transcript: Transcript<Message>,
  messages: readonly Message[],
): Transcript<Message> {
  let { conversation } = transcript;
  for (let from = 0; from < messages.length; from += messagesAtOnce) {
    const first = nextOrdinal(conversation);
    const run = messages.slice(from, from + messagesAtOnce);
    const entries = run.map((message, index) => transcript.codec.decode(message, first + index));
    conversation = appendEntries(conversation, entries);
  }
  return conversation === transcript.conversation ? transcript : { ...transcript, conversation };
}

/** The transcript cut back to its first `length` entries: the client rewound its history. */
export function rewind<Message>(transcript: Transcript<Message>, length: number): Transcript<Message> {
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
      sealed: sealedWithin(conversation, length),
    },
  };
}
