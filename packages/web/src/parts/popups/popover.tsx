import { lazy } from 'react';
import { OnDemand } from './on-demand.tsx';
import type { ReactElement, ReactNode } from 'react';

export interface PopoverProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  /** What it is about, for screen readers and as its heading. */
  readonly title: string;
  readonly children: ReactNode;
}

const Popup = lazy(() => import('./popover-popup.tsx').then((module) => ({ default: module.PopoverPopup })));

export function Popover({ trigger, title, children }: PopoverProps) {
  return (
    <OnDemand trigger={trigger} popup="dialog">
      {(open) => (
        <Popup title={title} {...open}>
          {children}
        </Popup>
      )}
    </OnDemand>
  );
}
