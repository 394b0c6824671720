import { Boundary } from '../boundary.tsx';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { watchable } from '../../data/watchable.ts';

interface ToastText {
  readonly title: string;
  readonly detail?: string;
  readonly isBad: boolean;
  /** Takes the place of what was said with the same one. */
  readonly key?: string;
}

/** What was said before the list was there, or since it took over; it takes them out. */
export const unsaid = watchable<readonly ToastText[]>([]);

/** Says something for a few seconds, wherever the user is on the page. */
export function toast(
  title: string,
  { isBad = false, ...more }: Partial<Omit<ToastText, 'title'>> = {},
): void {
  unsaid.set([...unsaid.get(), { title, isBad, ...more }]);
}

/** Runs something for the user; what it throws is said. */
export async function toastFailure(what: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toast(what, { detail: error instanceof Error ? error.message : String(error), isBad: true });
    return false;
  }
}

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
