import type { Path } from '../json/json.ts';
import { callInputValue } from '../transcript/entry-text.ts';
import type { CallPart } from '../transcript/entry.ts';

/** A string of a call's input. */
export interface Argument {
  /** From the root of the call's input; empty where the input is one text. */
  readonly at: Path;
  readonly text: string;
}

export interface LongArgument extends Argument {
  /** Strings that are short each and long together: one placeholder, in the place of the first, stands for all. */
  readonly also: readonly Argument[];
}

/** Shorter values stay: they are paths, commands, flags: what tells one call from another. In UTF-16 code units. */
export const longArgumentLength = 400;

/** What short values keep together where there are more of them: outer ones first, then the shortest. */
const shortArgumentsLength = 2 * longArgumentLength;

const maxDepth = 64;

/**
 * The strings of a call's input that are long, by themselves or together: file bodies, patches, pasted text, lists of
 * edits. Empty where the input is JSON text that does not parse, because an edit could not say where they are.
 */
export function longArguments(call: CallPart): LongArgument[] {
  if (call.input.type === 'text' && call.input.text.length < longArgumentLength) return [];
  const root = callInputValue(call);
  // A text that is no JSON: what a custom tool takes is a value.
  if (typeof root === 'string' && call.input.type === 'text') return [];
  const found: Argument[] = [];
  collect(root, [], found);
  const long = found.filter(({ text }) => text.length >= longArgumentLength);
  const [first, ...also] = longTogether(found.filter(({ text }) => text.length < longArgumentLength));
  return [...long.map((one) => ({ ...one, also: [] })), ...(first ? [{ ...first, also }] : [])];
}

function collect(value: unknown, at: Path, found: Argument[]): void {
  if (typeof value === 'string') {
    found.push({ at, text: value });
    return;
  }
  if (typeof value !== 'object' || value === null || at.length >= maxDepth) return;
  if (Array.isArray(value)) value.forEach((item, index) => collect(item, [...at, index], found));
  else for (const [key, item] of Object.entries(value)) collect(item, [...at, key], found);
}

/** Of short strings that are many: those beyond what they may keep, in their order, where that is as much as a long one. */
function longTogether(short: readonly Argument[]): Argument[] {
  if (lengthOf(short) < shortArgumentsLength + longArgumentLength) return [];
  const kept = new Set<Argument>();
  let left = shortArgumentsLength;
  const byWorth = short.toSorted((a, b) => a.at.length - b.at.length || a.text.length - b.text.length);
  for (const argument of byWorth) {
    left -= argument.text.length;
    if (left < 0) break;
    kept.add(argument);
  }
  return short.filter((argument) => !kept.has(argument));
}

function lengthOf(args: readonly Argument[]): number {
  return args.reduce((sum, { text }) => sum + text.length, 0);
}
