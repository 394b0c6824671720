import { resultsOf } from '../message/call-results.ts';
import type { Compaction, HistoryMessage, RunOutcome } from '../../data/types.ts';
import type { EndedRun, SentMessage } from '../../data/conversation/state.ts';
import type { Results } from '../message/call-results.ts';

/** A line of the transcript. Its key stays the same for as long as it says the same. */
export type TranscriptRow =
  | {
      readonly type: 'message';
      readonly key: string;
      readonly message: HistoryMessage;
      readonly results: Results;
    }
  | { readonly type: 'compaction'; readonly key: string; readonly card: Compaction }
  | { readonly type: 'run-end'; readonly key: string; readonly outcome: RunOutcome }
  | { readonly type: 'sent'; readonly key: string; readonly sent: SentMessage };

interface Shown {
  readonly messages: readonly HistoryMessage[];
  readonly compactions: readonly Compaction[];
  readonly endedRuns: readonly EndedRun[];
}

/** Messages with the results of their calls beside them; compactions, and runs that broke off, where they happened. */
export function transcriptRows(shown: Shown): readonly TranscriptRow[] {
  const { messages } = shown;
  const results = resultsOf(messages);
  const called = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []))),
  );
  const rows: TranscriptRow[] = [];
  const between = betweenMessages(shown);
  let at = 0;
  const putBefore = (message: HistoryMessage | undefined): void => {
    for (let next = between[at]; next && isBefore(next, message); next = between[at]) {
      if (!isSaidBy(rows.at(-1), next.row)) rows.push(next.row);
      at += 1;
    }
  };
  for (const message of messages) {
    putBefore(message);
    if (isShownElsewhere(message, called)) continue;
    rows.push({ type: 'message', key: `m${message.ordinal}`, message, results });
  }
  putBefore(undefined);
  return rows;
}

/** What stands between messages, by its time. */
interface Between {
  readonly atMs: number;
  readonly row: TranscriptRow;
}

/** Oldest first. What is older than the oldest message that is loaded is shown when that is. */
function betweenMessages({ messages, compactions, endedRuns }: Shown): readonly Between[] {
  const oldestMs = messages[0]?.createdAtMs ?? 0;
  const cards = compactions.map((card): Between => ({
    atMs: card.createdAtMs,
    row: { type: 'compaction', key: card.id, card },
  }));
  const ends = endedRuns.flatMap(({ id, endedAtMs, outcome }): readonly Between[] =>
    outcome.type === 'completed'
      ? []
      : [{ atMs: endedAtMs, row: { type: 'run-end', key: `run ${id}`, outcome } }],
  );
  return [...cards, ...ends].filter(({ atMs }) => atMs >= oldestMs).toSorted((a, b) => a.atMs - b.atMs);
}

/** A message that waited is taken in the same millisecond in which the run before has ended. */
function isBefore({ atMs, row }: Between, message: HistoryMessage | undefined): boolean {
  if (!message) return true;
  const { createdAtMs, role } = message;
  return atMs < createdAtMs || (atMs === createdAtMs && row.type === 'run-end' && role === 'user');
}

/** An answer that was cut off says why itself. */
function isSaidBy(before: TranscriptRow | undefined, row: TranscriptRow): boolean {
  if (row.type !== 'run-end' || before?.type !== 'message') return false;
  const { error, finishReason } = before.message;
  return row.outcome.type === 'failed'
    ? error === row.outcome.failure.message
    : row.outcome.type === 'cancelled' && finishReason === 'cancelled';
}

/** Rows of messages that are not the newest: what happened later stands further down. */
export function farRows({ messages, compactions, endedRuns }: Shown): readonly TranscriptRow[] {
  const lastMs = messages.at(-1)?.createdAtMs ?? 0;
  return transcriptRows({
    messages,
    compactions: compactions.filter(({ createdAtMs }) => createdAtMs <= lastMs),
    endedRuns: endedRuns.filter(({ endedAtMs }) => endedAtMs <= lastMs),
  });
}

/** What goes on now: the message that is being written, in its place or behind the last, and what was just sent. */
export function withLive(
  rows: readonly TranscriptRow[],
  written: HistoryMessage | undefined,
  sent: readonly SentMessage[],
): readonly TranscriptRow[] {
  const behind = sent.map((one) => ({ type: 'sent', key: one.messageId, sent: one }) as const);
  if (!written) return behind.length === 0 ? rows : [...rows, ...behind];
  const key = `m${written.ordinal}`;
  const at = rows.findLastIndex((row) => row.key === key);
  const known = rows[at];
  const results = known?.type === 'message' ? known.results : noResults;
  const row = { type: 'message', key, message: written, results } as const;
  return [...(known ? rows.with(at, row) : [...rows, row]), ...behind];
}

const noResults: Results = new Map();

/** A message of results, each of which stands beside its call. */
function isShownElsewhere({ parts }: HistoryMessage, called: ReadonlySet<string>): boolean {
  return parts.length > 0 && parts.every((part) => part.type === 'result' && called.has(part.callId));
}

/**
 * The row in which a message of the history stands, or its results do; `undefined` where it is older than all that is
 * loaded.
 */
export function rowAt(rows: readonly TranscriptRow[], place: number): number | undefined {
  const at = rows.findLastIndex((row) => row.type === 'message' && row.message.ordinal <= place);
  return at < 0 ? undefined : at;
}
