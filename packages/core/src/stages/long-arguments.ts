import type { Path } from '../json/json.ts';
import { callInputValue } from '../transcript/entry-text.ts';
import type { CallPart } from '../transcript/entry.ts';

export interface LongArgument {
  /** From the root of the call's input. */
  readonly at: Path;
  readonly text: string;
}

/** Shorter values stay: they are paths, commands, flags: what tells one call from another. In UTF-16 units. */
export const longArgumentLength = 400;

const maxDepth = 64;

/**
 * The long string values of a call's input: file bodies, patches, pasted text. Empty where the input is no JSON
 * object or array, because an edit could not say where they are.
 */
export function longArguments(call: CallPart): LongArgument[] {
  if (call.input.type === 'text' && call.input.text.length < longArgumentLength) return [];
  const found: LongArgument[] = [];
  const root = callInputValue(call);
  if (typeof root === 'object' && root !== null) collect(root, [], found);
  return found;
}

function collect(value: unknown, at: Path, found: LongArgument[]): void {
  if (typeof value === 'string') {
    if (value.length >= longArgumentLength) found.push({ at, text: value });
    return;
  }
  if (typeof value !== 'object' || value === null || at.length >= maxDepth) return;
  if (Array.isArray(value)) value.forEach((item, index) => collect(item, [...at, index], found));
  else for (const [key, item] of Object.entries(value)) collect(item, [...at, key], found);
}
