import { ArrowDown } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { CompactionCard } from '../context/compaction-card.tsx';
import { MessageView } from '../message/message-view.tsx';
import { SentView } from './sent-view.tsx';
import { shownMessages } from '../../data/conversation/history.ts';
import { StatusLine } from './status-line.tsx';
import { transcriptRows } from './transcript-rows.ts';
import { useFollowing } from './use-following.ts';
import { useMemo } from 'react';
import { Virtualizer } from 'virtua';
import type { Activity, ConversationState } from '../../data/conversation/state.ts';
import type { KeyboardEvent } from 'react';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';
import type { MessageDeeds } from '../message/message-actions.tsx';
import type { TranscriptRow } from './transcript-rows.ts';
import type { UserContent } from '../../data/types.ts';

export interface TranscriptProps {
  readonly conversation: ConversationState;
  readonly live: LiveConversation;
  readonly deeds: MessageDeeds;
  /** Puts a message that was not sent back where it was written. */
  readonly onPutBack: (content: UserContent) => void;
  /** Place in the history of a message to begin at. */
  readonly place: number | undefined;
}

/** The conversation, newest at the bottom. Only what is in sight is drawn; what is read never moves by itself. */
export function Transcript({ conversation, live, deeds, onPutBack, place }: TranscriptProps) {
  const { messages, answer, compactions, sent, hasOlder } = conversation;
  const shown = useMemo(() => shownMessages({ messages, answer }), [messages, answer]);
  const rows = useMemo(
    () => transcriptRows({ messages: shown, compactions, sent }),
    [shown, compactions, sent],
  );
  const following = useFollowing({ rows, hasOlder, loadOlder: live.loadOlder, place });
  const { box, list, isShifting, onScroll, isAtBottom, hasNews, toBottom } = following;
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        tabIndex={0}
        onKeyDown={stepBetweenMessages}
        className="h-full overflow-y-auto py-3 [overflow-anchor:none]"
      >
        <Virtualizer ref={list} scrollRef={box} shift={isShifting} onScroll={onScroll} data={rows}>
          {(row) => (
            <Row
              key={row.key}
              row={row}
              conversation={conversation}
              live={live}
              deeds={deeds}
              onPutBack={onPutBack}
              place={place}
            />
          )}
        </Virtualizer>
        <StatusLine activity={activityOf(conversation)} compaction={conversation.runningCompaction} />
      </div>
      {!isAtBottom && (
        <Button
          look="primary"
          isSmall
          onClick={toBottom}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-lg"
        >
          <ArrowDown size={14} aria-hidden /> {hasNews ? 'New below' : 'To the newest'}
        </Button>
      )}
    </div>
  );
}

/** While a question waits, so does everything: another call may have ended meanwhile. */
function activityOf({ approvals, activity }: ConversationState): Activity {
  const [oldest] = approvals;
  return oldest && activity.type !== 'idle' ? { type: 'waiting', sinceMs: oldest.requestedAtMs } : activity;
}

interface RowProps extends TranscriptProps {
  readonly row: TranscriptRow;
}

function Row({ row, conversation, live, deeds, onPutBack, place }: RowProps) {
  const sessionId = conversation.session.id;
  if (row.type === 'compaction')
    return (
      <div className="mx-auto w-full max-w-3xl">
        <CompactionCard card={row.card} live={live} sessionId={sessionId} />
      </div>
    );
  if (row.type === 'sent') return <SentView sent={row.sent} live={live} onPutBack={onPutBack} />;
  const { ordinal } = row.message;
  return (
    <MessageView
      sessionId={sessionId}
      message={row.message}
      results={row.results}
      calls={conversation.calls}
      isPinned={conversation.pins.includes(ordinal)}
      isMarked={place === ordinal}
      deeds={deeds}
    />
  );
}

const steps: Readonly<Record<string, number>> = { j: 1, k: -1 };

/** `j` and `k` go to the next message and the one before. */
function stepBetweenMessages(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const articles = [...event.currentTarget.querySelectorAll<HTMLElement>('article[data-message]')];
  const now = articles.findIndex((article) => article.contains(document.activeElement));
  const next = now < 0 ? articles.at(step > 0 ? 0 : -1) : articles[now + step];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}
