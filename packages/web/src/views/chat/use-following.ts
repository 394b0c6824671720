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
  }, []);

  useHeldPlace({ box, list, rows, canLoadOlder, loadOlder, place, leaveBottom: () => follow(false) });

  useFilledBox(box, { rows, canLoadOlder, loadOlder });
  const last = useRef({ top: 0, height: 0 });
  const onScroll = (offset: number): void => {
    const element = box.current;
    if (!element) return;
    follow(isFollowedAfter(element, last.current, isFollowing.current));
    last.current = { top: element.scrollTop, height: element.scrollHeight };
    if (offset < aheadPx && !isFollowing.current && canLoadOlder) void loadOlder();
  };
  const onClick = ({ target }: { readonly target: EventTarget }): void => {
    if (!(target instanceof Element) || !target.closest('summary, [data-opens]') || !isFollowing.current)
      return;
    // What opens there is read from its beginning, and not from the end of the conversation.
    isFollowing.current = false;
    setTimeout(() => {
      if (box.current) follow(isAtEnd(box.current));
    }, settledMs);
  };
  const toBottom = (): void => {
    follow(true);
    list.current?.scrollToIndex(rows.length - 1, { align: 'end' });
    requestAnimationFrame(() => {
      if (box.current) box.current.scrollTop = box.current.scrollHeight;
    });
  };
  const hasNews = !isAtBottom && seenKey !== undefined && seenKey !== lastKey;
  return { box, list, isShifting, onScroll, onClick, isAtBottom, hasNews, toBottom };
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
): boolean {
  const shrunkPx = Math.max(0, last.height - box.scrollHeight);
  if (box.scrollTop < last.top - shrunkPx - 1) return isAtEnd(box);
  return isFollowed || toEndPx(box) < nearPx;
}

function toEndPx({ scrollTop, scrollHeight, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

function isAtEnd(box: HTMLElement): boolean {
  return toEndPx(box) <= 1;
}
