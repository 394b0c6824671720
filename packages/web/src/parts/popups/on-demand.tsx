import { Boundary } from '../boundary.tsx';
import { NotThere } from './arriving.tsx';
import { cloneElement, Suspense, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement, ReactNode, RefObject } from 'react';

export interface OpenPopup {
  /** What it stands beside, and where the focus goes when it closes. */
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean, details: { readonly event: Event }) => void;
}

interface OnDemandProps {
  /** The button that opens it; it is drawn at once, and stays the same. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly popup: 'menu' | 'dialog';
  /** Fetches what the popup shows, as soon as it may be wanted. */
  readonly onApproach?: (() => void) | undefined;
  readonly children: (open: OpenPopup) => ReactNode;
}

/**
 * A button whose popup is loaded when the pointer or the focus reaches it: the library of popups is a third of the
 * script, and nobody needs it to read.
 */
export function OnDemand({ trigger, popup, onApproach, children }: OnDemandProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isWanted, setWanted] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const coming = useRef<HTMLSpanElement>(null);
  const approach = (): void => {
    setWanted(true);
    onApproach?.();
  };
  const button = cloneElement(trigger, {
    ref: anchor,
    'aria-haspopup': popup,
    'aria-expanded': isOpen,
    onPointerEnter: approach,
    onFocus: approach,
    onClick() {
      approach();
      setOpen(!isOpen);
    },
    onKeyDown(event: KeyboardEvent) {
      // The popup takes the focus as soon as its code has come: until then Tab would pass it by.
      if (isOpen && coming.current && event.key === 'Tab') event.preventDefault();
    },
  });
  const onOpenChange: OpenPopup['onOpenChange'] = (next, { event }) => {
    // A press on the button is a press beside the popup, too: its click decides.
    const isOnButton = event.target instanceof Node && anchor.current?.contains(event.target) === true;
    if (next || !isOnButton || event.type.startsWith('key')) setOpen(next);
  };
  return (
    <>
      {button}
      {isWanted && (
        <Boundary place="popup" fallback={isOpen && <NotThere onClose={() => setOpen(false)} />}>
          <Suspense fallback={<span ref={coming} hidden />}>
            {children({ anchor, isOpen, onOpenChange })}
          </Suspense>
        </Boundary>
      )}
    </>
  );
}
