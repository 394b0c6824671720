import { ArrowDown, ArrowUp, Check, Pencil, SendHorizontal, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../parts/button.tsx';
import { toastFailure } from '../../parts/popups/toasts.tsx';
import { useQueueActions } from '../../data/queue.ts';
import { useState } from 'react';
import type { QueueActions } from '../../data/queue.ts';
import type { WaitingMessage } from '../../data/types.ts';

export interface QueueListProps {
  readonly sessionId: string;
  readonly queue: readonly WaitingMessage[];
  readonly onChanged: () => void;
}

/** Messages that wait for the agent, in their order. */
export function QueueList({ sessionId, queue, onChanged }: QueueListProps) {
  const actions = useQueueActions(sessionId);
  if (queue.length === 0) return null;
  const act = async (what: string, call: () => Promise<unknown>): Promise<void> => {
    await toastFailure(what, call);
    onChanged();
  };
  return (
    <section
      aria-label="Messages that wait"
      className="rounded-lg border border-line bg-ground-soft p-2 text-sm"
    >
      <header className="flex items-center gap-2 pb-1">
        <span className="rounded-full bg-accent px-2 text-xs font-semibold text-accent-ink">
          {queue.length}
        </span>
        <h2 className="flex-1 text-xs font-semibold">
          {queue.length === 1 ? 'message waits' : 'messages wait'}
        </h2>
        <Button
          isSmall
          look="ghost"
          onClick={() => void act('The queue could not be cleared', actions.clear)}
        >
          Remove all
        </Button>
      </header>
      <ol className="flex flex-col gap-1">
        {queue.map((item, at) => (
          <QueueItem key={item.id} item={item} isLast={at === queue.length - 1} actions={actions} act={act} />
        ))}
      </ol>
    </section>
  );
}

interface QueueItemProps {
  readonly item: WaitingMessage;
  readonly isLast: boolean;
  readonly actions: QueueActions;
  readonly act: (what: string, call: () => Promise<unknown>) => Promise<void>;
}

function QueueItem(props: QueueItemProps) {
  const [edited, setEdited] = useState<string | null>(null);
  if (edited === null) return <ShownItem {...props} onEdit={setEdited} />;
  return <EditedItem {...props} text={edited} onText={setEdited} />;
}

const icon = { size: 14, 'aria-hidden': true };

function ShownItem(props: QueueItemProps & { readonly onEdit: (text: string) => void }) {
  const { item, isLast, actions, act, onEdit } = props;
  const { id, position, parts } = item;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const files = parts.filter(({ type }) => type === 'media').length;
  const move = (by: number): void =>
    void act('The message could not be moved', () => actions.move(id, position + by));
  const sendNow = (): void => void act('The message could not be sent', () => actions.sendNow(id));
  const remove = (): void => void act('The message could not be removed', () => actions.remove(id));
  return (
    <li className="flex items-center gap-1">
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {text}
        {files > 0 && <span className="text-ink-faint"> and {files} attached</span>}
      </span>
      <IconButton label={`Send message ${position} now`} isSmall onClick={sendNow}>
        <SendHorizontal {...icon} />
      </IconButton>
      <IconButton
        label={`Move message ${position} up`}
        isSmall
        disabled={position === 1}
        onClick={() => move(-1)}
      >
        <ArrowUp {...icon} />
      </IconButton>
      <IconButton label={`Move message ${position} down`} isSmall disabled={isLast} onClick={() => move(1)}>
        <ArrowDown {...icon} />
      </IconButton>
      <IconButton
        label={`Edit message ${position}`}
        isSmall
        disabled={files > 0}
        onClick={() => onEdit(text)}
      >
        <Pencil {...icon} />
      </IconButton>
      <IconButton label={`Remove message ${position}`} isSmall onClick={remove}>
        <Trash2 {...icon} />
      </IconButton>
    </li>
  );
}

interface EditedItemProps extends QueueItemProps {
  readonly text: string;
  /** `null` ends it. */
  readonly onText: (text: string | null) => void;
}

function EditedItem({ item: { id, position }, actions, act, text, onText }: EditedItemProps) {
  const save = (): void => {
    onText(null);
    void act('The message could not be changed', () => actions.edit(id, text));
  };
  return (
    <li className="flex items-end gap-1">
      <textarea
        aria-label={`Message ${position} in the queue`}
        dir="auto"
        rows={2}
        value={text}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onText(null)}
        className="min-w-0 flex-1 rounded-md border border-line-strong bg-ground px-2 py-1"
      />
      <IconButton label="Save" isSmall disabled={text.trim() === ''} onClick={save}>
        <Check {...icon} />
      </IconButton>
    </li>
  );
}
