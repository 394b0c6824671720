import { ApprovalList } from './approval-list.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { Paperclip, Play, Send, Square } from 'lucide-react';
import { QueueList } from './queue-list.tsx';
import { toastFailure } from '../../parts/popups/toasts.tsx';
import { useAttachments } from './use-attachments.ts';
import { useDraft } from '../../data/drafts.ts';
import { useRef } from 'react';
import { useSessionActions } from '../../data/sessions.ts';
import type { Attachment } from './use-attachments.ts';
import type { ConversationState } from '../../data/conversation/state.ts';
import type { KeyboardEvent } from 'react';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';
import type { UserContent } from '../../data/types.ts';

export interface ComposerProps {
  readonly conversation: ConversationState;
  readonly live: LiveConversation;
}

/** What is below the conversation: questions that wait, messages that wait, and the input. */
export function Composer({ conversation, live }: ComposerProps) {
  const { session, queue, approvals, activity, lastOutcome } = conversation;
  const isBusy = activity.type !== 'idle';
  const isHeld =
    !isBusy && (queue.length > 0 || lastOutcome?.type === 'broken' || lastOutcome?.type === 'failed');
  return (
    <section
      aria-label="Your side"
      className="flex max-h-[60%] shrink-0 flex-col gap-2 overflow-y-auto border-t border-line bg-ground p-3"
    >
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-2">
        <ApprovalList
          sessionId={session.id}
          approvals={approvals}
          onAnswered={() => live.refresh('approvals')}
        />
        <QueueList sessionId={session.id} queue={queue} onChanged={() => live.refresh('queue')} />
        <Input conversation={conversation} live={live} isBusy={isBusy} isHeld={isHeld} />
      </div>
    </section>
  );
}

interface InputProps extends ComposerProps {
  readonly isBusy: boolean;
  /** Messages wait that nobody works on. */
  readonly isHeld: boolean;
}

function Input({ conversation, live, isBusy, isHeld }: InputProps) {
  const { session, messages } = conversation;
  const [text, setText] = useDraft(session.id);
  const { attachments, add, remove, clear, onPaste } = useAttachments();
  const isEmpty = text.trim() === '' && attachments.length === 0;
  const send = (): void => {
    if (isEmpty) return;
    setText('');
    clear();
    void live.send(contentOf(text, attachments));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowUp' && text === '') setText(lastUserText(messages));
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void add([...event.dataTransfer.files]);
      }}
      className="flex flex-col gap-2 rounded-xl border border-line-strong bg-ground-raised p-2 focus-within:border-accent"
    >
      <AttachmentList attachments={attachments} onRemove={remove} />
      <textarea
        aria-label="Message"
        dir="auto"
        rows={2}
        value={text}
        placeholder={isBusy ? 'Message will be queued…' : 'Message'}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="field-sizing-content max-h-[40vh] min-h-14 w-full resize-none bg-transparent px-2 py-1 outline-none"
      />
      <div className="flex items-center gap-1">
        <FilePicker onFiles={(files) => void add(files)} />
        <span className="flex-1" />
        <RunButtons sessionId={session.id} isBusy={isBusy} isHeld={isHeld} />
        <Button type="submit" look="primary" isSmall disabled={isEmpty}>
          <Send size={14} aria-hidden /> {isBusy ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  );
}

function FilePicker({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label="Attach images or files" isSmall onClick={() => picker.current?.click()}>
        <Paperclip size={16} aria-hidden />
      </IconButton>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </>
  );
}

interface RunButtonsProps extends Pick<InputProps, 'isBusy' | 'isHeld'> {
  readonly sessionId: string;
}

function RunButtons({ sessionId, isBusy, isHeld }: RunButtonsProps) {
  const { cancel, resume } = useSessionActions();
  if (isBusy)
    return (
      <Button isSmall onClick={() => void toastFailure('It could not be stopped', () => cancel(sessionId))}>
        <Square size={14} aria-hidden /> Stop
      </Button>
    );
  if (!isHeld) return null;
  return (
    <Button isSmall onClick={() => void toastFailure('It could not go on', () => resume(sessionId))}>
      <Play size={14} aria-hidden /> Go on
    </Button>
  );
}

function contentOf(text: string, attachments: readonly Attachment[]): UserContent {
  if (attachments.length === 0) return text;
  const words = text.trim() === '' ? [] : [{ type: 'text', text } as const];
  return [...words, ...attachments.map(({ part }) => part)];
}

function lastUserText(messages: ConversationState['messages']): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return last ? last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n') : '';
}
