/** Farther than that it was no press: something was marked or dragged. */
const stillPx = 6;
const pressable = 'button, summary, a[href], label, [role="button"], [role="tab"]';

interface Press {
  readonly pressed: HTMLElement;
  readonly x: number;
  readonly y: number;
}

/**
 * A press counts for what was under the pointer when it began. A page that moves before the pointer is lifted, as one does
 * while an answer is written, would otherwise take the click away: the browser gives it to what both places have around
 * them.
 */
export function keepPresses(page: Document): () => void {
  const stop = new AbortController();
  let begun: Press | undefined;
  const onDown = ({ target, button, isPrimary, clientX: x, clientY: y }: PointerEvent): void => {
    const pressed = target instanceof Element ? target.closest<HTMLElement>(pressable) : null;
    begun = pressed && button === 0 && isPrimary ? { pressed, x, y } : undefined;
  };
  const onClick = (event: MouseEvent): void => {
    const press = begun;
    begun = undefined;
    if (!press || !event.isTrusted || event.detail === 0 || !isMissed(press, event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    press.pressed.click();
  };
  const how = { capture: true, signal: stop.signal };
  page.addEventListener('pointerdown', onDown, how);
  page.addEventListener('click', onClick, how);
  return () => stop.abort();
}

function isMissed({ pressed, x, y }: Press, { target, clientX, clientY }: MouseEvent): boolean {
  const isStill = Math.hypot(clientX - x, clientY - y) <= stillPx;
  return isStill && pressed.isConnected && target instanceof Node && !pressed.contains(target);
}
