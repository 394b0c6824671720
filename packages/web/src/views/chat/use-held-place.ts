import { rowAt } from './transcript-rows.ts';
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { TranscriptRow } from './transcript-rows.ts';
import type { VirtualizerHandle } from 'virtua';

export interface PlaceOptions {
  readonly rows: readonly TranscriptRow[];
  /** There are older messages, and nothing went wrong when they were asked for. */
  readonly canLoadOlder: boolean;
  readonly loadOlder: () => Promise<void>;
  /** There are more behind the messages that are shown, which are far from the newest. */
  readonly canLoadNewer: boolean;
  readonly loadNewer: () => Promise<void>;
  /** What is not shown can be fetched. */
  readonly canGo: boolean;
  readonly goTo: (place: number) => Promise<void>;
  /** Another number where other messages are shown. */
  readonly runId: number;
  /** Place in the history of a message to begin at. */
  readonly place: number | undefined;
  readonly isPlaceShown: boolean;
}

interface HeldPlaceOptions extends PlaceOptions {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly leaveBottom: () => void;
}

/** What is seen above the message that the page was opened at. */
const abovePx = 72;
/** With these a reader takes over. */
const readerActs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Goes to a message of the history, wherever it is, and stays there while what is around it
 * gets its size; until the reader does something.
 */
export function useHeldPlace(options: HeldPlaceOptions): void {
  const { box, list, rows, canGo, goTo, place, isPlaceShown, runId, leaveBottom } = options;
  const isWanted = useRef(false);
  const isHeld = useRef(false);
  const row = place === undefined || !isPlaceShown ? undefined : rowAt(rows, place);
  const goThere = useRef(() => {});

  useEffect(() => {
    isWanted.current = place !== undefined;
    isHeld.current = false;
  }, [place]);

  useEffect(() => {
    goThere.current = () => {
      if (row !== undefined) list.current?.scrollToIndex(row, { align: 'start', offset: -abovePx });
    };
    if (!isWanted.current) return;
    if (row === undefined) {
      if (canGo && place !== undefined) void goTo(place);
      return;
    }
    isWanted.current = false;
    isHeld.current = true;
    leaveBottom();
    goThere.current();
    focusMessage(rows[row]?.key ?? '', isHeld);
  });

  useEffect(() => {
    const element = box.current;
    if (!element || place === undefined) return undefined;
    const release = (): void => {
      isHeld.current = false;
    };
    const hold = (): void => {
      if (isHeld.current) goThere.current();
    };
    const observer = new ResizeObserver(hold);
    for (const child of element.children) observer.observe(child);
    for (const act of readerActs) addEventListener(act, release, { passive: true });
    return () => {
      observer.disconnect();
      for (const act of readerActs) removeEventListener(act, release);
    };
  }, [box, list, place, runId]);
}

const mostFrames = 30;

/**
 * So that a screen reader begins there, and `j` and `k` do. It is drawn some frames later, and maybe once more before all
 * around it has its size.
 */
function focusMessage(id: string, isHeld: { readonly current: boolean }, frame = 0): void {
  if (!isHeld.current || frame > mostFrames) return;
  const message = document.getElementById(id);
  if (message && message !== document.activeElement) message.focus({ preventScroll: true });
  requestAnimationFrame(() => focusMessage(id, isHeld, frame + 1));
}
