import { Button } from '../../parts/button.tsx';
import type { ReactNode } from 'react';

interface SettingRowProps {
  readonly id: string;
  readonly about: string;
  readonly isChanged: boolean;
  /** What the server says is wrong with what was entered. */
  readonly fault: string | undefined;
  /** Absent where the caller may not change it. */
  readonly onReset: (() => void) | undefined;
  /** The name of the setting, for the button. */
  readonly name: string;
  readonly children: ReactNode;
}

/** One setting: its control, what it is about, whether it was changed, and what is wrong with it. */
export function SettingRow({ id, about, isChanged, fault, onReset, name, children }: SettingRowProps) {
  return (
    <div className="flex flex-col gap-1 border-t border-line py-3 first:border-0">
      <div className="flex flex-wrap items-end gap-x-3 gap-y-1">
        <div className="w-full max-w-xs min-w-0">{children}</div>
        {isChanged && (
          <span className="flex min-h-9 items-center gap-2 text-xs text-accent">
            changed
            {onReset && (
              <Button isSmall aria-label={`${name}: back to default`} onClick={onReset}>
                Back to default
              </Button>
            )}
          </span>
        )}
      </div>
      <p id={`${id}-about`} className="text-xs text-ink-soft">
        {about}
      </p>
      {fault !== undefined && (
        <p id={`${id}-fault`} role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}
