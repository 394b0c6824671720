import type { Codec } from '../codecs/codec.ts';
import { editObject } from '../json/edit-object.ts';
import type { WireEdit } from '../json/json.ts';
import { isObject } from '../json/json.ts';
import type { Entry } from '../transcript/entry.ts';
import type { RepairedEntry, RepairedItem } from './repaired.ts';
import { makeWellFormed } from './well-formed.ts';

/** A message to send and where it came from. */
export interface AppliedMessage {
  readonly message: unknown;
  /** Index of the entry it was; missing for a message that the repair wrote. */
  readonly index?: number;
  /** False: `message` is the very object of the entry. */
  readonly isEdited: boolean;
}

/** Builds the wire messages of a repair. Entries without a change give the same object; nothing is mutated. */
export function applyRepair(
  entries: readonly Entry[],
  items: readonly RepairedItem[],
  codec: Codec,
): readonly AppliedMessage[] {
  return items.flatMap((item): readonly AppliedMessage[] => {
    if (item.type === 'synthetic') return written(codec.compose(item.item).messages);
    if (item.type === 'entry') return applyEntry(entries, item, codec);
    const parts = applyRepair(entries, item.items, codec);
    const base = parts.find(({ index }) => index !== undefined) ?? parts[0];
    const messages = joinMessages(
      parts.map(({ message }) => message),
      base?.message,
    );
    if (messages.length !== 1) return parts;
    return messages.map((message) => ({
      message,
      isEdited: true,
      ...(base?.index === undefined ? {} : { index: base.index }),
    }));
  });
}

function written(messages: readonly unknown[]): readonly AppliedMessage[] {
  return messages.map((message) => ({ message, isEdited: true }));
}

function applyEntry(entries: readonly Entry[], item: RepairedEntry, codec: Codec): readonly AppliedMessage[] {
  const entry = entries[item.index];
  if (!entry) return [];
  const edits = [...codec.edit(entry, item.changes), ...removals(entry, item.only)];
  const edited = editObject(entry.wire, edits);
  const message = item.cleansText ? makeWellFormed(edited) : edited;
  return [{ message, index: item.index, isEdited: message !== entry.wire }];
}

/** Takes out the parts that do not stay, by their places. */
function removals(entry: Entry, only: readonly number[] | undefined): WireEdit[] {
  if (!only) return [];
  const kept = new Set(only);
  return entry.parts.flatMap((part, index): WireEdit[] =>
    kept.has(index) ? [] : [{ at: part.at, remove: true }],
  );
}

type Message = Record<string, unknown>;

/**
 * One message with the content of all in order and the other fields of `base`. For formats whose messages are objects
 * with `content`: a text, or a list of blocks. Messages of any other shape come back as they are.
 */
export function joinMessages(messages: readonly unknown[], base: unknown): readonly unknown[] {
  if (messages.length < 2 || !messages.every(isMessage) || !isMessage(base)) return messages;
  return [{ ...base, content: messages.flatMap(({ content }) => blocksOf(content)) }];
}

function isMessage(value: unknown): value is Message {
  return isObject(value) && (typeof value['content'] === 'string' || Array.isArray(value['content']));
}

function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content as unknown[];
  return content === '' ? [] : [{ type: 'text', text: content }];
}
