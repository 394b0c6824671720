import { Pencil } from 'lucide-react';
import { IconButton } from '../../parts/button.tsx';
import { sessionTitle } from '../../parts/format.ts';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useSessionActions } from '../../data/sessions.ts';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { SessionDetail } from '../../data/types.ts';

interface SessionTitleProps {
  readonly session: SessionDetail;
  readonly isRenaming: boolean;
  readonly onRenaming: (isRenaming: boolean) => void;
}

/** The title of a session, which is changed where it stands. */
export function SessionTitle({ session, isRenaming, onRenaming }: SessionTitleProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const endsByKey = useRef(false);
  useEffect(() => {
    if (!isRenaming && endsByKey.current) opener.current?.focus();
    endsByKey.current = false;
  }, [isRenaming]);
  const end = (isByKey: boolean): void => {
    endsByKey.current = isByKey;
    onRenaming(false);
  };
  if (isRenaming) return <TitleField session={session} onEnd={end} />;
  return (
    <div className="group flex min-w-0 flex-1 basis-32 items-center gap-1">
      <h1
        dir="auto"
        title={sessionTitle(session)}
        className="truncate font-semibold"
        onDoubleClick={() => onRenaming(true)}
      >
        {sessionTitle(session)}
      </h1>
      <IconButton
        ref={opener}
        label="Rename the session"
        isSmall
        className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100 max-md:hidden"
        onClick={() => onRenaming(true)}
      >
        <Pencil size={13} aria-hidden />
      </IconButton>
    </div>
  );
}

interface TitleFieldProps {
  readonly session: SessionDetail;
  /** A key gives the focus back; a click has put it elsewhere. */
  readonly onEnd: (isByKey: boolean) => void;
}

function TitleField({ session, onEnd }: TitleFieldProps) {
  const [title, setTitle] = useState(session.title ?? '');
  const { rename } = useSessionActions();
  const hasEnded = useRef(false);
  // Taking the field away blurs it, which would save once more.
  const end = (saves: boolean, isByKey: boolean): void => {
    if (hasEnded.current) return;
    hasEnded.current = true;
    const now = title.trim();
    if (saves && now !== '' && now !== session.title)
      void toastFailure('The session could not be renamed', () => rename(session.id, now));
    onEnd(isByKey);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    // The button that has the focus then is not pressed by the same key.
    event.preventDefault();
    end(event.key === 'Enter', true);
  };
  return (
    <input
      aria-label="Title of the session"
      dir="auto"
      autoFocus
      maxLength={200}
      value={title}
      placeholder={sessionTitle(session)}
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setTitle(target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => end(true, false)}
      className="min-w-0 flex-1 basis-32 rounded-md border border-line-strong bg-ground px-2 py-0.5 font-semibold"
    />
  );
}
