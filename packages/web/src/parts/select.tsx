import { useId } from 'react';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly isDisabled?: boolean;
  /** Id of what says more about it, or what is wrong with it. */
  readonly describedBy?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** One of a few: the browser's own, which every keyboard, phone and screen reader knows. */
export function Select({ label, value, choices, isDisabled = false, describedBy, onChange }: SelectProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs text-ink-soft">
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={isDisabled}
        aria-describedby={describedBy}
        onChange={({ target }) => onChange(target.value)}
        className="min-h-9 w-full rounded-md border border-line-strong bg-ground px-2 text-sm disabled:opacity-60"
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </div>
  );
}
