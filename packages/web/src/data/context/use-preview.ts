import { failed, loading, ready } from '../loadable.ts';
import { useEffect, useRef, useState } from 'react';
import type { CompactAnswer } from '@throughline/client';
import type { CompactWish, ContextActions } from './context-actions.ts';
import type { Loadable } from '../loadable.ts';

type UsedPreview = (Loadable<CompactAnswer> | { readonly state: 'idle' }) & {
  readonly ask: (wish: CompactWish) => void;
  readonly clear: () => void;
};

/** A look at a compaction that is not made. A newer question, or leaving, ends the older one. */
export function usePreview(actions: ContextActions): UsedPreview {
  const [now, setNow] = useState<Loadable<CompactAnswer> | { readonly state: 'idle' }>({ state: 'idle' });
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const stop = (): AbortController => {
    asking.current?.abort();
    return (asking.current = new AbortController());
  };
  return {
    ...now,
    ask(wish) {
      const { signal } = stop();
      setNow(loading);
      actions.preview(wish, signal).then(
        (answer) => signal.aborted || setNow(ready(answer)),
        (error: unknown) => signal.aborted || setNow(failed(error)),
      );
    },
    clear() {
      stop();
      setNow({ state: 'idle' });
    },
  };
}
