import { useEffect, useRef } from 'react';

/** What had the focus when a window was opened, and what was typed before its own field was there. */
export interface Early {
  readonly focused: Element | null;
  text: string;
}

export const startEarly = (): Early => ({ focused: document.activeElement, text: '' });

/** Takes what is typed while the code of a window is on its way: it is not meant for the field that was left. */
export function EarlyKeys({ early }: { readonly early: Early }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  return (
    <input
      ref={field}
      aria-label="Find or do"
      className="sr-only"
      onChange={({ target }) => (early.text = target.value)}
    />
  );
}
