import { editObject, editText } from '../json/edit-object.ts';
import { isObject, valueAt } from '../json/json.ts';
import { writeJson } from '../json/write-json.ts';
import { possibleChanges, share } from './possible-changes.ts';
import { callInputValue, parseText } from '../transcript/entry-text.ts';
import type { Codec, NeutralContent, NeutralPart, PartChange } from '../codecs/codec.ts';
import type { Path, WireEdit } from '../json/json.ts';
import type { Entry, Part } from '../transcript/entry.ts';

export interface Sample {
  readonly codec: Codec;
  readonly message: unknown;
  readonly cannot: (change: PartChange, message: unknown) => boolean;
}

/** Faults in words; none where the law holds. */
export type Law = (sample: Sample) => readonly string[];

/** What holds for every message of a format, by name. */
export const messageLaws = {
  decode: decodeFaults,
  places: placeFaults,
  edit: editFaults,
  'edit-text': editTextFaults,
  overlap: overlapFaults,
  hostile: hostileFaults,
} as const satisfies Readonly<Record<string, Law>>;

/** What throws is a fault, too. */
export function caught(check: () => readonly string[]): readonly string[] {
  try {
    return check();
  } catch (error) {
    return [`it threw ${String(error)}`];
  }
}

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

function decodeFaults({ codec, message }: Sample): readonly string[] {
  const before = said(message);
  const entry = codec.decode(message, 7);
  const again = codec.decode(message, 7);
  return [
    ...(entry.wire === message ? [] : ['entry.wire is not the very message']),
    ...(entry.ordinal === 7 ? [] : ['entry.ordinal is not the ordinal handed in']),
    ...(roles.includes(entry.role) ? [] : [`entry.role is ${String(entry.role)}`]),
    ...(said(message) === before ? [] : ['decode changed the message']),
    ...(said(entry.parts) === said(again.parts) ? [] : ['decoded twice, the parts differ']),
    ...(entry.id === again.id ? [] : ['decoded twice, the ids differ']),
    ...(codec.edit(entry, []).length === 0 ? [] : ['no changes gave edits']),
  ];
}

function placeFaults({ codec, message }: Sample): readonly string[] {
  return placesOf(codec.decode(message, 0))
    .filter((at) => valueAt(message, at) === undefined)
    .map((at) => `a part points at ${said(at)}, where nothing is`);
}

function placesOf({ parts }: Entry): readonly Path[] {
  return parts.flatMap((part) => [
    part.at,
    ...(part.type === 'result' ? part.pieces.map(({ at }) => at) : []),
  ]);
}

function editFaults({ codec, message, cannot }: Sample): readonly string[] {
  const entry = codec.decode(message, 3);
  return [0, 1].flatMap((choice) =>
    possibleChanges(entry, choice).flatMap(({ change, expected }) => {
      const edits = codec.edit(entry, [change]);
      if (edits.length === 0) return cannot(change, message) ? [] : [`${change.type} gave no edits`];
      const edited = editObject(message, edits);
      // A message goes with the one part that it was.
      if (edited === undefined)
        return isWhole(change, message) ? [] : [`${change.type} took the whole message`];
      const { parts } = codec.decode(edited, 3);
      const [found, wanted] = [comparable(parts), comparable(expected)];
      return found === wanted ? [] : [`after ${change.type} the parts are ${found}, and not ${wanted}`];
    }),
  );
}

function isWhole({ part }: PartChange, message: unknown): boolean {
  return part.at.length === 0 || (part.at.length === 1 && typeof valueAt(message, part.at) === 'string');
}

function editTextFaults({ codec, message }: Sample): readonly string[] {
  const entry = codec.decode(message, 3);
  const text = JSON.stringify(message, undefined, 1);
  const edits = allEdits(codec, entry);
  const [inObject, inText] = [editObject(message, edits), editText(text, edits)];
  if (inObject === undefined)
    return inText === '' ? [] : ['the message goes as an object and stays as a text'];
  const isSame =
    inText !== undefined && said(JSON.parse(inText)) === said(JSON.parse(JSON.stringify(inObject)));
  return isSame ? [] : ['edits of the JSON text and of the object differ'];
}

