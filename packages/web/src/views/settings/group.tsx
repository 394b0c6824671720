import type { ChangeSettings } from '../../data/settings.ts';
import type { ReactNode } from 'react';
import type { Settings } from '../../data/types.ts';

/** What all groups of settings get. */
export interface SettingsGroupProps {
  readonly settings: Settings;
  readonly change: ChangeSettings;
}

export function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="border-b border-line pb-1 font-semibold">{title}</h2>
      {children}
    </section>
  );
}
