import { useState, useSyncExternalStore } from 'react';
import { watchable } from '../data/watchable.ts';

const said = watchable({ text: '' });

/** Says something to who cannot see the page, as the conversation does what happens in it. */
export function say(text: string): void {
  said.set({ text });
}

/** The one place that speaks to who cannot see the page: what began, which tool runs, what was queued, what ended. */
export function Announcer({ text }: { readonly text: string }) {
  const own = useSyncExternalStore(said.subscribe, said.get);
  // What came last is said: none of the two goes back to what it said before.
  const [heard, setHeard] = useState({ text, own, newest: text });
  if (heard.text !== text) setHeard({ text, own, newest: text });
  else if (heard.own !== own) setHeard({ text, own, newest: own.text });
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {heard.newest}
    </p>
  );
}
