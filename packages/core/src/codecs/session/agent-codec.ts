import { sessionCodec } from './session-codec.ts';
import type { Codec } from '../codec.ts';
import type { Entry, Part } from '../../transcript/entry.ts';

/**
 * How the runtime reads its stored messages into a context. Reasoning that the provider does not want back is kept for
 * people and never sent: it stands as an empty part, so that it costs nothing and the parts behind it keep their places.
 */
export const agentCodec: Codec = {
  ...sessionCodec,
  decode: (message, ordinal) => withoutUnsent(sessionCodec.decode(message, ordinal)),
};

function withoutUnsent(entry: Entry): Entry {
  if (!entry.parts.some(isUnsent)) return entry;
  return { ...entry, parts: entry.parts.map((part) => (isUnsent(part) ? unsent(part) : part)) };
}

/** Reasoning that goes back has a binding: see `sealedReasoning`. */
function isUnsent(part: Part): boolean {
  return part.type === 'reasoning' && part.binding === undefined;
}

function unsent({ at }: Part): Part {
  return { type: 'opaque', at, value: null };
}
