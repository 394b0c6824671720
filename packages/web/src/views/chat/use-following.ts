import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useHeldPlace } from './use-held-place.ts';
import { useKeptBottom } from '../../parts/scroll/use-kept-bottom.ts';
import type { RefObject } from 'react';
import type { PlaceOptions } from './use-held-place.ts';
import type { VirtualizerHandle } from 'virtua';

interface Following {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  /** Rows were put in front: what is in sight stays where it is. */
  readonly isShifting: boolean;
  readonly onScroll: (offset: number) => void;
  readonly onClick: (event: { readonly target: EventTarget }) => void;
  readonly isAtBottom: boolean;
  /** Something came below that was not seen yet. */
  readonly hasNews: boolean;
  readonly toBottom: () => void;
}

interface FollowingOptions extends PlaceOptions {
  /** Key of the last row, whatever is shown. */
  readonly newestKey: string | undefined;
  /** There is a gap between what is shown and the newest. */
  readonly isFar: boolean;
  readonly toNewest: () => void;
  /** The last message that was sent here while nothing was at work: who sends it looks for its answer. */
  readonly askedId: string | null;
}

/** So near to an end of what is loaded more is loaded. */
const aheadPx = 1_500;
/** After that rows have been measured. */
const settledMs = 150;

/** Keeps the newest message in sight for who is at the bottom, and leaves everybody else alone. */
export function useFollowing(options: FollowingOptions): Following {
  const { rows, newestKey, runId, isFar, place, canLoadOlder, loadOlder } = options;
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const toFirstRow = (): void => list.current?.scrollToIndex(0);
  const toTop = (): void => {
    if (!canLoadOlder) return toFirstRow();
    keepFocusIn(box.current);
    void options.goTo(0).then(() => requestAnimationFrame(() => requestAnimationFrame(toFirstRow)));
  };
  const isKept = place === undefined;
  const toNewest = (): void => {
    if (isFar) keepFocusIn(box.current);
    options.toNewest();
  };
  const bottom = useKeptBottom(box, {
    isAtBottom: isKept,
    hasEnd: !isFar,
    contentId: runId,
    toTop,
    onEnd: toNewest,
  });
  const { isAtBottom } = bottom;
  const toBottom = (): void => {
    toNewest();
    bottom.toBottom();
  };
  useNew(options.askedId, toBottom);
  const firstKey = rows[0]?.key;
  const [seenKey, setSeenKey] = useState<string>();
  if (isAtBottom && seenKey !== newestKey) setSeenKey(newestKey);
  const [knownFirst, setKnownFirst] = useState(firstKey);
  const isShifting = knownFirst !== undefined && firstKey !== knownFirst;
  useEffect(() => setKnownFirst(firstKey), [firstKey]);

  useHeldPlace({ ...options, box, list, leaveBottom: bottom.leave });
  useFilledBox(box, options);
  const onScroll = (offset: number): void => {
    const { isReading } = bottom.onScroll();
    if (offset < aheadPx && isReading && canLoadOlder) void loadOlder();
    if (isReading && options.canLoadNewer && isNearEnd(box.current)) void options.loadNewer();
  };
  const onClick = ({ target }: { readonly target: EventTarget }): void => {
    if (!(target instanceof Element) || !target.closest('summary, [data-opens]')) return;
    bottom.onOpen(target.closest('article, [data-compaction]'));
  };
  const hasNews = !isAtBottom && seenKey !== undefined && seenKey !== newestKey;
  return { box, list, isShifting, onScroll, onClick, isAtBottom, hasNews, toBottom };
}

/** Acts where the id is one that was not there before. */
function useNew(id: string | null, act: () => void): void {
  const known = useRef(id);
  useLayoutEffect(() => {
    if (id === null || id === known.current) return;
    known.current = id;
    act();
  });
}

/** Collapsed calls are so small that a page of them may not fill the box: then there is nothing to scroll. */
function useFilledBox(
  box: RefObject<HTMLDivElement | null>,
  { rows, canLoadOlder, loadOlder, canLoadNewer, loadNewer }: FollowingOptions,
): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const element = box.current;
      if (element && canLoadOlder && element.scrollHeight <= element.clientHeight) void loadOlder();
      if (canLoadNewer && isNearEnd(element)) void loadNewer();
    }, settledMs);
    return () => clearTimeout(timer);
  }, [box, rows, canLoadOlder, loadOlder, canLoadNewer, loadNewer]);
}

function isNearEnd(box: HTMLElement | null): boolean {
  return box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < aheadPx;
}

/** The message that has it may go out of the page with all that is shown: the keys go on in the box. */
function keepFocusIn(box: HTMLElement | null): void {
  if (box?.contains(document.activeElement) === true) box.focus({ preventScroll: true });
}
