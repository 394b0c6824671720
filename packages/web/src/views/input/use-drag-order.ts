import { useState } from 'react';
import type { CSSProperties, PointerEvent } from 'react';

/** A row of a list that is dragged to another place, or dropped there and not yet told. */
interface Drag {
  /** The list as it was: when it changes, what was dragged may be gone or elsewhere. */
  readonly items: readonly unknown[];
  readonly from: number;
  readonly to: number;
  readonly byY: number;
  readonly startY: number;
  readonly boxes: readonly Box[];
}

interface Box {
  readonly top: number;
  readonly height: number;
}

export interface DragOrder {
  /** Handlers for the grip of a row; the row is the list item around it. */
  readonly gripAt: (at: number) => {
    readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    readonly onPointerUp: () => void;
    readonly onPointerCancel: () => void;
  };
  /** Where a row stands while one is dragged. */
  readonly styleAt: (at: number) => CSSProperties | undefined;
  readonly draggedAt: number | undefined;
}

/**
 * Rows of a list in another order, by mouse, pen or finger. What is dropped stays where it was dropped until the list
 * changes; a list that changes meanwhile ends it.
 *
 * @param move resolves to whether it could be done
 */
export function useDragOrder(
  items: readonly unknown[],
  move: (from: number, to: number) => Promise<boolean>,
): DragOrder {
  const [stored, setDrag] = useState<Drag | null>(null);
  const drag = stored?.items === items ? stored : null;
  return {
    gripAt: (at) => ({
      onPointerDown(event) {
        const boxes = boxesAround(event.currentTarget);
        if (event.button !== 0 || boxes.length !== items.length) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ items, from: at, to: at, byY: 0, startY: event.clientY, boxes });
      },
      onPointerMove({ currentTarget, pointerId, clientY }) {
        if (drag && currentTarget.hasPointerCapture(pointerId)) setDrag(movedTo(drag, clientY));
      },
      onPointerUp() {
        if (!drag) return;
        setDrag(drag.to === drag.from ? null : settled(drag));
        if (drag.to !== drag.from) void move(drag.from, drag.to).then((isDone) => !isDone && setDrag(null));
      },
      onPointerCancel: () => setDrag(null),
    }),
    styleAt: (at) => (drag ? { transform: `translateY(${offsetAt(drag, at)}px)` } : undefined),
    draggedAt: drag?.from,
  };
}

function boxesAround(grip: HTMLElement): readonly Box[] {
  const rows = grip.closest('li')?.parentElement?.children ?? [];
  return [...rows].map((row) => row.getBoundingClientRect());
}

/** It takes the place of the row whose middle its own has passed. */
function movedTo(drag: Drag, y: number): Drag {
  const byY = y - drag.startY;
  const middle = middleOf(drag.boxes[drag.from]) + byY;
  const passed = (at: number): boolean =>
    at < drag.from ? middle < middleOf(drag.boxes[at]) : middle > middleOf(drag.boxes[at]);
  const others = drag.boxes.flatMap((_, at) => (at !== drag.from && passed(at) ? [at] : []));
  const to = byY < 0 ? Math.min(drag.from, ...others) : Math.max(drag.from, ...others);
  return { ...drag, byY, to };
}

function middleOf({ top, height }: Box = { top: 0, height: 0 }): number {
  return top + height / 2;
}

/** As it will stand in its new place. */
function settled(drag: Drag): Drag {
  const { from, to, boxes } = drag;
  const [own, other] = [boxes[from], boxes[to]];
  if (!own || !other) return drag;
  const byY = to < from ? other.top - own.top : other.top + other.height - own.top - own.height;
  return { ...drag, byY };
}

function offsetAt({ from, to, byY, boxes }: Drag, at: number): number {
  if (at === from) return byY;
  // The dragged row and the gap beside it, which the rows between make room for.
  const step = Math.abs((boxes[1]?.top ?? 0) - (boxes[0]?.top ?? 0));
  if (at > from && at <= to) return -step;
  return at < from && at >= to ? step : 0;
}
