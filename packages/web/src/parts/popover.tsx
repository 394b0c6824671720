import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

export interface PopoverProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  /** What it is about, for screen readers and as its heading. */
  readonly title: string;
  readonly children: ReactNode;
}

export function Popover({ trigger, title, children }: PopoverProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" collisionPadding={8} className="z-40">
          <Base.Popup className="flex max-h-[80vh] w-96 max-w-[calc(100vw-1rem)] flex-col gap-2 overflow-auto rounded-xl border border-line bg-ground-raised p-4 shadow-xl">
            <Base.Title className="text-sm font-semibold">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
