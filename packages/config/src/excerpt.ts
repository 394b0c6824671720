import { isSecretPath } from './schema/secrets.ts';
import type { ConfigFault } from './yaml/config-fault.ts';

/** The line that a fault is about, with what may be a secret covered up. */
export interface Excerpt {
  readonly line: number;
  readonly text: string;
  /** Characters before the caret. */
  readonly indent: number;
  /** At least 1. */
  readonly length: number;
}

/** Longer lines say nothing on a page. */
const maxLineChars = 500;

/** `undefined` for a fault that is about no line of the file. */
export function excerptOf(fileText: string, { place, key }: ConfigFault): Excerpt | undefined {
  if (place?.type !== 'file') return undefined;
  const lines = fileText.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const text = lines[place.line - 1];
  if (text === undefined || text.trim() === '' || text.length > maxLineChars) return undefined;
  const indent = Math.min(place.column - 1, text.length);
  const length = Math.max(1, Math.min(place.length, text.length - indent));
  const isSecret = isSecretPath(key.split(/[.[\]]/)) || isBelowSecret(lines, place.line - 1);
  const shown = isSecret ? coverAll(text) : cover(text);
  return { line: place.line, text: shown, indent, length };
}

// Each keeps the length, so that the caret stays where it belongs.
const secretPair =
  /((?:headers|env|[\w-]*(?:keys?|token|secret|passw(?:or)?d|authorization|credentials?))["']?\s*:\s*)(.+)/gi;
const secretWord = /(?=\S*\d)[\w+=-]{20,}|\b(?:sk|pk|ghp|hf|gsk)[-_][\w-]+|(?<=:\/\/)[^/@\s]*(?=@)/g;

/** Whether a line is indented below one that holds secrets: what cannot be parsed has no path. */
function isBelowSecret(lines: readonly string[], at: number): boolean {
  let indent = indentOf(lines[at] ?? '');
  for (let above = at - 1; above >= 0 && indent > 0; above -= 1) {
    const line = lines[above] ?? '';
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    const [, key = ''] = /^\s*(?:- +)?["']?([\w-]{1,64})["']?\s*:/.exec(line) ?? [];
    if (isSecretPath([key])) return true;
  }
  return false;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function cover(text: string): string {
  return text
    .replace(secretPair, (_all, name: string, value: string) => name + dots(value))
    .replace(secretWord, dots);
}

/** All behind the first key. */
function coverAll(text: string): string {
  const colon = text.indexOf(':');
  return text.slice(0, colon + 1) + dots(text.slice(colon + 1));
}

function dots(text: string): string {
  return text.replace(/\S/g, '•');
}
