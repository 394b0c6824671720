import { useMemo } from 'react';
import { usePageData } from '../page-data.tsx';
import type { CompactAnswer, RedoAnswer, UndoAnswer } from '@throughline/client';
import type { LiveConversation } from '../conversation/live-conversation.ts';

/** What the user asks of a compaction. */
export interface CompactWish {
  readonly focus?: string;
  readonly strategy?: string;
}

/** What can be done with the context of one session. Each throws where the server refuses. */
export interface ContextActions {
  readonly compact: (wish: CompactWish) => Promise<CompactAnswer>;
  /** What `compact` would come to; nothing is stored. */
  readonly preview: (wish: CompactWish, signal: AbortSignal) => Promise<CompactAnswer>;
  readonly undo: () => Promise<UndoAnswer>;
  readonly redo: (checkpointId: string) => Promise<RedoAnswer>;
  readonly pin: (ordinal: number) => Promise<unknown>;
  readonly unpin: (ordinal: number) => Promise<unknown>;
  /** Ends the run or the compaction that is busy; what was said stays. */
  readonly cancel: () => Promise<unknown>;
  /** Goes on with a run that was cut off. */
  readonly resume: () => Promise<unknown>;
}

export function useContextActions(sessionId: string, live: LiveConversation): ContextActions {
  const { client } = usePageData();
  return useMemo(() => {
    const id = sessionId;
    const act = async <Answer>(call: Promise<Answer>): Promise<Answer> => {
      try {
        return await call;
      } finally {
        live.refresh('compactions', 'usage', 'pins', 'history', 'session');
      }
    };
    return {
      compact: (wish) => act(client.compact({ id, ...wish })),
      preview: (wish, signal) => client.previewCompaction({ id, ...wish }, { signal }),
      undo: () => act(client.undoCompaction({ id })),
      redo: (checkpointId) => act(client.redoCompaction({ id, checkpointId })),
      pin: (ordinal) => act(client.pin({ id, ordinal })),
      unpin: (ordinal) => act(client.unpin({ id, ordinal })),
      cancel: () => act(client.cancelRun({ id })),
      resume: () => act(client.resumeRun({ id })),
    };
  }, [client, sessionId, live]);
}
