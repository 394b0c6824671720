import { Boundary } from '../boundary.tsx';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { unsaid } from './toast.ts';
import type { ToastText } from './toast.ts';

const ToastList = lazy(() => import('./toast-list.tsx').then((module) => ({ default: module.ToastList })));

let wasAsked = false;

/** Loaded with the first thing that is said. */
export function Toasts() {
  const texts = useSyncExternalStore(unsaid.subscribe, unsaid.get);
  wasAsked ||= texts.length > 0;
  return wasAsked ? (
    <Boundary place="toasts" fallback={<PlainToasts texts={texts} />}>
      <Suspense>
        <ToastList />
      </Suspense>
    </Boundary>
  ) : null;
}

const shownMs = 6_000;

/** Where the list did not arrive: that the server is gone has to be said, too. */
function PlainToasts({ texts }: { readonly texts: readonly ToastText[] }) {
  useEffect(() => {
    if (texts.length === 0) return undefined;
    const timer = setTimeout(() => unsaid.set([]), shownMs);
    return () => clearTimeout(timer);
  }, [texts]);
  const newest = texts.at(-1);
  if (!newest) return null;
  return (
    <div
      role={newest.isBad ? 'alert' : 'status'}
      className="fixed top-14 left-1/2 z-50 w-80 max-w-[calc(100vw-2rem)] -translate-x-1/2 rounded-lg border border-line bg-ground-raised p-3 text-sm shadow-lg max-md:top-20"
    >
      <p className="font-medium">{newest.title}</p>
      {newest.detail !== undefined && <p className="text-xs break-words">{newest.detail}</p>}
    </div>
  );
}
