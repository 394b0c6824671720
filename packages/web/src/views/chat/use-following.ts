import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { TranscriptRow } from './transcript-rows.ts';
import type { VirtualizerHandle } from 'virtua';

export interface FollowingOptions {
  readonly rows: readonly TranscriptRow[];
  readonly hasOlder: boolean;
  readonly loadOlder: () => Promise<void>;
  /** Place in the history of a message to begin at. */
  readonly place: number | undefined;
}

export interface Following {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  /** Rows were put in front: what is in sight stays where it is. */
  readonly isShifting: boolean;
  readonly onScroll: (offset: number) => void;
  readonly isAtBottom: boolean;
  /** Something came below that was not seen yet. */
  readonly hasNews: boolean;
  readonly toBottom: () => void;
}

/** So near to the bottom somebody reads along. */
const nearPx = 40;
/** So near to the top older messages are loaded. */
const aheadPx = 1_500;

/** Keeps the newest in sight for who is at the bottom, and leaves everybody else alone. */
export function useFollowing({ rows, hasOlder, loadOlder, place }: FollowingOptions): Following {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [isAtBottom, setAtBottom] = useState(place === undefined);
  const [seenKey, setSeenKey] = useState<string>();
  const isFollowing = useRef(place === undefined);
  const firstKey = rows[0]?.key;
  const lastKey = rows.at(-1)?.key;
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

  const isPlaced = useRef(place === undefined);
  const placedAt = place === undefined ? -1 : rows.findIndex(({ key }) => key === `m${place}`);
  useEffect(() => {
    if (isPlaced.current) return;
    if (placedAt >= 0) {
      isPlaced.current = true;
      list.current?.scrollToIndex(placedAt, { align: 'center' });
    } else if (hasOlder) void loadOlder();
  }, [placedAt, hasOlder, loadOlder, rows]);

  const onScroll = (offset: number): void => {
    const element = box.current;
    if (!element) return;
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < nearPx;
    isFollowing.current = isNear;
    setAtBottom(isNear);
    if (isNear) setSeenKey(lastKey);
    if (offset < aheadPx && hasOlder) void loadOlder();
  };
  const toBottom = (): void => {
    isFollowing.current = true;
    setAtBottom(true);
    list.current?.scrollToIndex(rows.length - 1, { align: 'end' });
    requestAnimationFrame(() => {
      if (box.current) box.current.scrollTop = box.current.scrollHeight;
    });
  };
  const hasNews = !isAtBottom && seenKey !== undefined && seenKey !== lastKey;
  return { box, list, isShifting, onScroll, isAtBottom, hasNews, toBottom };
}
