import { cloneElement, Suspense, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';

type Trigger = ReactElement<Record<string, unknown>>;

export interface OnDemandProps {
  /** The button; it is drawn at once. */
  readonly trigger: Trigger;
  readonly popup: 'menu' | 'dialog';
  /** What is loaded when somebody comes near: it draws the button anew, and what opens. */
  readonly children: (isOpen: boolean) => ReactNode;
}

/**
 * A button whose popup is loaded when the pointer or the focus reaches it: the library of popups is a fifth of the
 * script, and nobody needs it to read.
 */
export function OnDemand({ trigger, popup, children }: OnDemandProps) {
  const [wanted, setWanted] = useState<'no' | 'near' | 'open'>('no');
  const approach = (): void => setWanted((now) => (now === 'no' ? 'near' : now));
  const plain = cloneElement(trigger, {
    'aria-haspopup': popup,
    onPointerEnter: approach,
    onFocus: approach,
    onClick: () => setWanted('open'),
  });
  if (wanted === 'no') return plain;
  return <Suspense fallback={plain}>{children(wanted === 'open')}</Suspense>;
}
