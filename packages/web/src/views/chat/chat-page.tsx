import { Announcer } from './announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { CompactionIndicator } from '../context/compaction-indicator.tsx';
import { CompactionToasts } from '../context/compaction-toasts.tsx';
import { Composer } from '../input/composer.tsx';
import { Empty, FailureNotice, Loading } from '../../parts/notice.tsx';
import { ContextMeter } from '../context/context-meter.tsx';
import { EditMessage } from './edit-message.tsx';
import { SessionTabs } from '../shell/session-tabs.tsx';
import { sessionTitle } from '../shell/session-row.tsx';
import { Transcript } from './transcript.tsx';
import { TroubleBanner } from '../context/trouble-banner.tsx';
import { useConversation } from '../../data/conversation/use-conversation.ts';
import { useDeeds } from './use-deeds.ts';
import { useLocation } from 'wouter';
import { useState } from 'react';
import type { ConversationState } from '../../data/conversation/state.ts';
import type { HistoryMessage } from '../../data/types.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';

export interface ChatPageProps {
  readonly sessionId: string;
  /** A recall id to begin at, as `m12`. @default the newest message */
  readonly place?: string;
}

export function ChatPage({ sessionId, place }: ChatPageProps) {
  const { conversation, live } = useConversation(sessionId);
  if (conversation.state === 'failed')
    return (
      <div className="m-auto max-w-lg p-6">
        <FailureNotice failure={conversation.failure} />
      </div>
    );
  if (conversation.state === 'loading' || !live) return <Loading what="the session" />;
  if (conversation.value.isDeleted) return <Deleted />;
  return <OpenChat conversation={conversation.value} live={live} place={placeOf(place)} />;
}

/** `m12`, `m12.3` and `12` are the message 12. */
export function placeOf(place: string | undefined): number | undefined {
  const digits = /^m?(\d{1,9})/.exec(place ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function Deleted() {
  const [, navigate] = useLocation();
  return (
    <Empty title="This session was deleted">
      <Button onClick={() => navigate('/')}>To the start</Button>
    </Empty>
  );
}

interface OpenChatProps {
  readonly conversation: ConversationState;
  readonly live: LiveConversation;
  readonly place: number | undefined;
}

function OpenChat({ conversation, live, place }: OpenChatProps) {
  const { session, announcement } = conversation;
  const [edited, setEdited] = useState<HistoryMessage | null>(null);
  const deeds = useDeeds(session.id, setEdited);
  return (
    <>
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 border-b border-line px-4 py-1 max-md:pl-12">
        <h1 dir="auto" className="min-w-0 flex-1 basis-32 truncate font-semibold">
          {sessionTitle(session)}
        </h1>
        <SessionTabs sessionId={session.id} current="chat" />
        <ContextMeter conversation={conversation} live={live} />
      </header>
      <Transcript conversation={conversation} live={live} deeds={deeds} place={place} />
      <TroubleBanner conversation={conversation} live={live} />
      <CompactionIndicator conversation={conversation} live={live} />
      <CompactionToasts sessionId={session.id} />
      <Composer conversation={conversation} live={live} />
      <Announcer text={announcement.text} />
      {edited && <EditMessage sessionId={session.id} message={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
