import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';

interface ReaderScroll {
  /** The reader goes up; `isMoved`: it may be seen already, as the browser moves the page beside the scripts. */
  readonly goUp: (seen: { readonly isMoved: boolean }) => void;
  readonly toTop: () => void;
  readonly toBottom: () => void;
}

/** What of a page is seen again on the next one. */
const keptPx = 40;
/** Keys in there are its own. */
const ownKeys = 'input, textarea, select, pre, [contenteditable], [role="slider"]';

/**
 * Tells what the reader wants before the browser moves anything. Home, End and whole pages go there at once: the browser
 * glides there, and stops half way where rows get their size under it.
 */
export function useReaderScroll(box: RefObject<HTMLElement | null>, acts: ReaderScroll): void {
  const latest = useRef(acts);
  useEffect(() => {
    latest.current = acts;
  });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const listening = new AbortController();
    const { signal } = listening;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || isInside(event.target, ownKeys)) return;
      if (keysUp.has(event.key) || (event.key === ' ' && event.shiftKey))
        latest.current.goUp({ isMoved: false });
      const act = keyActs[event.key];
      if (!act || event.shiftKey) return;
      event.preventDefault();
      act(element, latest.current);
    };
    const onWheel = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0) latest.current.goUp({ isMoved: true });
    };
    element.addEventListener('keydown', onKey, { signal });
    element.addEventListener('wheel', onWheel, { signal, passive: true });
    element.addEventListener('touchmove', () => latest.current.goUp({ isMoved: true }), {
      signal,
      passive: true,
    });
    element.addEventListener(
      'pointerdown',
      (event) => isOnBar(element, event) && latest.current.goUp({ isMoved: true }),
      {
        signal,
      },
    );
    return () => listening.abort();
  }, [box]);
}

const keysUp: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);

type KeyAct = (element: HTMLElement, acts: ReaderScroll) => void;

const keyActs: Readonly<Record<string, KeyAct>> = {
  Home: (_, { toTop }) => toTop(),
  End: (_, { toBottom }) => toBottom(),
  PageUp: (element) => element.scrollBy({ top: keptPx - element.clientHeight, behavior: 'instant' }),
  PageDown: (element) => element.scrollBy({ top: element.clientHeight - keptPx, behavior: 'instant' }),
};

function isInside(target: EventTarget | null, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null;
}

/** The scroll bar is no element of its own: it stands where the content of the box does not. */
function isOnBar(element: HTMLElement, { target, offsetX }: PointerEvent): boolean {
  return target === element && (offsetX > element.clientWidth || offsetX < 0);
}
