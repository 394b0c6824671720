import { Popover as Base } from '@base-ui/react/popover';
import type { KeyboardEvent, ReactNode } from 'react';
import type { OpenPopup } from './on-demand.tsx';

/** What it shows. */
export interface PopoverContent {
  /** What it is about, for screen readers and as its heading. */
  readonly title: string;
  readonly children: ReactNode;
}

/** The popover itself. */
export function PopoverPopup({ title, children, anchor, isOpen, onOpenChange }: PopoverContent & OpenPopup) {
  return (
    <Base.Root open={isOpen} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={6} align="end" collisionPadding={8} className="z-40">
          <Base.Popup
            finalFocus={anchor}
            onKeyDown={waitForContent}
            className="flex max-h-[80vh] w-96 max-w-[calc(100vw-1rem)] flex-col gap-2 overflow-auto rounded-xl border border-line bg-ground-raised p-4 shadow-xl"
          >
            <Base.Title className="text-sm font-semibold">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** While nothing in it can be reached, Tab would leave it for good. */
function waitForContent(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === 'Tab' && !event.currentTarget.querySelector(focusable)) event.preventDefault();
}
