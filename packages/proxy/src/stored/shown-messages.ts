import { fingerprintPart, isRangeChange, parseJson } from '@throughline/core/internal';
import type { Change } from '@throughline/core/types';
import type { Codec } from '@throughline/core';
import type { Entry, Json, Part } from '@throughline/core/codec';
import type { ProxyMessage, StoredPass } from '@throughline/ports';

/** A message in one form for all dialects. A part of it has the place that its recall id names. */
export interface ShownMessage {
  /** Its place in the history, from 0. */
  readonly ordinal: number;
  readonly id: string;
  readonly role: Entry['role'];
  readonly parts: readonly ShownPart[];
  /** One per part. */
  readonly marks: readonly ShownMark[];
  /** Whatever was stored is whole. */
  readonly isOpen: false;
  readonly createdAtMs: number;
}

type ShownPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'call';
      readonly callId: string;
      readonly name: string;
      readonly input: Json;
      readonly isProviderExecuted?: boolean;
    }
  | {
      readonly type: 'result';
      readonly callId: string;
      readonly name: string;
      readonly content: readonly ShownContent[];
      readonly isError?: boolean;
      readonly isProviderExecuted?: boolean;
    }
  | ShownMedia
  | { readonly type: 'opaque'; readonly value: Json };

type ShownContent = { readonly type: 'text'; readonly text: string } | ShownMedia;

interface ShownMedia {
  readonly type: 'media';
  readonly mediaType: string;
  readonly source:
    | { readonly type: 'base64'; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
  readonly filename?: string;
}

interface ShownMark {
  readonly isTruncated?: boolean;
  /** When the model saw something else in its place for the first time. */
  readonly compactedAtMs?: number;
}

/**
 * What each part of a message is known for, by its place and what it says: from the passes of a history, oldest first.
 * What a request had behind its last answer may be another message here.
 */
export function marksOf(passes: readonly StoredPass[]): ReadonlyMap<string, ShownMark> {
  const marks = new Map<string, ShownMark>();
  for (const { state, createdAtMs } of passes) {
    for (const change of state.changes) {
      if (isRangeChange(change)) continue;
      const { ordinal, part, fingerprint } = change.anchor;
      const key = keyOf(ordinal, part, fingerprint);
      const known = marks.get(key);
      if (isCut(change)) marks.set(key, { ...known, isTruncated: true });
      else if (known?.compactedAtMs === undefined) marks.set(key, { ...known, compactedAtMs: createdAtMs });
    }
  }
  return marks;
}

function keyOf(ordinal: number, part: number, fingerprint: string | undefined): string {
  return `${ordinal}.${part} ${fingerprint}`;
}

function isCut({ type }: Change): boolean {
  return type === 'result-truncated' || type === 'text-truncated';
}

/** Messages as they are shown; calls among them give their results a name. */
export function shownMessages(
  codec: Codec,
  messages: readonly ProxyMessage[],
  marks: ReadonlyMap<string, ShownMark>,
): readonly ShownMessage[] {
  const names = new Map<string, string>();
  return messages.map(({ message, length, addedAtMs }) => {
    const ordinal = length - 1;
    const entry = codec.decode(parseJson(message), ordinal);
    for (const part of entry.parts) if (part.type === 'call') names.set(part.callId, part.name);
    return {
      ordinal,
      id: entry.id,
      role: entry.role,
      parts: entry.parts.map((part) => shownPart(codec, { ...entry, parts: [part] }, { part, names })),
      marks: entry.parts.map(
        (_, index) => marks.get(keyOf(ordinal, index, fingerprintPart(entry, index))) ?? {},
      ),
      isOpen: false,
      createdAtMs: addedAtMs,
    };
  });
}

interface PartOf {
  readonly part: Part;
  /** Of tools, by the ids of their calls. */
  readonly names: ReadonlyMap<string, string>;
}

function shownPart(codec: Codec, alone: Entry, { part, names }: PartOf): ShownPart {
  const [neutral] = codec.neutral(alone);
  if (!neutral)
    return part.type === 'reasoning'
      ? { type: 'reasoning', text: part.text }
      : { type: 'opaque', value: (part.type === 'opaque' ? part.value : null) as Json };
  const isOfProvider = (part.type === 'call' || part.type === 'result') && part.isProviderExecuted === true;
  const beside = isOfProvider ? { isProviderExecuted: true } : {};
  if (neutral.type === 'call') return { ...neutral, input: (neutral.input ?? null) as Json, ...beside };
  if (neutral.type !== 'result') return neutral;
  const { callId, content, isError } = neutral;
  const name = neutral.name === '' ? (names.get(callId) ?? '') : neutral.name;
  return { type: 'result', callId, name, content, ...(isError && { isError }), ...beside };
}
