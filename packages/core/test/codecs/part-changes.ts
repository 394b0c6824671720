import type { PartChange } from '../../src/codecs/codec.ts';
import type { Path } from '../../src/json/json.ts';
import { editObject } from '../../src/json/edit-object.ts';
import type { CallPart, Entry, Part, ResultPart, ResultPiece } from '../../src/transcript/entry.ts';

export interface ExpectedChange {
  readonly change: PartChange;
  /** The parts of the message after it. */
  readonly expected: readonly Part[];
}

const newText = 'new "text" 日本\n$&';

/** Every change that can be asked for on any part of an entry, and what must come of it. */
export function changesOf(entry: Entry, dice: number): ExpectedChange[] {
  return entry.parts.flatMap((part, index) => {
    const becomes = (...parts: readonly Part[]): readonly Part[] => [
      ...entry.parts.slice(0, index),
      ...parts,
      ...entry.parts.slice(index + 1),
    ];
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
    const callId = 'renamed' as typeof part.callId;
    // One item can be call and result at once; it goes as a whole, and has one id.
    const isShared = entry.parts.length === 2 && part.at.length === 0;
    const rename = {
      change: { type: 'rename-call', part, callId },
      expected: becomes({ ...part, callId }),
    } as const;
    const own = part.type === 'call' ? callChanges(part, dice) : resultChanges(part, dice);
    const changes = own.map(({ change, part: after }) => ({ change, expected: becomes(after) }));
    return isShared ? changes : [drop, rename, ...changes];
  });
}

function callChanges(part: CallPart, dice: number): { change: PartChange; part: Part }[] {
  const { input } = part;
  const value = input.type === 'value' ? input.value : parse(input.text);
  const places = stringPlaces(value);
  const at = places[dice % Math.max(places.length, 1)];
  if (!at) return [];
  const values = [
    { at, text: newText },
    { at: ['nowhere'], text: 'x' },
  ];
  const edited = editObject(value, [{ at, set: newText }]);
  const after =
    input.type === 'value' ? { ...input, value: edited } : { ...input, text: rewritten(input.text, edited) };
  return [{ change: { type: 'replace-arguments', part, values }, part: { ...part, input: after } }];
}

/** The generators write arguments with or without indentation, and repeat a member only in one known text. */
function rewritten(text: string, value: unknown): string {
  if (text === '{"path":"a","path":"b"}') return `{"path":"a","path":${JSON.stringify(newText)}}`;
  if (text.includes('\n')) return JSON.stringify(value, undefined, 2);
  return JSON.stringify(value);
}

function stringPlaces(value: unknown, at: Path = []): Path[] {
  if (typeof value === 'string') return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Array.isArray(value)
    ? value.flatMap((item, index) => stringPlaces(item, [...at, index]))
    : Object.keys(value).flatMap((key) =>
        stringPlaces((value as Record<string, unknown>)[key], [...at, key]),
      );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function resultChanges(part: ResultPart, dice: number): { change: PartChange; part: Part }[] {
  const media = part.pieces.filter((piece) => piece.type === 'media');
  const dropped = media[dice % Math.max(media.length, 1)];
  const text = { type: 'text', at: [], text: newText } as const;
  const changes: { change: PartChange; part: Part }[] = [true, false].map((keepMedia) => ({
    change: { type: 'replace-result', part, text: newText, keepMedia },
    part: { ...part, pieces: oneText(part.pieces, keepMedia) },
  }));
  if (dropped) {
    const pieces = part.pieces.map((piece) => (piece === dropped ? text : piece));
    changes.push({
      change: { type: 'replace-media', part: dropped, text: newText },
      part: { ...part, pieces },
    });
  }
  return changes;
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
