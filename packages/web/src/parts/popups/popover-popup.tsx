import { Popover as Base } from '@base-ui/react/popover';
import type { OpenPopup } from './on-demand.tsx';
import type { PopoverProps } from './popover.tsx';

type PopoverPopupProps = Omit<PopoverProps, 'trigger'> & OpenPopup;

/** The popover itself. */
export function PopoverPopup({ title, children, anchor, isOpen, onOpenChange }: PopoverPopupProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={6} align="end" collisionPadding={8} className="z-40">
          <Base.Popup
            finalFocus={anchor}
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
