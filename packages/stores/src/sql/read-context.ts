import { isRangeChange, parseState } from '@throughline/core';
import { readMessages } from './read-messages.ts';
import { sessionRow } from './session-transaction.ts';
import type { Change, ContextState } from '@throughline/core';
import type { KnownChanges } from './known-changes.ts';
import type { SessionRow, Tx } from './schema.ts';
import type { StoredContext, StoredMessage } from '@throughline/ports';

interface Span {
  readonly first: number;
  readonly end: number;
}

/** State, and the messages that the view shows; see `History.context`. */
export async function readContext(
  tx: Tx,
  knownChanges: KnownChanges,
  sessionId: string,
  changes?: readonly Change[],
): Promise<StoredContext> {
  const row = await sessionRow(tx, sessionId);
  const state = await readState(tx, knownChanges, row);
  const messages: StoredMessage[] = [];
  for (const span of shownSpans(changes ?? state?.changes ?? [], row.message_count)) {
    for (const message of await readMessages(tx, row.key, span)) messages.push(message);
  }
  return { state, messages, historyLength: row.message_count };
}

export async function readState(
  tx: Tx,
  knownChanges: KnownChanges,
  row: SessionRow,
): Promise<ContextState | undefined> {
  if (row.state === null) return undefined;
  const rest = JSON.parse(row.state) as object;
  const known = knownChanges.get(row.key, row.state_version);
  if (known) return parseState({ ...rest, changes: known.changes });
  const rows = await tx
    .selectFrom('changes')
    .select('change')
    .where('session_key', '=', row.key)
    .orderBy('position')
    .execute();
  const texts = rows.map(({ change }) => change);
  const changes = texts.map((text) => JSON.parse(text) as Change);
  const state = parseState({ ...rest, changes });
  knownChanges.set(row.key, { version: row.state_version, changes: state.changes, texts });
  return state;
}

/** What no range hides, `lead` and `kept` messages included: as few spans as possible, in order. */
function shownSpans(changes: readonly Change[], length: number): readonly Span[] {
  const ranges = changes
    .filter(isRangeChange)
    .map(({ anchor }) => anchor)
    .toSorted((left, right) => left.first - right.first);
  const spans: { first: number; end: number }[] = [];
  const show = (first: number, end: number): void => {
    const last = spans.at(-1);
    if (end <= first) return;
    if (last && first <= last.end) last.end = Math.max(last.end, end);
    else spans.push({ first, end });
  };
  let shownTo = 0;
  for (const { first, end, lead, kept } of ranges) {
    show(shownTo, Math.min(first, length));
    const stay = [...lead, ...kept].toSorted((left, right) => left - right);
    for (const ordinal of stay) if (ordinal >= shownTo && ordinal < length) show(ordinal, ordinal + 1);
    shownTo = Math.max(shownTo, end);
  }
  show(shownTo, length);
  return spans;
}
