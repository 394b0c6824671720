import { Button } from '../../parts/button.tsx';
import { focusInput } from './focus-input.ts';
import { Notice } from '../../parts/notice.tsx';
import { QueueItem } from './queue-item.tsx';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useQueueActions } from '../../data/conversation/queue.ts';
import { useDragOrder } from './use-drag-order.ts';
import { useState } from 'react';
import type { WaitingMessage } from '../../data/types.ts';

interface QueueListProps {
  readonly sessionId: string;
  readonly queue: readonly WaitingMessage[];
  readonly onChanged: () => void;
  /** Puts words into the input that have no message any more. */
  readonly onPutBack: (text: string) => void;
}

/** A message that is written anew. */
interface Edited {
  readonly id: string;
  readonly text: string;
  /** When the message was last changed before this was saved: until the queue tells of it the old words are no longer true. */
  readonly savedOverMs?: number;
}

/** Messages that wait for the agent, in their order. */
export function QueueList({ sessionId, queue, onChanged, onPutBack }: QueueListProps) {
  const actions = useQueueActions(sessionId);
  const [edited, setEdited] = useState<Edited | null>(null);
  // The agent may take a message while its words are changed: they are not lost.
  const isUnsaved = edited !== null && edited.savedOverMs === undefined;
  const orphan = isUnsaved && queue.every(({ id }) => id !== edited.id) ? edited : null;
  const act = async (what: string, call: () => Promise<unknown>): Promise<boolean> => {
    const isDone = await toastFailure(what, call);
    onChanged();
    return isDone;
  };
  const save = async (item: WaitingMessage, text: string): Promise<void> => {
    if (await act('The message could not be changed', () => actions.edit(item, text)))
      setEdited({ id: item.id, text, savedOverMs: item.updatedAtMs });
  };
  const order = useDragOrder(queue, async (from, to) => {
    const id = queue[from]?.id ?? '';
    return await act('The message could not be moved', () => actions.move(id, to + 1));
  });
  if (queue.length === 0 && !orphan) return null;
  return (
    <section
      aria-label="Messages that wait"
      className="rounded-lg border border-line bg-ground-soft p-2 text-sm"
    >
      {orphan && (
        <Orphan
          onPutBack={() => {
            onPutBack(orphan.text);
            setEdited(null);
            focusInput();
          }}
          onDrop={() => setEdited(null)}
        />
      )}
      {queue.length > 0 && (
        <QueueHead
          count={queue.length}
          onClear={() => void act('The queue could not be cleared', actions.clear)}
        />
      )}
      <ol className="flex flex-col gap-1">
        {queue.map((item, at) => (
          <QueueItem
            grip={order.gripAt(at)}
            style={order.styleAt(at)}
            isDragged={order.draggedAt === at}
            key={item.id}
            item={item}
            isLast={at === queue.length - 1}
            actions={actions}
            act={act}
            edited={editedText(item, edited)}
            onEdit={(text) => setEdited(text === null ? null : { id: item.id, text })}
            onSave={(text) => void save(item, text)}
          />
        ))}
      </ol>
    </section>
  );
}

function editedText({ id, updatedAtMs }: WaitingMessage, edited: Edited | null): string | null {
  if (edited?.id !== id) return null;
  const isTold = edited.savedOverMs !== undefined && edited.savedOverMs !== updatedAtMs;
  return isTold ? null : edited.text;
}

interface OrphanProps {
  readonly onPutBack: () => void;
  readonly onDrop: () => void;
}

function Orphan({ onPutBack, onDrop }: OrphanProps) {
  return (
    <Notice
      tone="warn"
      title="The message that you were changing waits no longer"
      actions={
        <>
          <Button isSmall onClick={onPutBack}>
            Into the input
          </Button>
          <Button isSmall look="ghost" onClick={onDrop}>
            Drop it
          </Button>
        </>
      }
    >
      It was sent or removed as it was before. Your words are still here.
    </Notice>
  );
}

function QueueHead({ count, onClear }: { readonly count: number; readonly onClear: () => void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <header className="flex items-center gap-2 pb-1">
      <span className="rounded-full bg-accent px-2 text-xs font-semibold text-accent-ink">{count}</span>
      <h2 className="flex-1 text-xs font-semibold">{count === 1 ? 'message waits' : 'messages wait'}</h2>
      {isAsking && (
        <Button isSmall look="ghost" onClick={() => setAsking(false)}>
          Keep them
        </Button>
      )}
      <Button
        isSmall
        look={isAsking ? 'danger' : 'ghost'}
        onClick={() => {
          setAsking(!isAsking);
          if (isAsking) onClear();
        }}
      >
        {isAsking ? `Remove ${count} for good` : 'Remove all'}
      </Button>
    </header>
  );
}
