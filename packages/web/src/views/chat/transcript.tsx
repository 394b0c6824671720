import { ArrowDown } from 'lucide-react';
import { branchesAt } from '../../data/session/branches.ts';
import { Button } from '../../parts/button.tsx';
import { CompactionCard } from '../context/compaction-card.tsx';
import { EditMessage } from './edit-message.tsx';
import { Empty } from '../../parts/notice.tsx';
import { MessageView } from '../message/message-view.tsx';
import { SentView } from './sent-view.tsx';
import { writtenMessage } from '../../data/conversation/history.ts';
import { StatusLine } from './status-line.tsx';
import { LoadNotice } from './load-notice.tsx';
import { OpenedProvider } from '../message/collapsible.tsx';
import { outcomeTrouble } from '../../data/conversation/trouble.ts';
import { RunEnd } from './run-end.tsx';
import { isShown } from '../../data/conversation/far-messages.ts';
import { farRows, rowAt, transcriptRows, withLive } from './transcript-rows.ts';
import { useFamily } from '../../data/session/use-family.ts';
import { useFollowing } from './use-following.ts';
import { memo, useMemo, useState } from 'react';
import { Virtualizer } from 'virtua';
import type { Activity, ConversationState, EndedRun } from '../../data/conversation/state.ts';
import type { EditedMessage } from './edit-message.tsx';
import type { KeyboardEvent } from 'react';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';
import type { MessageDeeds } from '../message/message-actions.tsx';
import type { Session } from '../../data/types.ts';
import type { TranscriptRow } from './transcript-rows.ts';
import type { UserContent } from '../../data/types.ts';

interface TranscriptProps {
  readonly conversation: ConversationState;
  readonly live: LiveConversation;
  readonly deeds: MessageDeeds;
  readonly editing: EditedMessage;
  /** Puts a message that was not sent back where it was written. */
  readonly onPutBack: (content: UserContent) => void;
  /** Place in the history of a message to begin at. */
  readonly place: number | undefined;
}

/** The conversation, newest at the bottom. Only what is in sight is drawn; what is read never moves by itself. */
export function Transcript({ conversation, live, deeds, editing, onPutBack, place }: TranscriptProps) {
  const { runId, loads } = conversation;
  const { rows, newest, calls } = useRows(conversation);
  const family = useFamily(conversation.session.family);
  const around = aroundOf(conversation, live, place);
  const following = useFollowing({ rows, newestKey: newest.at(-1)?.key, ...around });
  const { box, list, isShifting, onScroll, onClick, isAtBottom, hasNews, toBottom } = following;
  const marked =
    place === undefined || !around.isPlaceShown ? undefined : rows[rowAt(rows, place) ?? -1]?.key;
  // What has the focus, or is written anew, is not taken away when it is out of sight.
  const [focusedKey, setFocusedKey] = useState<string>();
  const mounted = useMemo(() => rowsNamed(rows, [focusedKey, editing.key]), [rows, focusedKey, editing.key]);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        tabIndex={0}
        onKeyDown={stepBetweenMessages}
        onClick={onClick}
        onFocus={({ target }) => setFocusedKey(rowKeyOf(target))}
        className="h-full overflow-y-auto py-3 [overflow-anchor:none] focus-visible:-outline-offset-2 max-md:px-2"
      >
        {rows.length === 0 && <Begin isIdle={conversation.activity.type === 'idle'} />}
        <OpenedProvider>
          <Virtualizer
            key={runId}
            ref={list}
            scrollRef={box}
            shift={isShifting}
            keepMounted={mounted}
            onScroll={onScroll}
            data={rows}
          >
            {(row) => (
              <Row
                key={row.key}
                row={row}
                sessionId={conversation.session.id}
                calls={calls}
                pins={conversation.pins}
                live={live}
                deeds={deeds}
                onEditEnd={row.key === editing.key ? editing.end : undefined}
                onPutBack={onPutBack}
                family={family}
                isMarked={row.key === marked}
              />
            )}
          </Virtualizer>
        </OpenedProvider>
        <StatusLine activity={activityOf(conversation)} compaction={conversation.runningCompaction} />
      </div>
      <LoadNotice direction="older" {...loads.older} />
      <LoadNotice direction="newer" isLoading={false} failure={loads.newer.failure} />
      {!isAtBottom && <ToBottom hasNews={hasNews} onClick={toBottom} />}
    </div>
  );
}

/** What there is beside the messages that are shown, and how it is come by. */
function aroundOf(
  conversation: ConversationState,
  { loadOlder, loadNewer, goTo, toNewest }: LiveConversation,
  place: number | undefined,
) {
  const { far, runId, askedId } = conversation;
  const { older, newer } = conversation.loads;
  const isFar = far !== null;
  const hasOlder = far ? far.next !== null : conversation.hasOlder;
  return {
    runId,
    isFar,
    place,
    isPlaceShown: place !== undefined && isShown(place, conversation),
    canGo: !older.isLoading && !older.failure && (isFar || hasOlder),
    canLoadOlder: !older.isLoading && !older.failure && hasOlder,
    canLoadNewer: !older.isLoading && !newer.isLoading && !newer.failure && isFar,
    loadOlder,
    loadNewer,
    goTo,
    toNewest,
    askedId,
  };
}

