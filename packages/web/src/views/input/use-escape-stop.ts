import { isComposing } from './send-key.ts';
import { say } from '../../parts/announcer.tsx';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useEffect, useState } from 'react';
import { useSessionActions } from '../../data/sessions.ts';
import type { KeyboardEvent } from 'react';

/** Between the two presses, at most. */
const mostBetweenMs = 1_000;

interface EscapeStop {
  /** What the next press does, while it does something. */
  readonly hint: string;
  /** Whether the key was one of the two. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

/** What Escape closes first. */
const open = '[role=dialog]:not([data-toast]), [role=menu], [data-edit]';

/** Escape twice within a second stops the agent, as in a terminal; the first press says so. */
export function useEscapeStop(sessionId: string, isBusy: boolean): EscapeStop {
  const { cancel } = useSessionActions();
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    if (!isAsked) return undefined;
    const timer = setTimeout(() => setAsked(false), mostBetweenMs);
    return () => clearTimeout(timer);
  }, [isAsked]);
  // What the first press meant is over with the run, and with the session that was shown.
  useEffect(() => () => setAsked(false), [sessionId, isBusy]);
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (event.key !== 'Escape' || !isPlain || isComposing(event) || !isBusy) return false;
    // A key that is held down is pressed once.
    if (event.repeat || document.querySelector(open)) return false;
    setAsked(!isAsked);
    if (isAsked) void toastFailure('It could not be stopped', () => cancel(sessionId));
    else say('Escape once more within a second stops the agent.');
    return true;
  };
  return { hint: isAsked ? 'Esc again stops it' : '', onKeyDown };
}
