import type { PartChange } from '../codecs/codec.ts';
import { editObject } from '../json/edit-object.ts';
import { parseJson } from '../json/json.ts';
import type { Path } from '../json/json.ts';
import type { CallPart, Entry, Part, ResultPart, ResultPiece } from '../transcript/entry.ts';

/** A change that can be asked for on a part of a message, and what must come of it. */
export interface PossibleChange {
  readonly change: PartChange;
  /** The parts of the message after it. */
  readonly expected: readonly Part[];
}

/** What stands in for new text: quotes, a line break and characters of several bytes. */
const newText = 'new "text"\n日本 $&';

/**
 * Every change that can be asked for on any part of an entry.
 *
 * @param choice which of several strings or media inside one part is changed
 */
export function possibleChanges(entry: Entry, choice = 0): readonly PossibleChange[] {
  return entry.parts.flatMap((part, index) => {
    const becomes = (...parts: readonly Part[]): readonly Part[] => entry.parts.toSpliced(index, 1, ...parts);
    if (part.type === 'opaque') return [];
    if (part.type === 'reasoning') return [{ change: { type: 'drop-reasoning', part }, expected: becomes() }];
    const drop = { change: { type: 'drop-part', part }, expected: becomes() } as const;
    if (part.type === 'text') {
      const text = { ...part, text: newText };
      return [drop, { change: { type: 'replace-text', part, text: newText }, expected: becomes(text) }];
    }
    if (part.type === 'media') {
      const text = { type: 'text', at: part.at, text: newText } as const;
      return [drop, { change: { type: 'replace-media', part, text: newText }, expected: becomes(text) }];
    }
    const own = part.type === 'call' ? callChanges(part, choice) : resultChanges(part, choice);
    const changes = own.map(({ change, part: after }) => ({ change, expected: becomes(after) }));
    // A call and its result that share a place go together, and have one id.
    if (entry.parts.some((other) => other !== part && share(other.at, part.at))) return changes;
    const callId = 'renamed' as typeof part.callId;
    const rename = {
      change: { type: 'rename-call', part, callId },
      expected: becomes({ ...part, callId }),
    } as const;
    return [drop, rename, ...changes];
  });
}

/** Whether two paths lead to one place, or one of them into the other's. */
export function share(one: Path, other: Path): boolean {
  return (
    one.every((step, depth) => other[depth] === step) || other.every((step, depth) => one[depth] === step)
  );
}

interface ChangedPart {
  readonly change: PartChange;
  readonly part: Part;
}

function callChanges(part: CallPart, choice: number): readonly ChangedPart[] {
  const value = part.input.type === 'value' ? part.input.value : parseJson(part.input.text);
  const places = stringPlaces(value);
  const at = places[choice % Math.max(places.length, 1)];
  const run = runPlaces(value);
  const changes = [
    at && { values: [{ at, text: newText }], edits: [{ at, set: newText }] },
    run && {
      values: [{ at: run[0], text: newText, more: 1 }],
      edits: [
        { at: run[0], set: newText },
        { at: run[1], remove: true as const },
      ],
    },
  ];
  return changes.flatMap((one) => {
    if (!one) return [];
    const edited = editObject(value, one.edits);
    const input =
      part.input.type === 'value'
        ? { ...part.input, value: edited }
        : { ...part.input, text: JSON.stringify(edited) };
    const values = [...one.values, { at: ['nowhere'], text: 'x' }];
    return [{ change: { type: 'replace-arguments', part, values }, part: { ...part, input } }];
  });
}

/** Two members of a list or object, one behind the other. */
function runPlaces(value: unknown, at: Path = []): readonly [Path, Path] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, item] of members) {
    const found = runPlaces(item, [...at, key]);
    if (found) return found;
  }
  const [first, second] = members;
  return (
    first &&
    second && [
      [...at, first[0]],
      [...at, second[0]],
    ]
  );
}

function stringPlaces(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value === 'string') return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value)
    ? value.flatMap((item, index) => stringPlaces(item, [...at, index]))
    : Object.entries(value).flatMap(([key, item]) => stringPlaces(item, [...at, key]));
}

function resultChanges(part: ResultPart, choice: number): readonly ChangedPart[] {
  const media = part.pieces.filter((piece) => piece.type === 'media');
  const gone = media[choice % Math.max(media.length, 1)];
  const text = { type: 'text', at: [], text: newText } as const;
  const changes = [true, false].map((keepMedia): ChangedPart => ({
    change: { type: 'replace-result', part, text: newText, keepMedia },
    part: { ...part, pieces: oneText(part.pieces, keepMedia) },
  }));
  if (!gone) return changes;
  const pieces = part.pieces.map((piece) => (piece === gone ? text : piece));
  return [
    ...changes,
    { change: { type: 'replace-media', part: gone, text: newText }, part: { ...part, pieces } },
  ];
}

/** The first text becomes the new one, the others go; without a text the new one stands first. */
function oneText(pieces: readonly ResultPiece[], keepMedia: boolean): readonly ResultPiece[] {
  const text = { type: 'text', at: [], text: newText } as const;
  // A bare value that is not a list of pieces becomes the text as a whole.
  const isBare =
    pieces.length === 1 && pieces[0]?.type === 'opaque' && typeof pieces[0].at.at(-1) === 'string';
  if (!keepMedia || isBare) return [text];
  const first = pieces.findIndex((piece) => piece.type === 'text');
  if (first < 0) return [text, ...pieces];
  return pieces.flatMap((piece, index): readonly ResultPiece[] => {
    if (index === first) return [text];
    return piece.type === 'text' ? [] : [piece];
  });
}