function useRows(conversation: ConversationState): {
  readonly rows: readonly TranscriptRow[];
  /** Those up to the newest, whatever is shown. */
  readonly newest: readonly TranscriptRow[];
  readonly calls: Calls;
} {
  const { far, messages, answer, compactions, sent, calls, approvals } = conversation;
  const endedRuns = useToldEnds(conversation);
  // What is written word by word leaves the rows before it as they are.
  const settled = useMemo(
    () => transcriptRows({ messages, compactions, endedRuns }),
    [messages, compactions, endedRuns],
  );
  const written = useMemo(() => writtenMessage({ messages, answer }), [messages, answer]);
  const newest = useMemo(() => withLive(settled, written, sent), [settled, written, sent]);
  const rows = useMemo(
    () => (far ? farRows({ messages: far.messages, compactions, endedRuns }) : newest),
    [far, compactions, endedRuns, newest],
  );
  return { rows, newest, calls: useMemo(() => withQuestions({ calls, approvals }), [calls, approvals]) };
}

/** The ends of runs, but for the newest while the banner above the input says it. */
function useToldEnds({ endedRuns, trouble }: ConversationState): readonly EndedRun[] {
  const isInBanner = trouble !== null;
  return useMemo(() => {
    const newest = endedRuns.at(-1);
    const isSaid = isInBanner && newest !== undefined && outcomeTrouble(newest.outcome, 0) !== null;
    return isSaid ? endedRuns.slice(0, -1) : endedRuns;
  }, [endedRuns, isInBanner]);
}

/** Before anything was said. */
function Begin({ isIdle }: { readonly isIdle: boolean }) {
  if (!isIdle) return null;
  return (
    <Empty title="What is to be done?">
      Write it below; images and files can be dropped anywhere here. How full the context is stands at the
      top, and <kbd>?</kbd> lists the keys of this page.
    </Empty>
  );
}

/** At the right, where a card has no buttons; on a narrow page a picture alone, unless there is something new. */
function ToBottom({ hasNews, onClick }: { readonly hasNews: boolean; readonly onClick: () => void }) {
  return (
    <Button
      look="primary"
      isSmall
      title={hasNews ? undefined : 'To the newest'}
      onClick={onClick}
      className="absolute right-5 bottom-3 shadow-lg max-md:right-3 max-md:min-h-9"
    >
      <ArrowDown size={14} aria-hidden />
      <span className={hasNews ? undefined : 'max-md:sr-only'}>
        {hasNews ? 'New below' : 'To the newest'}
      </span>
    </Button>
  );
}

/** While a question waits, so does everything: another call may have ended meanwhile. */
function activityOf({ approvals, activity }: ConversationState): Activity {
  const [oldest] = approvals;
  return oldest && activity.type !== 'idle' ? { type: 'waiting', sinceMs: oldest.requestedAtMs } : activity;
}

type Calls = ConversationState['calls'];

/** A call that somebody is asked about waits, whoever looked on when it began. */
function withQuestions({ calls, approvals }: Pick<ConversationState, 'calls' | 'approvals'>): Calls {
  const asked = approvals.flatMap(({ callId, toolName, requestedAtMs }) => {
    const waits = {
      toolName,
      state: 'pending',
      output: '',
      startedAtMs: requestedAtMs,
      durationMs: null,
    } as const;
    return callId in calls ? [] : [[callId, waits] as const];
  });
  return asked.length === 0 ? calls : { ...calls, ...Object.fromEntries(asked) };
}

interface RowProps extends Pick<TranscriptProps, 'live' | 'deeds' | 'onPutBack'> {
  readonly row: TranscriptRow;
  readonly sessionId: string;
  readonly calls: Calls;
  readonly pins: ConversationState['pins'];
  /** Where its message is written anew. */
  readonly onEditEnd: (() => void) | undefined;
  readonly family: readonly Session[];
  /** The page was opened at it. */
  readonly isMarked: boolean;
}

/** Drawn again only where something of it has changed: another one may get a word more twenty times a second. */
const Row = memo(function Row(props: RowProps) {
  const { row, sessionId, calls, pins, live, deeds, onEditEnd, onPutBack, family, isMarked } = props;
  if (row.type === 'compaction')
    return (
      <div className="mx-auto w-full max-w-3xl">
        <CompactionCard card={row.card} live={live} sessionId={sessionId} />
      </div>
    );
  if (row.type === 'run-end') return <RunEnd outcome={row.outcome} />;
  if (row.type === 'sent') return <SentView sent={row.sent} live={live} onPutBack={onPutBack} />;
  const { ordinal, role } = row.message;
  const branches = role === 'user' ? branchesAt(family, sessionId, ordinal) : undefined;
  return (
    <MessageView
      sessionId={sessionId}
      message={row.message}
      results={row.results}
      calls={calls}
      isPinned={pins.includes(ordinal)}
      branches={branches}
      isMarked={isMarked}
      deeds={deeds}
      editor={onEditEnd && <EditMessage sessionId={sessionId} message={row.message} onClose={onEditEnd} />}
    />
  );
});

/** Key of the row around it; the page writes it at messages and at cards. */
function rowKeyOf(target: Element): string | undefined {
  const row = target.closest<HTMLElement>('article, [data-compaction]');
  return row?.dataset['compaction'] ?? row?.id;
}

function rowsNamed(rows: readonly TranscriptRow[], keys: readonly (string | undefined)[]): readonly number[] {
  return rows.flatMap(({ key }, at) => (keys.includes(key) ? [at] : []));
}

const steps: Readonly<Record<string, number>> = { j: 1, k: -1 };

/** `j` and `k` go to the next message and the one before. */
function stepBetweenMessages(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  if (event.target instanceof HTMLTextAreaElement) return;
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const articles = [...event.currentTarget.querySelectorAll<HTMLElement>('article[data-message]')];
  const now = articles.findIndex((article) => article.contains(document.activeElement));
  const next = now < 0 ? articles.at(step > 0 ? 0 : -1) : articles[now + step];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}
