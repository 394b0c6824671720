import { ContextError } from '../errors/context-error.ts';
import { isBlank } from '../wire/message-content.ts';
import { repair } from '../wire/repair.ts';
import { viewEntries } from './view-entries.ts';
import type { Repair } from '../wire/repaired.ts';
import type { Transcript } from './transcript.ts';
import type { View, ViewItem } from '../changes/view.ts';

/**
 * A request without any message is refused by every provider: nothing is made fit, and no model is asked, before there
 * is something to send. A history may be empty all the same, as that of a session that has just begun.
 *
 * @throws {ContextError} `bad-wire-format` where nothing is left of a view once it is mended.
 */
export function checkRequest({ codec }: Transcript, view: View): void {
  const { items } = view;
  // The first message is one nearly always: then nothing else is looked at.
  for (let index = 0; index < items.length; index += 1) if (isSurelySent(items.at(index))) return;
  const entries = viewEntries(codec, view).map(({ entry }) => entry);
  const repaired = repair(entries, codec, { ending: 'send' });
  if (repaired.items.length === 0) throw nothingToSend(codec.name, entries.length, repaired.repairs);
}

/** What the engine wrote, and what a user said, goes out whatever else is mended. */
function isSurelySent(item: ViewItem | undefined): boolean {
  if (item?.type !== 'entry') return item !== undefined;
  const { role, parts } = item.entry;
  return (
    role === 'user' &&
    item.changes.length === 0 &&
    parts.some((part) => part.type === 'text' && !isBlank(part))
  );
}

/** @param repairs what was done to the messages, of which none is left */
function nothingToSend(
  format: string,
  messages: number,
  repairs: readonly Repair[],
): ContextError<'bad-wire-format'> {
  const expected = 'a list of at least one message that says something';
  const reasons = repairs.flatMap((one) => (one.type === 'note-added' ? [] : [reasonOf(one)]));
  const what = messages === 0 ? 'an empty list' : `nothing else than ${reasons.slice(0, 3).join(', ')}`;
  const rest = reasons.length > 3 ? ' …' : '';
  const message = `Expected messages to be ${expected}, got ${what}${rest}.`;
  return new ContextError('bad-wire-format', message, { format, path: 'messages', expected });
}

function reasonOf(done: Exclude<Repair, { type: 'note-added' }>): string {
  const because = 'because' in done ? ` (${done.because})` : '';
  return `messages[${done.entry}]: ${done.type}${because}`;
}
