import { Button, IconButton } from '../../parts/button.tsx';
import { canBeSentAgain } from '../../data/attached.ts';
import { isComposing, isSendKey } from '../input/send-key.ts';
import { MediaPart } from '../message/media-part.tsx';
import { saidText } from '../message/message-actions.tsx';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSessionActions } from '../../data/sessions.ts';
import { X } from 'lucide-react';
import type { HistoryMessage, MediaPart as Media } from '../../data/types.ts';
import type { KeyboardEvent } from 'react';

interface EditMessageProps {
  readonly sessionId: string;
  readonly message: HistoryMessage;
  readonly onClose: () => void;
}

/** A message of the user in other words, written where it stands: in a session of its own, and this one stays as it is. */
export function EditMessage({ sessionId, message, onClose }: EditMessageProps) {
  const { draft, isSending, canSend, send } = useEditing(sessionId, message, onClose);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(-1, -1);
  }, []);
  const giveBack = (): void => {
    // Who came by the keyboard goes on from the message.
    field.current?.closest('article')?.focus({ preventScroll: true });
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !isComposing(event)) giveBack();
    else if (isSendKey(event)) send();
    else return;
    event.preventDefault();
  };
  return (
    <form
      data-edit
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      className="flex flex-col gap-2"
    >
      <textarea
        ref={field}
        aria-label="The message in other words"
        dir="auto"
        rows={2}
        value={draft.text}
        readOnly={isSending}
        onChange={({ target }) => draft.setText(target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-[50vh] min-h-14 w-full resize-none rounded-lg border border-line-strong bg-ground px-3 py-2"
      />
      <KeptMedia sessionId={sessionId} kept={draft.media} onRemove={draft.removeMedia} />
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-40 flex-1 text-xs text-ink-soft">
          It goes on from here in a session of its own; this one stays as it is.
        </p>
        <Button isSmall disabled={isSending} onClick={giveBack}>
          Leave it as it was
        </Button>
        <Button type="submit" look="primary" isSmall disabled={!canSend}>
          Send
        </Button>
      </div>
    </form>
  );
}

interface Draft {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly media: readonly Media[];
  readonly removeMedia: (media: Media) => void;
}

interface Editing {
  readonly draft: Draft;
  readonly isSending: boolean;
  readonly canSend: boolean;
  readonly send: () => void;
}

function useEditing(sessionId: string, message: HistoryMessage, onClose: () => void): Editing {
  const [text, setText] = useState(() => saidText(message));
  const [media, setMedia] = useState(() => message.parts.filter((part) => part.type === 'media'));
  const [isSending, setSending] = useState(false);
  const { branch } = useSessionActions();
  const [, navigate] = useLocation();
  const attached = media.filter(canBeSentAgain);
  const canSend = !isSending && (text.trim() !== '' || attached.length > 0);
  const send = async (): Promise<void> => {
    if (!canSend) return;
    setSending(true);
    const isSent = await toastFailure('It could not be sent', async () => {
      const { id } = await branch(sessionId, message.ordinal, { text, attached });
      navigate(`/sessions/${id}`);
    });
    setSending(false);
    if (isSent) onClose();
  };
  const removeMedia = (removed: Media): void => setMedia(media.filter((one) => one !== removed));
  return { draft: { text, setText, media, removeMedia }, isSending, canSend, send: () => void send() };
}

interface KeptMediaProps {
  readonly sessionId: string;
  readonly kept: readonly Media[];
  readonly onRemove: (media: Media) => void;
}

/** What was attached to the message comes along, unless it is removed. */
function KeptMedia({ sessionId, kept, onRemove }: KeptMediaProps) {
  if (kept.length === 0) return null;
  return (
    <ul aria-label="What comes along" className="flex flex-wrap gap-2">
      {kept.map((media, at) => (
        <li key={at} className="flex max-w-full items-start gap-1">
          <MediaPart sessionId={sessionId} media={media} />
          {!canBeSentAgain(media) && (
            <p className="text-xs text-warn">It lies elsewhere, and does not come along.</p>
          )}
          <IconButton
            label={`Remove ${media.filename ?? media.mediaType}`}
            isSmall
            onClick={() => onRemove(media)}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** Which message of the transcript is written anew. */
export interface EditedMessage {
  /** Key of the row that is edited; `undefined` while none is. */
  readonly key: string | undefined;
  readonly begin: (message: HistoryMessage) => void;
  readonly end: () => void;
}

export function useEditedMessage(): EditedMessage {
  const [key, setKey] = useState<string>();
  const deeds = useMemo(
    () => ({
      begin: ({ ordinal }: HistoryMessage) => setKey(`m${ordinal}`),
      end: () => setKey(undefined),
    }),
    [],
  );
  return { key, ...deeds };
}
