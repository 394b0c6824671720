import { clsx } from 'clsx';
import { Menu as Base } from '@base-ui/react/menu';
import { useTriggerFocus } from './use-trigger-focus.ts';
import type { MenuProps } from './menu.tsx';

/** The menu itself. `isOpen`: it was asked for before it was there. */
export function MenuPopup({ trigger, entries, isOpen }: MenuProps & { readonly isOpen: boolean }) {
  const button = useTriggerFocus();
  return (
    <Base.Root defaultOpen={isOpen}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className="min-w-44 rounded-lg border border-line bg-ground-raised p-1 shadow-lg">
            {entries.map(({ label, icon, isDanger = false, isDisabled = false, onSelect }) => (
              <Base.Item
                key={label}
                disabled={isDisabled}
                onClick={onSelect}
                className={clsx(
                  'flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-ground-strong',
                  isDanger && 'text-bad',
                )}
              >
                {icon}
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
