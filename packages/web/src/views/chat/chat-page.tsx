import { Announcer } from '../../parts/announcer.tsx';
import { ChatHeader } from './chat-header.tsx';
import { CompactionIndicator } from '../context/compaction-indicator.tsx';
import { CompactionToasts } from '../context/compaction-toasts.tsx';
import { Composer } from '../input/composer.tsx';
import { DropZone } from '../../parts/drops/drop-zone.tsx';
import { Empty, FailureNotice, Loading } from '../../parts/notice.tsx';
import { openInputBox } from '../input/input-box.ts';
import { ToStart } from '../../parts/to-start.tsx';
import { Transcript } from './transcript.tsx';
import { TroubleBanner } from '../context/trouble-banner.tsx';
import { useConversation } from '../../data/conversation/use-conversation.ts';
import { useDeeds } from './use-deeds.ts';
import { useEditedMessage } from './edit-message.tsx';
import { useState } from 'react';
import type { ConversationState } from '../../data/conversation/state.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';

interface ChatPageProps {
  readonly sessionId: string;
  /** A recall id to begin at, as `m12`. @default the newest message */
  readonly place?: string;
}

export function ChatPage({ sessionId, place }: ChatPageProps) {
  const { conversation, live } = useConversation(sessionId);
  if (conversation.state === 'failed')
    return (
      <div className="m-auto max-w-lg p-6">
        <FailureNotice failure={conversation.failure} actions={<ToStart />} />
      </div>
    );
  if (conversation.state === 'loading' || !live) return <Loading what="the session" />;
  if (conversation.value.isDeleted) return <Deleted />;
  return <OpenChat conversation={conversation.value} live={live} place={placeOf(place)} />;
}

/** `m12`, `m12.3` and `12` are the message 12. */
function placeOf(place: string | undefined): number | undefined {
  const digits = /^m?(\d{1,9})/.exec(place ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function Deleted() {
  return (
    <Empty title="This session was deleted">
      <ToStart />
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
  const editing = useEditedMessage();
  const [box] = useState(() => openInputBox(session.id));
  const deeds = useDeeds(session.id, editing.begin);
  return (
    <>
      <ChatHeader conversation={conversation} live={live} />
      <Transcript
        conversation={conversation}
        live={live}
        deeds={deeds}
        editing={editing}
        onPutBack={box.putBack}
        place={place}
      />
      <TroubleBanner conversation={conversation} live={live} />
      <CompactionIndicator conversation={conversation} live={live} />
      <CompactionToasts sessionId={session.id} />
      <Composer conversation={conversation} live={live} box={box} />
      <DropZone invitation="Drop to attach to the message" onFiles={(files) => void box.attach(files)} />
      <Announcer text={announcement.text} />
    </>
  );
}
