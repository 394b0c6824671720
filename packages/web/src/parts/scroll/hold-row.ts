/** Until what was opened has its size, and the list of rows takes no scroll for one under way. */
const heldMs = 400;
/** With these a reader takes over. */
const readerActs = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Keeps a row of the box where it is while it gets another size, until the reader does something. A list of rows takes a row
 * that begins above what is in sight for one that was read before: for as long as the page moves down it moves on by what the
 * row grows, and what was opened is gone from sight.
 */
export function holdRow(box: HTMLElement, row: Element): void {
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
