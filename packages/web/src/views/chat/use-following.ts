import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useHeldPlace } from './use-held-place.ts';
import type { RefObject } from 'react';
import type { PlaceOptions } from './use-held-place.ts';
import type { VirtualizerHandle } from 'virtua';

export interface Following {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  /** Rows were put in front: what is in sight stays where it is. */
  readonly isShifting: boolean;
  readonly onScroll: (offset: number) => void;
  readonly onClick: (event: { readonly target: EventTarget }) => void;
  readonly onWheel: (event: { readonly deltaY: number }) => void;
  readonly isAtBottom: boolean;
  /** Something came below that was not seen yet. */
  readonly hasNews: boolean;
  readonly toBottom: () => void;
}

/** Who comes so near to the bottom reads along from there. */
const nearPx = 40;
/** So near to the top older messages are loaded. */
const aheadPx = 1_500;
/** After that rows have been measured. */
const settledMs = 150;

/** Keeps the newest in sight for who is at the bottom, and leaves everybody else alone. */
export function useFollowing({ rows, canLoadOlder, loadOlder, place }: PlaceOptions): Following {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const isFollowing = useRef(place === undefined);
  const [isAtBottom, setAtBottom] = useState(place === undefined);
  const follow = (is: boolean): void => {
    isFollowing.current = is;
    setAtBottom(is);
  };
  const firstKey = rows[0]?.key;
  const lastKey = rows.at(-1)?.key;
  const [seenKey, setSeenKey] = useState<string>();
  if (isAtBottom && seenKey !== lastKey) setSeenKey(lastKey);
  const [knownFirst, setKnownFirst] = useState(firstKey);
  const isShifting = knownFirst !== undefined && firstKey !== knownFirst;
  useEffect(() => setKnownFirst(firstKey), [firstKey]);

  useKeptAtBottom(box, isFollowing);

  useHeldPlace({ box, list, rows, canLoadOlder, loadOlder, place, leaveBottom: () => follow(false) });

  useFilledBox(box, { rows, canLoadOlder, loadOlder });
  const last = useRef({ top: 0, height: 0 });
  const isTouched = useTouched(box);
  const onScroll = (offset: number): void => {
    const element = box.current;
    if (!element) return;
    follow(isFollowedAfter(element, last.current, isFollowing.current, isTouched.current));
    if (isFollowing.current && !isTouched.current && !isAtEnd(element))
      element.scrollTop = element.scrollHeight;
    last.current = { top: element.scrollTop, height: element.scrollHeight };
    if (offset < aheadPx && !isFollowing.current && canLoadOlder) void loadOlder();
  };
  const pause = (): void => {
    isFollowing.current = false;
    setTimeout(() => {
      if (box.current) follow(isAtEnd(box.current));
    }, settledMs);
  };
  // At once: what is written meanwhile would take the wheel's first pixels back.
  const onWheel = ({ deltaY }: { readonly deltaY: number }): void => {
    if (deltaY < 0 && isFollowing.current && (box.current?.scrollTop ?? 0) > 0) pause();
  };
  const onClick = ({ target }: { readonly target: EventTarget }): void => {
    if (!(target instanceof Element) || !target.closest('summary, [data-opens]') || !isFollowing.current)
      return;
    // What opens there is read from its beginning, and not from the end of the conversation.
    pause();
  };
  const toBottom = (): void => {
    follow(true);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  const hasNews = !isAtBottom && seenKey !== undefined && seenKey !== lastKey;
  return { box, list, isShifting, onScroll, onClick, onWheel, isAtBottom, hasNews, toBottom };
}

/** Whatever grows, and whatever gets its size only now. */
function useKeptAtBottom(box: RefObject<HTMLDivElement | null>, isFollowing: RefObject<boolean>): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const stay = (): void => {
      if (isFollowing.current) element.scrollTop = element.scrollHeight;
    };
    stay();
    const observer = new ResizeObserver(stay);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [box, isFollowing]);
}

const touches = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Whether somebody has done something to a box that scrolls it, until it stands still. */
function useTouched(box: RefObject<HTMLDivElement | null>): RefObject<boolean> {
  const isTouched = useRef(false);
  useEffect(() => {
    const element = box.current;
    const stop = new AbortController();
    const listen = (type: string, is: boolean): void =>
      element?.addEventListener(type, () => void (isTouched.current = is), {
        passive: true,
        signal: stop.signal,
      });
    for (const type of touches) listen(type, true);
    listen('scrollend', false);
    return () => stop.abort();
  }, [box]);
  return isTouched;
}

/** Collapsed calls are so small that a page of them may not fill the box: then there is nothing to scroll. */
function useFilledBox(
  box: RefObject<HTMLDivElement | null>,
  { rows, canLoadOlder, loadOlder }: Omit<PlaceOptions, 'place'>,
): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      const element = box.current;
      if (element && canLoadOlder && element.scrollHeight <= element.clientHeight) void loadOlder();
    }, settledMs);
    return () => clearTimeout(timer);
  }, [box, rows, canLoadOlder, loadOlder]);
}

/**
 * Who goes up, be it by a hair, is no longer taken along; who comes down to the bottom is. What grew or shrank meanwhile
 * moves nobody.
 */
function isFollowedAfter(
  box: HTMLElement,
  last: { readonly top: number; readonly height: number },
  isFollowed: boolean,
  isTouched: boolean,
): boolean {
  const shrunkPx = Math.max(0, last.height - box.scrollHeight);
  // Rows that get their size move what is shown up and down: that is nobody who goes up.
  const isByItself = !isTouched && box.scrollHeight !== last.height;
  if (box.scrollTop < last.top - shrunkPx - 1 && !isByItself) return isAtEnd(box);
  return isFollowed || toEndPx(box) < nearPx;
}

function toEndPx({ scrollTop, scrollHeight, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

function isAtEnd(box: HTMLElement): boolean {
  return toEndPx(box) <= 1;
}
