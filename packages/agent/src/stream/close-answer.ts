import { convertMessages } from '@throughline/core';
import { isObject } from '@throughline/core/codec';
import { agentCodec } from '@throughline/core/internal';
import { exchangeStrings } from '../json/json-value.ts';
import { storableWire } from '../view/wire-encoder.ts';
import type { Json, SessionMessage } from '@throughline/core/codec';
import type { ModelDriver, StepEnd } from '@throughline/ports';

interface CloseOptions {
  readonly driver: ModelDriver;
  /** By part: what the provider wants back with its reasoning. */
  readonly secrets: ReadonlyMap<number, Json>;
  /** By their data: where the files are kept that the model made. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * An answer with everything its provider wants back: usage, the marks on reasoning that is sent again, and the wire
 * form itself where the answer in our own words would lose something of it.
 */
export function closeAnswer(answer: SessionMessage, end: StepEnd, options: CloseOptions): SessionMessage {
  const { driver, files } = options;
  // Messages of a driver are JSON by its contract.
  const wire = (end.messages as readonly Json[]).map((message) => exchangeStrings(message, files));
  const isReasoningSent = wire.some((message) =>
    driver.codec.decode(message, 0).parts.some(({ type }) => type === 'reasoning'),
  );
  const parts = answer.parts.map((part, index) =>
    part.type === 'reasoning' && isReasoningSent ? withSecret(part, options.secrets.get(index)) : part,
  );
  const said: SessionMessage = {
    ...answer,
    parts,
    finishReason: end.finishReason,
    ...(end.usage ? { usage: usageOf(end.usage) } : {}),
  };
  const converted = convertMessages([agentCodec.decode(said, 0)], agentCodec, driver.codec).messages;
  // A driver that reports nothing has nothing to add to what it said.
  if (wire.length === 0 || isSaidBy(wire, converted)) return said;
  const own = { codec: driver.codec.name, by: driver.name, messages: wire };
  return { ...said, meta: { wire: storableWire(own, parts) } };
}

/** Whether the wire form says nothing that the other does not. */
function isSaidBy(wire: readonly unknown[], converted: readonly unknown[]): boolean {
  return JSON.stringify(wire.map(plainMessage)) === JSON.stringify(converted.map(plainMessage));
}

type Reasoning = Extract<SessionMessage['parts'][number], { type: 'reasoning' }>;

function withSecret(part: Reasoning, secret: Json | undefined): Reasoning {
  if (secret === undefined) return { ...part, binding: 'content' };
  const signature = typeof secret === 'string' ? secret : JSON.stringify(secret);
  return { ...part, signature, binding: 'content' };
}

function usageOf(usage: NonNullable<StepEnd['usage']>): NonNullable<SessionMessage['usage']> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

/** What servers write on items of an answer and nobody has to send back where no reasoning belongs to them. */
const ownMarks: ReadonlySet<string> = new Set(['id', 'status']);
/** Kinds of a part that is nothing but text. */
const textTypes: ReadonlySet<Json | undefined> = new Set(['text', 'output_text']);

/**
 * A message of a driver in the one form that all its spellings share: without the server's own marks on it, and with a
 * list of one text as that text. Two messages that are the same in this form say the same.
 */
export function plainMessage(message: unknown): unknown {
  const json = message as Json | undefined;
  if (!isObject(json)) return message;
  const fields = Object.entries(json)
    .filter(([name]) => !ownMarks.has(name))
    .map(([name, value]) => [name, name === 'content' ? plainContent(value) : value] as const);
  return Object.fromEntries(fields.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function plainContent(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content;
  const parts: readonly Json[] = content.map(withoutNothing);
  const [only] = parts;
  if (parts.length !== 1 || !isObject(only) || !textTypes.has(only['type'])) return parts;
  const isBare = Object.keys(only).length === 2 && typeof only['text'] === 'string';
  return isBare ? only['text'] : parts;
}

/** Without `annotations: []` and the like. */
function withoutNothing(part: Json): Json {
  if (!isObject(part)) return part;
  return Object.fromEntries(Object.entries(part).filter(([, value]) => !isNothing(value)));
}

function isNothing(value: Json | undefined): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}
