import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';

/** The button takes the focus over from the plain one that stood in its place, where that had it. */
export function useTriggerFocus(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (document.activeElement === document.body) button.current?.focus({ preventScroll: true });
  }, []);
  return button;
}
