import { Boundary } from '../boundary.tsx';
import { cloneElement, Suspense, useRef, useState } from 'react';
import type { ReactElement, ReactNode, RefObject } from 'react';

export interface OpenPopup {
  /** What it stands beside, and where the focus goes when it closes. */
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean, details: { readonly event: Event }) => void;
}

export interface OnDemandProps {
  /** The button that opens it; it is drawn at once, and stays the same. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly popup: 'menu' | 'dialog';
  readonly children: (open: OpenPopup) => ReactNode;
}

/**
 * A button whose popup is loaded when the pointer or the focus reaches it: the library of popups is a third of the
 * script, and nobody needs it to read.
 */
export function OnDemand({ trigger, popup, children }: OnDemandProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [isWanted, setWanted] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const approach = (): void => setWanted(true);
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
        <Boundary place="popup" fallback={null}>
          <Suspense>{children({ anchor, isOpen, onOpenChange })}</Suspense>
        </Boundary>
      )}
    </>
  );
}
