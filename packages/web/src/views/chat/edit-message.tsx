import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/popups/dialog.tsx';
import { messageText } from '../message/message-actions.tsx';
import { toastFailure } from '../../parts/popups/toasts.tsx';
import { useLocation } from 'wouter';
import { useSessionActions } from '../../data/sessions.ts';
import { useState } from 'react';
import type { HistoryMessage } from '../../data/types.ts';

export interface EditMessageProps {
  readonly sessionId: string;
  readonly message: HistoryMessage;
  readonly onClose: () => void;
}

/** A message of the user in other words: in a session of its own, and this one stays as it is. */
export function EditMessage({ sessionId, message, onClose }: EditMessageProps) {
  const [text, setText] = useState(() => messageText(message));
  const [isSending, setSending] = useState(false);
  const { branch } = useSessionActions();
  const [, navigate] = useLocation();
  const send = async (): Promise<void> => {
    setSending(true);
    const isSent = await toastFailure('It could not be sent', async () => {
      const { id } = await branch(sessionId, message.ordinal, text);
      navigate(`/sessions/${id}`);
    });
    setSending(false);
    if (isSent) onClose();
  };
  const hasMedia = message.parts.some(({ type }) => type === 'media');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Say it in other words"
      about="It goes on from here in a session of its own; this one stays as it is."
    >
      <div className="flex flex-col gap-3">
        <textarea
          aria-label="The message in other words"
          dir="auto"
          rows={8}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="w-full rounded-lg border border-line-strong bg-ground px-3 py-2"
        />
        {hasMedia && <p className="text-sm text-warn">Its images and files do not come along.</p>}
        <Button look="primary" disabled={text.trim() === '' || isSending} onClick={() => void send()}>
          Send
        </Button>
      </div>
    </Dialog>
  );
}
