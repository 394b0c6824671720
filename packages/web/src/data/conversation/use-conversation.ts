import { openConversation } from './live-conversation.ts';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { usePageData } from '../page-data.tsx';
import type { LiveConversation, OpenConversation } from './live-conversation.ts';

const closed: OpenConversation = { state: 'loading' };
const nobody = (): (() => void) => () => {};

export interface UsedConversation {
  readonly conversation: OpenConversation;
  /** `null` before it is opened. */
  readonly live: LiveConversation | null;
}

/** Opens a session for as long as the component is there. */
export function useConversation(sessionId: string): UsedConversation {
  const { client } = usePageData();
  const [live, setLive] = useState<LiveConversation | null>(null);
  useEffect(() => {
    const opened = openConversation(client, sessionId);
    setLive(opened);
    return () => {
      opened.close();
      setLive(null);
    };
  }, [client, sessionId]);
  const conversation = useSyncExternalStore(
    live?.watched.subscribe ?? nobody,
    live?.watched.get ?? (() => closed),
  );
  return { conversation, live };
}
