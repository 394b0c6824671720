import type { SentMessage } from '../../data/conversation/state.ts';
import type { Compaction, HistoryMessage } from '../../data/types.ts';
import type { CallPartProps, Results } from '../message/call-part.tsx';

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
  readonly sent: readonly SentMessage[];
}

/** Messages with the results of their calls beside them, and compactions where they were made. */
export function transcriptRows({ messages, compactions, sent }: Shown): readonly TranscriptRow[] {
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
  return [...rows, ...sent.map((one) => ({ type: 'sent', key: one.messageId, sent: one }) as const)];
}

function resultsOf(messages: readonly HistoryMessage[]): Results {
  const results = new Map<string, NonNullable<CallPartProps['result']>>();
  for (const { ordinal, parts, marks } of messages)
    for (const [at, part] of parts.entries())
      if (part.type === 'result')
        results.set(part.callId, { part, mark: marks[at] ?? {}, recallId: `m${ordinal}.${at}` });
  return results;
}

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