function overlapFaults({ codec, message }: Sample): readonly string[] {
  const edits = allEdits(codec, codec.decode(message, 3));
  return edits.flatMap((edit, index) =>
    edits
      .slice(index + 1)
      .filter((other) => share(edit.at, other.at))
      .map((other) => `edits of several changes overlap at ${said(edit.at)} and ${said(other.at)}`),
  );
}

function allEdits(codec: Codec, entry: Entry): readonly WireEdit[] {
  return codec.edit(
    entry,
    possibleChanges(entry).map(({ change }) => change),
  );
}

const standIns: readonly unknown[] = [
  null,
  0,
  '',
  'x',
  [],
  {},
  [[]],
  [null],
  { type: 'x' },
  { role: 'user' },
];

/** The message with each place in it missing or holding something else: nothing throws, and nothing is lost. */
function hostileFaults({ codec, message }: Sample): readonly string[] {
  const places = placesIn(message).slice(0, 200);
  const damaged = places.flatMap((at) => [
    editObject(message, [{ at, remove: true }]),
    ...standIns.map((value) => editObject(message, [{ at, set: value as string }])),
  ]);
  const faults = [undefined, 'text', ...standIns, ...damaged].flatMap((value) => {
    const fault = caught(() => damageFaults(codec, value));
    return fault.map((one) => `${one} on ${said(value).slice(0, 200)}`);
  });
  return faults.slice(0, 5);
}

function damageFaults(codec: Codec, message: unknown): readonly string[] {
  const entry = codec.decode(message, 0);
  editObject(message, allEdits(codec, entry));
  codec.neutral(entry);
  return [
    ...(entry.wire === message ? [] : ['entry.wire is not the very message']),
    ...(roles.includes(entry.role) ? [] : [`entry.role is ${String(entry.role)}`]),
  ];
}

function placesIn(value: unknown, at: Path = []): readonly Path[] {
  const inner: readonly [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : isObject(value)
      ? Object.entries(value)
      : [];
  return inner.flatMap(([key, item]) => [[...at, key], ...placesIn(item, [...at, key])]);
}

/** Parts without their places, which a removal shifts; arguments in JSON text by what they say. */
function comparable(parts: readonly Part[]): string {
  return said(
    parts.map((part) => {
      if (part.type !== 'call' || part.input.type !== 'text') return part;
      return { ...part, input: { value: callInputValue(part) } };
    }),
    'at',
  );
}

/**
 * What counts of neutral parts. Results may move before what else is said, their names are taken from their calls where
 * a format does not repeat them, empty texts say nothing, a call without arguments has empty ones, and of a file its
 * name and the finer half of its type need not be kept.
 */
export function neutralText(parts: readonly NeutralPart[]): string {
  const told = parts.filter(isSaid);
  const isResult = ({ type }: NeutralPart): boolean => type === 'result';
  const ordered = [...told.filter(isResult), ...told.filter((part) => !isResult(part))];
  return said(
    ordered.map((part) => {
      if (part.type === 'call') return { ...part, input: inputOf(part.input) };
      if (part.type === 'media') return media(part);
      return part.type === 'result'
        ? { ...part, name: '', content: part.content.filter(isSaid).map(media) }
        : part;
    }),
  );
}

function inputOf(input: unknown): unknown {
  return typeof input === 'string' ? parseText(input) : (input ?? {});
}

/** Media without the name of their file; of the type only what kind of thing they are. */
function media(content: NeutralContent): unknown {
  if (content.type === 'text') return content;
  return { type: content.type, kind: content.mediaType.split('/')[0], source: content.source };
}

function isSaid(part: NeutralPart | NeutralContent): boolean {
  return part.type !== 'text' || part.text !== '';
}

/** A value as JSON text with its members in order, without those of a name. */
function said(value: unknown, without?: string): string {
  const sorted = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(sorted);
    if (!isObject(one)) return one;
    const members = Object.entries(one).filter(([key, member]) => key !== without && member !== undefined);
    return Object.fromEntries(
      members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
    );
  };
  return value === undefined ? 'undefined' : writeJson(sorted(value));
}
