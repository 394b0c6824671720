import { ApprovalList } from './approval-list.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { inCallOrder } from '../../data/conversation/history.ts';
import { inputId } from './focus-input.ts';
import { isComposing, isSendKey } from './send-key.ts';
import { Paperclip, Play, Send, Square } from 'lucide-react';
import { QueueList } from './queue-list.tsx';
import { Notice } from '../../parts/notice.tsx';
import { SlashList } from './slash-list.tsx';
import { slashListId, slashOptionId, useSlash } from './use-slash.ts';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useEscapeStop } from './use-escape-stop.ts';
import { useRef, useState, useSyncExternalStore } from 'react';
import { useSessionActions } from '../../data/sessions.ts';
import type { ConversationState } from '../../data/conversation/state.ts';
import type { ClipboardEvent, KeyboardEvent } from 'react';
import type { Failure } from '../../data/loadable.ts';
import type { InputBox } from './input-box.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';
import type { Slash } from './use-slash.ts';

interface ComposerProps {
  readonly conversation: ConversationState;
  readonly live: LiveConversation;
  readonly box: InputBox;
}

/** What is below the conversation: questions that wait, messages that wait, and the input. */
export function Composer({ conversation, live, box }: ComposerProps) {
  const { session, queue, approvals, activity, runningCompaction, lastOutcome } = conversation;
  const isBusy = activity.type !== 'idle';
  const isWorking = isBusy || runningCompaction !== null;
  const isHeld =
    !isWorking && (queue.length > 0 || lastOutcome?.type === 'broken' || lastOutcome?.type === 'failed');
  return (
    <section
      aria-label="Your side"
      data-heir={inputId}
      className="flex max-h-[60%] shrink-0 flex-col gap-2 overflow-y-auto border-t border-line bg-ground p-3"
    >
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-2">
        <ApprovalList
          sessionId={session.id}
          approvals={inCallOrder(approvals, conversation.messages)}
          onAnswered={() => live.refresh('approvals')}
        />
        <QueueList
          sessionId={session.id}
          queue={queue}
          onChanged={() => live.refresh('queue')}
          onPutBack={box.putBack}
        />
        <Input
          conversation={conversation}
          live={live}
          box={box}
          isBusy={isBusy}
          willWait={isWorking}
          isHeld={isHeld}
        />
      </div>
    </section>
  );
}

interface InputProps extends ComposerProps {
  readonly isBusy: boolean;
  /** What is sent now waits, for a compaction by hand too. */
  readonly willWait: boolean;
  /** Messages wait that nobody works on. */
  readonly isHeld: boolean;
}

function Input({ conversation, live, box, isBusy, willWait, isHeld }: InputProps) {
  const { session, messages } = conversation;
  const text = useSyncExternalStore(box.text.subscribe, box.text.get);
  const attachments = useSyncExternalStore(box.attachments.subscribe, box.attachments.get);
  const { refusal, send, isEmpty } = useSending(live, box);
  const slash = useSlash(text, box);
  const escape = useEscapeStop(session.id, isBusy);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (slash.whole) slash.choose(slash.whole);
        else send();
      }}
      className="flex flex-col gap-2 rounded-xl border border-line-strong bg-ground-raised p-2 focus-within:border-accent has-[textarea:focus-visible]:ring-1 has-[textarea:focus-visible]:ring-accent"
    >
      {refusal && (
        <Notice tone="bad" title="It was not sent, and is back below">
          {refusal.detail}
        </Notice>
      )}
      <AttachmentList attachments={attachments} onRemove={box.detach} />
      <SlashList slash={slash} />
      <textarea
        id={inputId}
        aria-label="Message"
        dir="auto"
        rows={2}
        autoFocus={messages.length === 0 && matchMedia('(pointer: fine)').matches}
        value={text}
        placeholder={willWait ? 'Message will be queued…' : 'Message'}
        onChange={({ target }) => box.write(target.value)}
        {...listProps(slash)}
        onFocus={slash.onFocus}
        onBlur={slash.onBlur}
        onKeyDown={(event) => {
          if (slash.onKeyDown(event) || escape.onKeyDown(event)) return event.preventDefault();
          const pressed = keyOf(event, text);
          if (pressed === undefined) return;
          event.preventDefault();
          if (pressed === 'send') send();
          else box.write(lastUserText(messages));
        }}
        onPaste={(event) => attachPasted(event, box)}
        className="field-sizing-content max-h-[40vh] min-h-14 w-full resize-none bg-transparent px-2 py-1 outline-none"
      />
      <div className="flex items-center gap-1">
        <FilePicker onFiles={(files) => void box.attach(files)} />
        {/* Beside “Stop”, where it is seen wherever one reads. */}
        <span className="min-w-0 flex-1 truncate px-1 text-end text-xs text-ink-soft" data-hint>
          {escape.hint}
        </span>
        <RunButtons sessionId={session.id} isBusy={isBusy} isHeld={isHeld} />
        <Button type="submit" look="primary" isSmall disabled={isEmpty(text, attachments)}>
          <Send size={14} aria-hidden /> {willWait ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  );
}

/** A field of several lines can be no combobox: it says which of the list Enter does all the same. */
function listProps({ matches, active }: Slash) {
  if (matches.length === 0) return {};
  return {
    'aria-autocomplete': 'list',
    'aria-controls': slashListId,
    'aria-activedescendant': slashOptionId(active),
  } as const;
}

interface Sending {
  /** Why the last message was refused; it is back in the box. */
  readonly refusal: Failure | null;
  readonly send: () => void;
  readonly isEmpty: (text: string, attachments: readonly unknown[]) => boolean;
}

function useSending(live: LiveConversation, box: InputBox): Sending {
  const [refusal, setRefusal] = useState<Failure | null>(null);
  const isEmpty: Sending['isEmpty'] = (text, attachments) => text.trim() === '' && attachments.length === 0;
  const isBoxEmpty = (): boolean => isEmpty(box.text.get(), box.attachments.get());
  const send = async (): Promise<void> => {
    if (isBoxEmpty()) return;
    setRefusal(null);
    const content = box.take();
    // What the server never had a chance to refuse stays in the conversation: the same message can be tried again.
    const failure = await live.send(content, undefined, ({ code }) => code !== 'unreachable' && isBoxEmpty());
    if (!failure) return;
    box.putBack(content);
    setRefusal(failure);
  };
  return { refusal, send: () => void send(), isEmpty };
}

/** What a key does in the field, where it is not a letter. */
function keyOf(event: KeyboardEvent, text: string): 'send' | 'last' | undefined {
  if (isComposing(event)) return undefined;
  const hasOther = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey;
  if (event.key === 'ArrowUp' && text === '' && !hasOther) return 'last';
  return isSendKey(event) ? 'send' : undefined;
}

/** Pasted images and files are attached; pasted text stays text, also where a program copies a picture of it along. */
function attachPasted(event: ClipboardEvent, box: InputBox): void {
  const files = [...event.clipboardData.files];
  if (files.length === 0 || event.clipboardData.getData('text/plain') !== '') return;
  event.preventDefault();
  void box.attach(files);
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

function lastUserText(messages: ConversationState['messages']): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return last ? last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n') : '';
}
