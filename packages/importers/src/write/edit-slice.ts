import { editText } from '@throughline/core';
import { diffEdits } from './diff-edits.ts';
import type { Path, WireEdit } from '@throughline/core';

/** A message before and after its edit. */
export interface Edited {
  readonly original: unknown;
  readonly edited: unknown;
}

/**
 * The JSON text with one value in it edited: the message at `at`. Only the bytes of what differs change. Where the
 * text cannot be edited in place, `undefined`.
 */
export function editSlice(text: string, at: Path, { original, edited }: Edited): string | undefined {
  return editText(text, withPrefix(at, diffEdits(original, edited)));
}

export function withPrefix(at: Path, edits: readonly WireEdit[]): WireEdit[] {
  return edits.map((edit) => ({ ...edit, at: [...at, ...edit.at] }));
}
