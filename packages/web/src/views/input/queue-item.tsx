import {
  ArrowDown,
  ArrowUp,
  Check,
  GripVertical,
  Paperclip,
  Pencil,
  SendHorizontal,
  Trash2,
  X,
} from 'lucide-react';
import { clsx } from 'clsx';
import { IconButton } from '../../parts/button.tsx';
import { useEffect, useRef } from 'react';
import { readableText, visibleText } from '../../parts/visible-text.ts';
import type { CSSProperties, KeyboardEvent } from 'react';
import type { DragOrder } from './use-drag-order.ts';
import type { QueueActions } from '../../data/conversation/queue.ts';
import type { WaitingMessage } from '../../data/types.ts';

interface QueueItemProps {
  readonly item: WaitingMessage;
  readonly isLast: boolean;
  readonly actions: QueueActions;
  readonly act: (what: string, call: () => Promise<unknown>) => Promise<unknown>;
  /** Its words as they are written anew; `null` while they are not. */
  readonly edited: string | null;
  readonly onEdit: (text: string | null) => void;
  readonly onSave: (text: string) => void;
  readonly grip: ReturnType<DragOrder['gripAt']>;
  /** Where it stands while the order is changed. */
  readonly style: CSSProperties | undefined;
  readonly isDragged: boolean;
}

/** A message that waits. */
export function QueueItem(props: QueueItemProps) {
  const { edited } = props;
  return edited === null ? <ShownItem {...props} /> : <EditedItem {...props} text={edited} />;
}

const icon = { size: 14, 'aria-hidden': true };

function ShownItem({ item, isLast, actions, act, onEdit, grip, style, isDragged }: QueueItemProps) {
  const { id, position, parts } = item;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const move = (by: number): void =>
    void act('The message could not be moved', () => actions.move(id, position + by));
  return (
    <li
      style={style}
      className={clsx(
        'flex items-center gap-1 rounded-md',
        style && !isDragged && 'motion-safe:transition-transform',
        isDragged && 'relative z-10 bg-ground-strong shadow-md',
      )}
    >
      {position === 1 && isLast ? null : (
        <span
          {...grip}
          data-grip
          aria-hidden
          title="Drag to another place"
          className="flex h-7 w-5 shrink-0 cursor-grab touch-none items-center justify-center text-ink-faint active:cursor-grabbing"
        >
          <GripVertical size={14} />
        </span>
      )}
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {readableText(text)}
      </span>
      <AttachedNames parts={parts} />
      <IconButton
        label={`Send message ${position} now`}
        isSmall
        onClick={() => void act('The message could not be sent', () => actions.sendNow(id))}
      >
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
      <IconButton label={`Edit message ${position}`} isSmall onClick={() => onEdit(text)}>
        <Pencil {...icon} />
      </IconButton>
      <IconButton
        label={`Remove message ${position}`}
        isSmall
        onClick={() => void act('The message could not be removed', () => actions.remove(id))}
      >
        <Trash2 {...icon} />
      </IconButton>
    </li>
  );
}

function AttachedNames({ parts }: Pick<WaitingMessage, 'parts'>) {
  const names = parts.flatMap((part) => (part.type === 'media' ? [part.filename ?? part.mediaType] : []));
  if (names.length === 0) return null;
  return (
    <span dir="auto" className="flex max-w-48 items-center gap-1 truncate text-xs text-ink-faint">
      <Paperclip size={12} aria-hidden className="shrink-0" />
      <span className="sr-only">attached: </span>
      <span className="truncate">{visibleText(names.join(', '))}</span>
    </span>
  );
}

interface EditedItemProps extends QueueItemProps {
  readonly text: string;
}

function EditedItem({ item: { position, parts }, text, onEdit, onSave }: EditedItemProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(-1, -1);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') onEdit(null);
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && text.trim() !== '') onSave(text);
  };
  return (
    <li data-edit className="flex items-end gap-1">
      <textarea
        ref={field}
        aria-label={`Message ${position} in the queue`}
        dir="auto"
        rows={2}
        value={text}
        onChange={({ target }) => onEdit(target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-[30vh] min-w-0 flex-1 rounded-md border border-line-strong bg-ground px-2 py-1"
      />
      <AttachedNames parts={parts} />
      <IconButton label="Leave it as it was" isSmall onClick={() => onEdit(null)}>
        <X {...icon} />
      </IconButton>
      <IconButton label="Save" isSmall disabled={text.trim() === ''} onClick={() => onSave(text)}>
        <Check {...icon} />
      </IconButton>
    </li>
  );
}
