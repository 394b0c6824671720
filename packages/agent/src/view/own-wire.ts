import { exchangeStrings } from '../media/exchange-strings.ts';
import type { Json, SessionMessage } from '@throughline/core';

/** What a driver wants back unchanged for an answer of its own: signatures, encrypted reasoning, ids of items. */
export interface OwnWire {
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
  const wire = (message as Partial<SessionMessage> | null)?.meta?.['wire'];
  if (typeof wire !== 'object' || wire === null || Array.isArray(wire)) return undefined;
  const { codec, by, messages, hasReferences } = wire as { readonly [key: string]: Json };
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
