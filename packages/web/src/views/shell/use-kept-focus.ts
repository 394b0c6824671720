import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/**
 * What had the focus goes with the view that is left: then the new view has it, so that the next Tab goes on there and
 * not at the top of the page. A view that takes the focus itself keeps it.
 */
export function useKeptFocus(): void {
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body) focusMain();
    });
    return () => cancelAnimationFrame(frame);
  }, [location]);
}

/** The part of the page that views stand in. */
export const mainId = 'main';

export function focusMain(): void {
  document.getElementById(mainId)?.focus({ preventScroll: true });
}
