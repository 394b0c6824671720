import { CompactionIndicator } from '../context/compaction-indicator.tsx';
import { CompactionToasts } from '../context/compaction-toasts.tsx';
import { Composer } from './composer.tsx';
import { ContextMeter } from '../context/context-meter.tsx';
import { FailureNotice, Loading } from '../../parts/notice.tsx';
import { SessionTabs } from '../shell/session-tabs.tsx';
import { sessionTitle } from '../shell/session-row.tsx';
import { Transcript } from './transcript.tsx';
import { TroubleBanner } from '../context/trouble-banner.tsx';
import { useConversation } from '../../data/conversation/use-conversation.ts';

export interface ChatPageProps {
  readonly sessionId: string;
  /** A recall id to begin at, as `m12`. @default the newest message */
  readonly place?: string;
}

export function ChatPage({ sessionId }: ChatPageProps) {
  const { conversation, live } = useConversation(sessionId);
  if (conversation.state === 'failed') return <FailureNotice failure={conversation.failure} />;
  if (conversation.state === 'loading' || !live) return <Loading what="the session" />;
  const { value } = conversation;
  return (
    <>
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 border-b border-line px-4 py-1 max-md:pl-12">
        <h1 dir="auto" className="min-w-0 flex-1 basis-32 truncate font-semibold">
          {sessionTitle(value.session)}
        </h1>
        <SessionTabs sessionId={sessionId} current="chat" />
        <ContextMeter conversation={value} live={live} />
      </header>
      <Transcript conversation={value} live={live} />
      <TroubleBanner conversation={value} live={live} />
      <CompactionIndicator conversation={value} live={live} />
      <CompactionToasts sessionId={sessionId} />
      <Composer conversation={value} live={live} />
    </>
  );
}
