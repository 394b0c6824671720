import { exchangeStrings } from '../media/exchange-strings.ts';
import type { Json, SessionMessage } from '@throughline/core';

/** What a driver wants back unchanged for an answer of its own: signatures, encrypted reasoning, ids of items. */
export interface OwnWire {
  readonly codec: string;
  /** Name of the driver: what one model has signed means nothing to another. */
  readonly by: string;
  readonly messages: readonly Json[];
}

/** The wire form that was stored with an answer, where it says more than the answer itself. */
export function ownWireOf(message: unknown): OwnWire | undefined {
  const wire = (message as Partial<SessionMessage> | null)?.meta?.['wire'];
  if (typeof wire !== 'object' || wire === null || Array.isArray(wire)) return undefined;
  const { codec, by, messages } = wire as { readonly [key: string]: Json };
  if (typeof codec !== 'string' || typeof by !== 'string' || !Array.isArray(messages)) return undefined;
  return { codec, by, messages };
}

/**
 * The loaded answer with its media in the wire form too, where they are stored as references. Where one is gone the
 * wire form goes: what is left of the answer is said in our own words.
 */
export function withWireMedia(stored: SessionMessage, loaded: SessionMessage): SessionMessage {
  const wire = ownWireOf(stored);
  if (!wire || loaded === stored) return loaded;
  const data = new Map<string, string>();
  for (const [index, part] of stored.parts.entries()) {
    if (part.type !== 'media' || part.source.type !== 'url') continue;
    const now = loaded.parts[index];
    const { wire: _, ...meta } = loaded.meta ?? {};
    if (now?.type !== 'media') return { ...loaded, meta };
    if (now.source.type === 'base64') data.set(part.source.url, now.source.data);
  }
  const messages = wire.messages.map((message) => exchangeStrings(message, data));
  return { ...loaded, meta: { ...loaded.meta, wire: { ...wire, messages } } };
}
