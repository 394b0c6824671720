import { jsonErrorAt } from './json-error-at.ts';

/** One JSON object or list of a text that holds several of them. */
interface SplitValue {
  /** Where it begins in the text. */
  readonly start: number;
  readonly text: string;
  readonly value: unknown;
}

interface SplitValues {
  readonly values: readonly SplitValue[];
  /** Position of what is no value any more; −1 where the text ends behind its last value. */
  readonly restAt: number;
}

/** What may stand between values and says nothing: space, commas, record separators, the zeros of a crash. */
const separators: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r', ',', '\u001E', '\0']);

/**
 * The JSON objects and lists that stand one after another in a text, up to what is neither: two programs wrote one
 * log at once, or a tool laid the values out over many lines.
 */
export function splitValues(text: string): SplitValues {
  const values: SplitValue[] = [];
  for (let start = skipSeparators(text, 0); start < text.length;) {
    const value = valueAt(text, start);
    if (value === undefined) return { values, restAt: start };
    values.push(value);
    start = skipSeparators(text, start + value.text.length);
  }
  return { values, restAt: -1 };
}

function valueAt(text: string, start: number): SplitValue | undefined {
  if (text[start] !== '{' && text[start] !== '[') return undefined;
  const rest = text.slice(start);
  const end = jsonErrorAt(rest);
  // A whole value ends where the next character cannot go on with it.
  const candidate = (end < 0 ? rest : rest.slice(0, end)).trimEnd();
  try {
    return { start, text: candidate, value: JSON.parse(candidate) as unknown };
  } catch {
    return undefined;
  }
}

function skipSeparators(text: string, from: number): number {
  let at = from;
  while (separators.has(text.charAt(at))) at += 1;
  return at;
}
