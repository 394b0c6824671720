import { lazy } from 'react';
import { OnDemand } from './on-demand.tsx';
import type { PopoverContent } from './popover-popup.tsx';
import type { ReactElement } from 'react';

interface PopoverProps extends PopoverContent {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  /** Fetches what it shows, as soon as it may be wanted. */
  readonly onApproach?: () => void;
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
