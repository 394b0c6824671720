import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/**
 * The focus is never lost: what had it may go with the view that is left, or alone, as a button that did its work. Then
 * the new view has it, or what is named as heir of the place, so that the next Tab goes on there and not at the top of
 * the page. A view that takes the focus itself keeps it.
 */
export function useKeptFocus(): void {
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    const frame = requestAnimationFrame(() => {
      if (isNowhere()) focusMain();
    });
    return () => cancelAnimationFrame(frame);
  }, [location]);
  useEffect(keepFocus, []);
}

/** The part of the page that views stand in. */
export const mainId = 'main';

export function focusMain(): void {
  document.getElementById(mainId)?.focus({ preventScroll: true });
}

/** What was just hidden has the focus until the next frame. */
function isNowhere(): boolean {
  const { activeElement: at } = document;
  return !at || at === document.body || !at.checkVisibility();
}

interface FocusPlace {
  readonly element: Element;
  /** The parts of the page that it stood in, from the inside. */
  readonly around: readonly Element[];
}

/**
 * Watches what has the focus by the keyboard, until the returned function is called. A finger or a mouse does not need
 * it, and a field that takes the focus would raise the keyboard of a phone.
 */
function keepFocus(): () => void {
  let place: FocusPlace | null = null;
  const remember = ({ target }: FocusEvent): void => {
    place =
      target instanceof Element && target.matches(':focus-visible')
        ? { element: target, around: partsAround(target) }
        : null;
  };
  const forget = (): void => {
    place = null;
  };
  const watch = new MutationObserver(() => {
    if (!place || (place.element.isConnected && !place.element.matches(':disabled'))) return;
    const { around } = place;
    place = null;
    // A window that closes gives the focus back by itself, a little later.
    requestAnimationFrame(() => requestAnimationFrame(() => isNowhere() && focusHeir(around)));
  });
  addEventListener('focusin', remember);
  addEventListener('pointerdown', forget);
  watch.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
  return () => {
    removeEventListener('focusin', remember);
    removeEventListener('pointerdown', forget);
    watch.disconnect();
  };
}

function partsAround(element: Element): Element[] {
  const part = element.parentElement?.closest('[data-heir], aside, [role=dialog]');
  return part ? [part, ...partsAround(part)] : [];
}

/** `data-heir` of a part names what has the focus when something in it goes; a part without it has the focus itself. */
function focusHeir(around: readonly Element[]): void {
  const part = around.find((one) => one.isConnected && one.checkVisibility());
  const heir = part?.getAttribute('data-heir');
  const next = heir === null || heir === undefined ? part : document.getElementById(heir);
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  if (isNowhere()) focusMain();
}
