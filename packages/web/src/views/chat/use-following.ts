import { useEffect, useRef, useState } from 'react';
import { useHeldPlace } from './use-held-place.ts';
import { useKeptBottom } from '../../parts/scroll/use-kept-bottom.ts';
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

/** So near to the top older messages are loaded. */
const aheadPx = 1_500;
/** After that rows have been measured. */
const settledMs = 150;

/** Keeps the newest message in sight for who is at the bottom, and leaves everybody else alone. */
export function useFollowing({ rows, canLoadOlder, loadOlder, place }: PlaceOptions): Following {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const toTop = (): void => list.current?.scrollToIndex(0);
  const bottom = useKeptBottom(box, { isAtBottom: place === undefined, toTop });
  const { isAtBottom, toBottom } = bottom;
  const firstKey = rows[0]?.key;
  const lastKey = rows.at(-1)?.key;
  const [seenKey, setSeenKey] = useState<string>();
  if (isAtBottom && seenKey !== lastKey) setSeenKey(lastKey);
  const [knownFirst, setKnownFirst] = useState(firstKey);
  const isShifting = knownFirst !== undefined && firstKey !== knownFirst;
  useEffect(() => setKnownFirst(firstKey), [firstKey]);

  useHeldPlace({ box, list, rows, canLoadOlder, loadOlder, place, leaveBottom: bottom.leave });
  useFilledBox(box, { rows, canLoadOlder, loadOlder });
  const onScroll = (offset: number): void => {
    const { isReading } = bottom.onScroll();
    if (offset < aheadPx && isReading && canLoadOlder) void loadOlder();
  };
  const onClick = ({ target }: { readonly target: EventTarget }): void => {
    if (target instanceof Element && target.closest('summary, [data-opens]')) bottom.onOpen();
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
