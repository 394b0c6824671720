import { applyRepair, convertMessages, repair } from '@throughline/core';
import { agentCodec } from '@throughline/core/internal';
import { exchangeStrings, fieldsOf } from '../json/json-value.ts';
import type { Entry } from '@throughline/core';
import type { Json, SessionMessage } from '@throughline/core/codec';
import type { RenderedMessage, Repair } from '@throughline/core/types';
import type { ModelDriver } from '@throughline/ports';

/** Messages as a driver takes them. */
export interface EncodedMessages {
  readonly messages: readonly RenderedMessage<unknown>[];
  /** What had to be mended so that the provider accepts them. */
  readonly repairs: readonly Repair[];
}

interface WireEncoderOptions {
  readonly driver: Pick<ModelDriver, 'codec' | 'name'>;
  /**
   * Messages of one group as this model can take them: what it cannot take is said in words, what its format takes only
   * from a user stands behind. @default as they are
   */
  readonly adapt?: (messages: readonly unknown[]) => readonly unknown[];
}

/** Messages that are converted together: one answer, or everything that stands between two. */
interface Group {
  readonly source: RenderedMessage<unknown>['source'];
  readonly members: RenderedMessage<unknown>[];
}

interface Encoded {
  readonly members: readonly unknown[];
  readonly entries: readonly Entry[];
}

/**
 * Turns messages of the runtime into those of a driver. What an answer's own provider wants back unchanged goes back
 * as it came, unless something in it was pruned. Valid for the driver's format; the same messages give the same
 * bytes; a group that was converted before is not converted again.
 */
export function createWireEncoder({
  driver,
  adapt = (messages) => messages,
}: WireEncoderOptions): (rendered: readonly RenderedMessage<unknown>[]) => EncodedMessages {
  const known = new WeakMap<object, Encoded>();
  const encodeGroup = ({ members }: Group): readonly Entry[] => {
    const messages = members.map(({ message }) => message);
    const first = messages[0] as object;
    const before = known.get(first);
    if (before && isSameList(before.members, messages)) return before.entries;
    const entries = wireOf(members, driver, adapt).map((message) => driver.codec.decode(message, 0));
    known.set(first, { members: messages, entries });
    return entries;
  };
  return (rendered) => {
    const entries: Entry[] = [];
    const sources: Group['source'][] = [];
    for (const group of groupsOf(rendered)) {
      for (const entry of encodeGroup(group)) {
        entries.push(entry);
        sources.push(group.source);
      }
    }
    const { items, repairs } = repair(entries, driver.codec, { ending: 'send' });
    const messages = applyRepair(entries, items, driver.codec).map(
      ({ message, index, isEdited }): RenderedMessage<unknown> => ({
        source: (index === undefined ? undefined : sources[index]) ?? 'written',
        isEdited,
        message,
      }),
    );
    return { messages, repairs };
  };
}

function wireOf(
  members: readonly RenderedMessage<unknown>[],
  driver: WireEncoderOptions['driver'],
  adapt: NonNullable<WireEncoderOptions['adapt']>,
): readonly unknown[] {
  const [first] = members;
  const own = first && !first.isEdited ? ownWireOf(first.message) : undefined;
  if (own && own.by === driver.name && own.codec === driver.codec.name) return own.messages;
  const entries = adapt(members.map(({ message }) => message)).map((message) =>
    agentCodec.decode(message, 0),
  );
  return convertMessages(entries, agentCodec, driver.codec).messages;
}

function groupsOf(rendered: readonly RenderedMessage<unknown>[]): readonly Group[] {
  const groups: Group[] = [];
  for (const member of rendered) {
    const last = groups.at(-1);
    const isJoined =
      last !== undefined &&
      last.source === member.source &&
      !isAnswer(member) &&
      !last.members.some(isAnswer);
    if (isJoined) last.members.push(member);
    else groups.push({ source: member.source, members: [member] });
  }
  return groups;
}

function isAnswer({ message }: RenderedMessage<unknown>): boolean {
  return (message as { readonly role?: unknown } | null)?.role === 'assistant';
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

/** What a driver wants back unchanged for an answer of its own: signatures, encrypted reasoning, ids of items. */
interface OwnWire {
  readonly codec: string;
  /** Name of the driver: what one model has signed means nothing to another. */
  readonly by: string;
  readonly messages: readonly Json[];
}

/** As it is stored: `hasReferences` where parts of the answer stand for their texts. */
interface StoredWire extends OwnWire {
  readonly hasReferences?: true;
}

/**
 * The wire form that came with an answer, where it says more than the answer itself. `undefined` also for what was only
 * read from the store: see `withWholeWire`.
 */
export function ownWireOf(message: unknown): OwnWire | undefined {
  const wire = storedWireOf(message);
  return wire?.hasReferences === true ? undefined : wire;
}

function storedWireOf(message: unknown): StoredWire | undefined {
  const { codec, by, messages, hasReferences } = fieldsOf(
    (message as Partial<SessionMessage> | null)?.meta?.['wire'],
  );
  if (typeof codec !== 'string' || typeof by !== 'string' || !Array.isArray(messages)) return undefined;
  return { codec, by, messages, ...(hasReferences === true ? { hasReferences } : {}) };
}

/** Stands for the text of a part. */
function referenceTo(part: number): string {
  return `@part:${part}`;
}

/** Shorter texts are no shorter as references. */
const shortestText = 40;

/** The wire form as it is stored with an answer of these parts: what they say is not stored twice. */
export function storableWire(
  wire: OwnWire,
  parts: SessionMessage['parts'],
): { readonly [key: string]: Json } {
  const { codec, by, messages } = wire;
  const said = new Map<string, string>();
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'text' && part.type !== 'reasoning') continue;
    if (part.text.length >= shortestText) said.set(part.text, referenceTo(index));
  }
  // Where a model says such a word itself, nobody could tell them apart.
  if (said.size === 0 || JSON.stringify(messages).includes('"@part:')) return { codec, by, messages };
  const short = messages.map((message) => exchangeStrings(message, said));
  return { codec, by, messages: short, hasReferences: true };
}

/**
 * The loaded answer with the whole of its wire form: texts of its parts, and its media, in the place of references.
 * Where one of the media is gone the wire form goes: what is left of the answer is said in our own words.
 */
export function withWholeWire(stored: SessionMessage, loaded: SessionMessage): SessionMessage {
  const wire = storedWireOf(stored);
  if (!wire || (loaded === stored && wire.hasReferences !== true)) return loaded;
  const { codec, by } = wire;
  const strings = new Map<string, string>();
  for (const [index, part] of stored.parts.entries()) {
    if (wire.hasReferences && 'text' in part) strings.set(referenceTo(index), part.text);
    if (part.type !== 'media' || part.source.type !== 'url') continue;
    const now = loaded.parts[index];
    const { wire: _, ...meta } = loaded.meta ?? {};
    if (now?.type !== 'media') return { ...loaded, meta };
    if (now.source.type === 'base64') strings.set(part.source.url, now.source.data);
  }
  const messages = wire.messages.map((message) => exchangeStrings(message, strings));
  return { ...loaded, meta: { ...loaded.meta, wire: { codec, by, messages } } };
}
