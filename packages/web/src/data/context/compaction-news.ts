import { useEffect, useRef } from 'react';
import { usePageData } from '../page-data.tsx';
import type { AgentEvents } from '@throughline/client';

/** What became of a compaction, as it is told while the page is open. */
type CompactionNews =
  | { readonly type: 'compacted'; readonly data: AgentEvents['context:compressed'] }
  | { readonly type: 'cancelled' };

/** Tells the listener of compactions in this session from now on. */
export function useCompactionNews(sessionId: string, listener: (news: CompactionNews) => void): void {
  const { onEvent } = usePageData();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type === 'stream:missed' || event.sessionId !== sessionId) return;
        if (event.type === 'context:compressed') latest.current({ type: 'compacted', data: event.data });
        if (event.type === 'compaction:cancelled') latest.current({ type: 'cancelled' });
      }),
    [onEvent, sessionId],
  );
}
