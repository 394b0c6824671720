import type { HistoryMessage, MessagePart, PartMark } from '../../data/types.ts';

type Result = Extract<MessagePart, { readonly type: 'result' }>;

/** What came of a call. */
export interface CallResult {
  readonly part: Result;
  readonly mark: PartMark;
  readonly recallId: string;
}

/** Results of all calls that are loaded, by their ids. */
export type Results = ReadonlyMap<string, CallResult>;

export function resultsOf(messages: readonly HistoryMessage[]): Results {
  const results = new Map<string, CallResult>();
  for (const { ordinal, parts, marks } of messages)
    for (const [at, part] of parts.entries())
      if (part.type === 'result')
        results.set(part.callId, { part, mark: marks[at] ?? {}, recallId: `m${ordinal}.${at}` });
  return results;
}
