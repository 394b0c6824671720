import { partText } from '@throughline/core/internal';
import type { Entry, Part } from '@throughline/core/codec';

const known = new WeakMap<Entry, string>();

/** All that can be read of a message: what was said, calls with their input, results, and which files are in it. */
export function messageText(entry: Entry): string {
  const text = known.get(entry) ?? entry.parts.map(textOf).filter(Boolean).join('\n');
  known.set(entry, text);
  return text;
}

/** A part that is never sent stands there empty. */
function textOf(part: Part): string {
  return part.type === 'opaque' && part.value === null ? '' : partText(part);
}
