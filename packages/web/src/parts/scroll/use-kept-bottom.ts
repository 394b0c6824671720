import { useLayoutEffect, useRef, useState } from 'react';
import { useReaderScroll } from './use-reader-scroll.ts';
import type { RefObject } from 'react';

interface KeptBottom {
  readonly isAtBottom: boolean;
  readonly toBottom: () => void;
  /** What is read stays in sight from now on, whatever comes below. */
  readonly leave: () => void;
  /** To be called at each scroll of the box; says whether somebody reads above the bottom. */
  readonly onScroll: () => { readonly isReading: boolean };
  /** Something opens in a row of the box: it is read from its beginning, and not from the end of the box. */
  readonly onOpen: (row: Element | null) => void;
}

interface KeptBottomOptions {
  /** At the beginning. */
  readonly isAtBottom: boolean;
  /** Its bottom is the end: what ends before that is never followed. */
  readonly hasEnd: boolean;
  /** Another number where all that is in it is another. */
  readonly contentId: number;
  readonly toTop: () => void;
  /** The reader asks for the end, which may be further than the bottom. */
  readonly onEnd: () => void;
}

/**
 * Whether the bottom is kept in sight. It `pauses` until it is seen what the reader's last act has moved; who `leaves` is
 * still at the bottom, and told so by what moved the page before.
 */
type Mode = 'follows' | 'pauses' | 'leaves' | 'reads';

/** Where a box stood when it was looked at last. */
interface Stand {
  readonly top: number;
  readonly height: number;
}

/** After that rows have been measured, and what the reader did has moved the page. */
const settledMs = 150;
/** What is gone to may have to be fetched first. */
const mostLeaveMs = 2_000;
/** Who comes so near to the bottom reads along from there. */
const nearPx = 40;

/** Keeps the bottom of a box in sight for who is there, and leaves everybody else alone. */
export function useKeptBottom(box: RefObject<HTMLElement | null>, options: KeptBottomOptions): KeptBottom {
  const { mode, isAtBottom, change } = useMode(options.isAtBottom);
  const last = useRef<Stand>({ top: 0, height: 0 });
  const note = (element: HTMLElement): void => {
    last.current = { top: element.scrollTop, height: element.scrollHeight };
  };
  const goToEnd = (element: HTMLElement): void => {
    element.scrollTop = element.scrollHeight;
    note(element);
  };
  useWhenSized(box, options.contentId, (element) => {
    if (mode.current === 'follows') goToEnd(element);
  });
  const pause = (after: (element: HTMLElement) => Mode): void => {
    if (mode.current !== 'follows') return;
    change('pauses');
    const look = (): void => {
      if (mode.current === 'pauses' && box.current) change(after(box.current));
    };
    setTimeout(() => requestAnimationFrame(look), settledMs);
  };
  // Rows that are drawn there get their size, and with each the end is gone to again.
  const toBottom = (): void => {
    change('follows');
    if (box.current) goToEnd(box.current);
  };
  const leave = (): void => {
    change('leaves');
    setTimeout(() => mode.current === 'leaves' && change('reads'), mostLeaveMs);
  };
  useReaderScroll(box, {
    toBottom() {
      options.onEnd();
      toBottom();
    },
    toTop() {
      leave();
      options.toTop();
    },
    goUp({ isMoved }) {
      if (!isMoved && box.current) note(box.current);
      // Where it has moved nothing, all is as it was.
      pause(() => 'follows');
    },
  });
  const onScroll: KeptBottom['onScroll'] = () => {
    if (box.current) {
      const seen = afterScroll[mode.current](box.current, last.current);
      const now = seen === 'follows' && mode.current === 'reads' && !options.hasEnd ? 'reads' : seen;
      note(box.current);
      if (now === 'follows' && mode.current === 'reads') goToEnd(box.current);
      change(now);
    }
    return { isReading: mode.current === 'reads' };
  };
  const onOpen = (row: Element | null): void => {
    if (box.current && row) holdRow(box.current, row);
    pause((element) => (isAtEnd(element) ? 'follows' : 'reads'));
  };
  return { isAtBottom, toBottom, leave, onScroll, onOpen };
}

function useMode(beginsAtBottom: boolean) {
  const mode = useRef<Mode>(beginsAtBottom ? 'follows' : 'reads');
  const [isAtBottom, setAtBottom] = useState(beginsAtBottom);
  const change = (to: Mode): void => {
    mode.current = to;
    setAtBottom(to !== 'reads' && to !== 'leaves');
  };
  return { mode, isAtBottom, change };
}

/** At the beginning, and whenever the box or something in it has another size. */
function useWhenSized(
  box: RefObject<HTMLElement | null>,
  contentId: number,
  act: (element: HTMLElement) => void,
): void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => latest.current(element);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [box, contentId]);
}

/**
 * What moves the page while rows get their size says nothing of the reader: without an act of the reader's, only a way up
 * at the same height is taken for one. Who comes down to the bottom is taken along.
 */
const afterScroll: Readonly<Record<Mode, (box: HTMLElement, last: Stand) => Mode>> = {
  follows: (box, { top, height }) =>
    box.scrollTop >= top - 1 || box.scrollHeight !== height || isAtEnd(box) ? 'follows' : 'reads',
  pauses: (box, { top }) => (box.scrollTop < top ? 'reads' : 'pauses'),
  leaves: (box) => (isAtEnd(box) ? 'leaves' : 'reads'),
  reads: (box, { top }) =>
    isAtEnd(box) || (box.scrollTop > top && toEndPx(box) < nearPx) ? 'follows' : 'reads',
};

function toEndPx({ scrollTop, scrollHeight, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

function isAtEnd(box: HTMLElement): boolean {
  return toEndPx(box) <= 1;
}

/** Until what was opened has its size, and the list of rows takes no scroll for one under way. */
const heldMs = 400;
/** With these a reader takes over. */
const readerActs = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Keeps a row of the box where it is while it gets another size, until the reader does something. A list of rows takes a row
 * that begins above what is in sight for one that was read before: for as long as the page moves down it moves on by what the
 * row grows, and what was opened is gone from sight.
 */
function holdRow(box: HTMLElement, row: Element): void {
  const topPx = row.getBoundingClientRect().top;
  // It comes after the observer of the list, which has been there longer, and before anything of it is painted.
  const observer = new ResizeObserver(() => {
    const movedPx = row.getBoundingClientRect().top - topPx;
    if (row.isConnected && Math.abs(movedPx) > 1) box.scrollTop += movedPx;
  });
  const held = new AbortController();
  const end = (): void => held.abort();
  held.signal.addEventListener('abort', () => observer.disconnect(), { once: true });
  observer.observe(row);
  for (const act of readerActs) addEventListener(act, end, { signal: held.signal, passive: true });
  setTimeout(end, heldMs);
}
