import { loadableOf } from '../loadable.ts';
import { useQuery } from '@tanstack/react-query';
import { usePageData } from '../page-data.tsx';
import type { Client, CompareAnswer, HistoryMessage } from '@throughline/client';
import type { Loadable } from '../loadable.ts';

/** Messages of the history, `first` up to and without `end`; of more than `mostMessages` the first. */
export interface MessageRange {
  readonly first: number;
  readonly end: number;
}

interface RangeMessages {
  readonly messages: readonly HistoryMessage[];
  /** How many of the range are not among them. */
  readonly left: number;
}

const mostMessages = 1_000;

/** What stands in a range of the history, read from its end backwards. */
export function useRangeMessages(sessionId: string, range: MessageRange): Loadable<RangeMessages> {
  const { client } = usePageData();
  const { data, error } = useQuery({
    queryKey: ['range', sessionId, range.first, range.end],
    queryFn: ({ signal }) => readRange(client, { id: sessionId, range, signal }),
    staleTime: Infinity,
  });
  return loadableOf({ data, error });
}

interface RangeRead {
  readonly id: string;
  readonly range: MessageRange;
  readonly signal: AbortSignal;
}

async function readRange(
  client: Client,
  { id, range: { first, end }, signal }: RangeRead,
): Promise<RangeMessages> {
  const wanted: HistoryMessage[] = [];
  // A page ends before the message whose number is its cursor.
  let cursor: string | undefined = String(end);
  do {
    const page = await client.listMessages(
      { id, limit: 200, ...(cursor !== undefined && { cursor }) },
      { signal },
    );
    wanted.unshift(...page.items.filter(({ ordinal }) => ordinal >= first && ordinal < end));
    const oldest = page.items[0]?.ordinal ?? 0;
    cursor = oldest > first ? (page.next ?? undefined) : undefined;
  } while (cursor !== undefined);
  const messages = wanted.slice(0, mostMessages);
  return { messages, left: wanted.length - messages.length };
}

/** The view behind a compaction, and that before it. */
export function useComparedViews(
  sessionId: string,
  card: { readonly id: string; readonly parent: string | null },
): Loadable<CompareAnswer> {
  const { client } = usePageData();
  const { data, error } = useQuery({
    queryKey: ['compared', sessionId, card.id],
    queryFn: ({ signal }) =>
      client.compareViews({ id: sessionId, before: card.parent ?? 'none', now: card.id }, { signal }),
  });
  return loadableOf({ data, error });
}
