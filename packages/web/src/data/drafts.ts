import { useState } from 'react';

const prefix = 'throughline.draft.';
/** A draft is what somebody types; what is longer was pasted, and is not worth the room. */
const mostCharacters = 20_000;
const mostDrafts = 50;

/** What was typed in a session and not sent: it is there again after a reload. */
export function useDraft(sessionId: string): readonly [string, (text: string) => void] {
  const key = prefix + sessionId;
  const [text, setText] = useState(() => localStorage.getItem(key) ?? '');
  const keep = (now: string): void => {
    setText(now);
    if (now === '' || now.length > mostCharacters) localStorage.removeItem(key);
    else keepDraft(key, now);
  };
  return [text, keep];
}

function keepDraft(key: string, text: string): void {
  try {
    if (localStorage.getItem(key) === null) dropOldDrafts();
    localStorage.setItem(key, text);
  } catch {
    // The browser has no room, or keeps nothing: the draft lasts as long as the page.
  }
}

function dropOldDrafts(): void {
  const keys = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  for (const key of keys.slice(0, Math.max(0, keys.length - mostDrafts + 1))) localStorage.removeItem(key);
}
