import { fingerprintPart, isRangeChange, parseJson } from '@throughline/core/internal';
import type { Change } from '@throughline/core/types';
import type { Codec } from '@throughline/core';
import type { Entry, Json, Part } from '@throughline/core/codec';
import type { HistoryMessage, MessagePart, PartMark } from '@throughline/protocol/types';
import type { ProxyMessage, StoredPass } from '@throughline/ports';

/**
 * What each part of a message is known for, by its place and what it says: from the passes of a history, oldest first.
 * What a request had behind its last answer may be another message here.
 */
export function marksOf(passes: readonly StoredPass[]): ReadonlyMap<string, PartMark> {
  const marks = new Map<string, PartMark>();
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

/**
 * Messages in one form for all dialects; calls among them give their results a name. A part has the place that its recall
 * id names.
 */
export function shownMessages(
  codec: Codec,
  messages: readonly ProxyMessage[],
  marks: ReadonlyMap<string, PartMark>,
): readonly HistoryMessage[] {
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

function shownPart(codec: Codec, alone: Entry, { part, names }: PartOf): MessagePart {
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
