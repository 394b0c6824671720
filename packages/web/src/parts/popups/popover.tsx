import { lazy } from 'react';
import { OnDemand } from './on-demand.tsx';
import type { ReactElement, ReactNode } from 'react';

export interface PopoverProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  /** What it is about, for screen readers and as its heading. */
  readonly title: string;
  /** Fetches what it shows, as soon as it may be wanted. */
  readonly onApproach?: () => void;
  readonly children: ReactNode;
}

const Popup = lazy(() => import('./popover-popup.tsx').then((module) => ({ default: module.PopoverPopup })));

export function Popover({ trigger, title, onApproach, children }: PopoverProps) {
  return (
    <OnDemand trigger={trigger} popup="dialog" onApproach={onApproach}>
      {(open) => (
        <Popup title={title} {...open}>
          {children}
        </Popup>
      )}
    </OnDemand>
  );
}
