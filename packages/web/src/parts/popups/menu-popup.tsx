import { clsx } from 'clsx';
import { Menu as Base } from '@base-ui/react/menu';
import type { OpenPopup } from './on-demand.tsx';
import type { ReactNode } from 'react';

export interface MenuEntry {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

interface MenuPopupProps extends OpenPopup {
  readonly entries: readonly MenuEntry[];
}

/** The menu itself. */
export function MenuPopup({ entries, anchor, isOpen, onOpenChange }: MenuPopupProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={4} align="end" className="z-50">
          <Base.Popup
            finalFocus={anchor}
            className="min-w-44 rounded-lg border border-line bg-ground-raised p-1 shadow-lg"
          >
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
