import { resultsOf } from '../message/call-results.ts';
import type { SentMessage } from '../../data/conversation/state.ts';
import type { Compaction, HistoryMessage } from '../../data/types.ts';
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
  | { readonly type: 'sent'; readonly key: string; readonly sent: SentMessage };

interface Shown {
  readonly messages: readonly HistoryMessage[];
  readonly compactions: readonly Compaction[];
}

/** Messages with the results of their calls beside them, and compactions where they were made. */
export function transcriptRows({ messages, compactions }: Shown): readonly TranscriptRow[] {
  const results = resultsOf(messages);
  const called = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []))),
  );
  const rows: TranscriptRow[] = [];
  const cards = compactions.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  const oldestMs = messages[0]?.createdAtMs ?? 0;
  // Those before the oldest message that is loaded are shown when it is.
  let at = cards.findIndex(({ createdAtMs }) => createdAtMs >= oldestMs);
  if (at < 0) at = cards.length;
  const cardsBefore = (timeMs: number): void => {
    for (let card = cards[at]; card && card.createdAtMs < timeMs; card = cards[at]) {
      rows.push({ type: 'compaction', key: card.id, card });
      at += 1;
    }
  };
  for (const message of messages) {
    if (message.createdAtMs > 0) cardsBefore(message.createdAtMs);
    if (isShownElsewhere(message, called)) continue;
    rows.push({ type: 'message', key: `m${message.ordinal}`, message, results });
  }
  cardsBefore(Infinity);
  return rows;
}

/** Of messages that are not the newest: what was compacted later stands further down. */
export function farRows(
  messages: readonly HistoryMessage[],
  compactions: readonly Compaction[],
): readonly TranscriptRow[] {
  const lastMs = messages.at(-1)?.createdAtMs ?? 0;
  const ofThen = compactions.filter(({ createdAtMs }) => createdAtMs <= lastMs);
  return transcriptRows({ messages, compactions: ofThen });
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
