import { Popover as Base } from '@base-ui/react/popover';
import { useTriggerFocus } from './use-trigger-focus.ts';
import type { PopoverProps } from './popover.tsx';

/** The popover itself. `isOpen`: it was asked for before it was there. */
export function PopoverPopup({
  trigger,
  title,
  children,
  isOpen,
}: PopoverProps & { readonly isOpen: boolean }) {
  const button = useTriggerFocus();
  return (
    <Base.Root defaultOpen={isOpen}>
      <Base.Trigger ref={button} render={trigger} />
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
