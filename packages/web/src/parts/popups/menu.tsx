import { lazy } from 'react';
import { OnDemand } from './on-demand.tsx';
import type { ReactElement, ReactNode } from 'react';

export interface MenuEntry {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

export interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly entries: readonly MenuEntry[];
}

const MenuPopup = lazy(() => import('./menu-popup.tsx').then((module) => ({ default: module.MenuPopup })));

export function Menu({ trigger, entries }: MenuProps) {
  return (
    <OnDemand trigger={trigger} popup="menu">
      {(open) => <MenuPopup entries={entries} {...open} />}
    </OnDemand>
  );
}
