import { setImmediate as giveWay } from 'node:timers/promises';
import { parseState } from '@throughline/core';
import { isRangeChange } from '@throughline/core/internal';
import { readMessages } from './read-messages.ts';
import { sessionRow } from '../kit/session-transactions.ts';
import type { ContextState } from '@throughline/core';
import type { Change } from '@throughline/core/types';
import type { StoredContext, StoredMessage } from '@throughline/ports';
import type { KnownChanges } from '../kit/known-rows.ts';
import type { Span } from './read-messages.ts';
import type { SessionRow, Tx } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';

/** Where everybody waits for the one connection, others get it behind so many messages. */
const messagesPerTurn = 1_000;

/**
 * State, and the messages that the view shows; see `History.context`. State and newest messages are of one moment. A
 * message that is older has ended and stays as it is, so that it may be read later, and nobody waits for a long history.
 */
export async function readContext(
  { database, around: { knownChanges } }: SessionTransactions,
  sessionId: string,
  changes?: readonly Change[],
): Promise<StoredContext> {
  const now = await database.read(async (tx) => {
    const row = await sessionRow(tx, sessionId);
    const state = await readState(tx, knownChanges, row);
    const spans = inTurns(shownSpans(changes ?? state?.changes ?? [], row.message_count));
    const last = spans.slice(database.locksRows ? 0 : -1);
    const read: (readonly StoredMessage[])[] = [];
    for (const span of last) read.push(await readMessages(tx, row.key, span));
    return { row, state, read, older: spans.slice(0, spans.length - last.length) };
  });
  const { row, state } = now;
  const read: (readonly StoredMessage[])[] = [];
  for (const span of now.older) {
    await giveWay();
    read.push(await database.read((tx) => readOlder(tx, { row, sessionId }, span)));
  }
  return { state, messages: [...read, ...now.read].flat(), historyLength: row.message_count };
}

interface Asked {
  readonly row: SessionRow;
  readonly sessionId: string;
}

async function readOlder(tx: Tx, { row, sessionId }: Asked, span: Span): Promise<readonly StoredMessage[]> {
  const messages = await readMessages(tx, row.key, span);
  // Not found, where the session was deleted meanwhile.
  if (messages.length < span.end - span.first) await sessionRow(tx, sessionId);
  return messages;
}

function inTurns(spans: readonly Span[]): readonly Span[] {
  return spans.flatMap(({ first, end }) =>
    Array.from({ length: Math.ceil((end - first) / messagesPerTurn) }, (_, turn): Span => {
      const from = first + turn * messagesPerTurn;
      return { first: from, end: Math.min(end, from + messagesPerTurn) };
    }),
  );
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
