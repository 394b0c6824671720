import { Button } from '../../parts/button.tsx';
import { useState } from 'react';
import type { TranscriptProps } from './transcript.tsx';

export function Composer({ conversation, live }: TranscriptProps) {
  const [text, setText] = useState('');
  const isBusy = conversation.activity.type !== 'idle';
  const send = (): void => {
    if (text.trim() === '') return;
    setText('');
    void live.send(text);
  };
  return (
    <form
      className="flex gap-2 border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label="Message"
        dir="auto"
        rows={2}
        value={text}
        placeholder={isBusy ? 'Message will be queued…' : 'Message'}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
        className="min-w-0 flex-1 resize-none rounded-lg border border-line-strong bg-ground-raised px-3 py-2"
      />
      <Button type="submit" look="primary" disabled={text.trim() === ''}>
        Send
      </Button>
    </form>
  );
}
