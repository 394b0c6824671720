import type { Place } from './located.ts';

/** What is wrong with a configuration, or worth knowing about it. Plain JSON; never holds a secret. */
export interface ConfigFault {
  /** Absent where it is about no line and no variable. */
  readonly place?: Place;
  /** As `context.compaction.auto`; empty where it is about no key. */
  readonly key: string;
  /** The sentence without place and key. */
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  /** What was most likely meant: another key or value. */
  readonly suggestion?: string;
}

/** One line for people: `throughline.yaml:12:11: context.window: expected …, found ….` */
export function faultSentence({ place, key, message }: ConfigFault): string {
  return [...(place ? [placeName(place)] : []), ...(key === '' ? [] : [key]), message].join(': ');
}

/** `throughline.yaml:12:11`, or the name of the variable. */
function placeName(place: Place): string {
  return place.type === 'file' ? `${place.file}:${place.line}:${place.column}` : place.variable;
}

export function faultAt(place: Place | undefined, key: string, message: string): ConfigFault {
  return { ...(place && { place }), key, message };
}

/** A fault that is told by what was expected and what came. */
export function expectation(
  place: Place | undefined,
  key: string,
  told: { readonly expected: string; readonly found: string; readonly suggestion?: string | undefined },
): ConfigFault {
  const { expected, found, suggestion } = told;
  const hint = suggestion === undefined ? '.' : `; did you mean ${suggestion}?`;
  return {
    ...faultAt(place, key, `expected ${expected}, found ${found}${hint}`),
    expected,
    found,
    ...(suggestion !== undefined && { suggestion }),
  };
}

/** In the order of the file; then variables by name; what has no place comes first. */
export function inOrder(faults: readonly ConfigFault[]): ConfigFault[] {
  return faults.toSorted((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    return compare(first[0], second[0]) || compare(first[1], second[1]) || compare(first[2], second[2]);
  });
}

function rank({ place }: ConfigFault): readonly [line: number, column: number, variable: string] {
  if (!place) return [0, 0, ''];
  return place.type === 'file' ? [place.line, place.column, ''] : [Infinity, 0, place.variable];
}

function compare<Value extends number | string>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
