import { Composer } from './composer.tsx';
import { FailureNotice, Loading } from '../../parts/notice.tsx';
import { sessionTitle } from '../shell/session-row.tsx';
import { Transcript } from './transcript.tsx';
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
      <header className="flex h-12 items-center gap-2 border-b border-line px-4 max-md:pl-12">
        <h1 dir="auto" className="min-w-0 flex-1 truncate font-semibold">
          {sessionTitle(value.session)}
        </h1>
      </header>
      <Transcript conversation={value} live={live} />
      <Composer conversation={value} live={live} />
    </>
  );
}
