import { openConversation } from './live-conversation.ts';
import { paced } from './paced.ts';
import { startTransition, useEffect, useRef, useState } from 'react';
import { usePageData } from '../page-data.tsx';
import type { LiveConversation, OpenConversation } from './live-conversation.ts';

const closed: OpenConversation = { state: 'loading' };

interface UsedConversation {
  readonly conversation: OpenConversation;
  /** `null` before it is opened. */
  readonly live: LiveConversation | null;
}

/** Opens a session for as long as the component is there. */
export function useConversation(sessionId: string): UsedConversation {
  const { client } = usePageData();
  const [opened, setOpened] = useState<UsedConversation>({ conversation: closed, live: null });
  const isDrawn = useRef<() => void>(null);
  useEffect(() => {
    const live = openConversation(client, sessionId);
    const pace = paced(() => startTransition(() => setOpened({ conversation: live.watched.get(), live })));
    isDrawn.current = pace.isDrawn;
    const unsubscribe = live.watched.subscribe(pace.isChanged);
    setOpened({ conversation: live.watched.get(), live });
    return () => {
      unsubscribe();
      pace.stop();
      live.close();
      setOpened({ conversation: closed, live: null });
    };
  }, [client, sessionId]);
  useEffect(() => isDrawn.current?.(), [opened]);
  return opened;
}
