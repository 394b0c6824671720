import { lazy } from 'react';
import { OnDemand } from './on-demand.tsx';
import type { MenuEntry } from './menu-popup.tsx';
import type { ReactElement } from 'react';

interface MenuProps {
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
