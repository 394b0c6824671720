import { Select } from '../../parts/select.tsx';
import { SettingRow } from './setting-row.tsx';
import { useId, useState } from 'react';
import type { ChangeOutcome } from '../../data/settings.ts';
import type { Choice } from '../../parts/select.tsx';

/** What all kinds of settings have. */
interface SettingProps<Value> {
  /** As the server names it in `changed` and in its faults: `budget.target`. */
  readonly name: string;
  readonly label: string;
  readonly about: string;
  readonly isChanged: boolean;
  readonly isReadOnly: boolean;
  /** `null` is what the server began with. */
  readonly save: (value: Value | null) => Promise<ChangeOutcome>;
}

interface Saving<Value> {
  readonly fault: string | undefined;
  readonly save: (value: Value | null) => Promise<boolean>;
}

function useSaving<Value>({ name, save }: SettingProps<Value>): Saving<Value> {
  const [fault, setFault] = useState<string>();
  return {
    fault,
    async save(value) {
      const outcome = await save(value);
      setFault(outcome.type === 'refused' ? (outcome.faults[name] ?? outcome.failure.detail) : undefined);
      return outcome.type === 'changed';
    },
  };
}

interface NumberSettingProps extends SettingProps<number> {
  /** `null`: the server decides. */
  readonly value: number | null;
  /** What is meant where nothing is entered. */
  readonly placeholder?: string;
}

/** A number, saved when it is left or with Enter; empty is the default. */
export function NumberSetting(props: NumberSettingProps) {
  const { label, about, isChanged, isReadOnly, value, placeholder = '' } = props;
  const id = useId();
  const { fault: refused, save } = useSaving(props);
  const [draft, setDraft] = useState<string | null>(null);
  const [isMisread, setMisread] = useState(false);
  const fault = isMisread ? 'expected a number' : refused;
  const commit = async (text: string | null): Promise<void> => {
    if (text === null) return;
    if (text.trim() === String(value ?? '')) {
      setMisread(false);
      setDraft(null);
      return;
    }
    const number = text.trim() === '' ? null : Number(text);
    // JSON has no word for it: the server would take it for a default.
    setMisread(Number.isNaN(number));
    if (!Number.isNaN(number) && (await save(number))) setDraft(null);
  };
  const reset = async (): Promise<void> => {
    setMisread(false);
    if (await save(null)) setDraft(null);
  };
  return (
    <SettingRow
      id={id}
      name={label}
      about={about}
      isChanged={isChanged}
      fault={fault}
      onReset={isReadOnly ? undefined : () => void reset()}
    >
      <label htmlFor={id} className="text-xs text-ink-soft">
        {label}
      </label>
      <input
        id={id}
        inputMode="decimal"
        value={draft ?? value ?? ''}
        placeholder={placeholder}
        readOnly={isReadOnly}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? `${id}-about` : `${id}-fault ${id}-about`}
        onChange={({ target }) => setDraft(target.value)}
        onBlur={() => void commit(draft)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') void commit(draft);
        }}
        className="block min-h-9 w-full rounded-md border border-line-strong bg-ground px-2 text-sm tabular-nums read-only:opacity-60 aria-invalid:border-bad"
      />
    </SettingRow>
  );
}

interface ChoiceSettingProps extends SettingProps<string> {
  readonly value: string;
  readonly choices: readonly Choice[];
}

/** One of a few, saved at once. */
export function ChoiceSetting(props: ChoiceSettingProps) {
  const { label, about, isChanged, isReadOnly, value, choices } = props;
  const id = useId();
  const { fault, save } = useSaving(props);
  return (
    <SettingRow
      id={id}
      name={label}
      about={about}
      isChanged={isChanged}
      fault={fault}
      onReset={isReadOnly ? undefined : () => void save(null)}
    >
      <Select
        label={label}
        value={value}
        choices={choices}
        isDisabled={isReadOnly}
        describedBy={fault === undefined ? `${id}-about` : `${id}-fault ${id}-about`}
        onChange={(next) => void save(next)}
      />
    </SettingRow>
  );
}

interface SwitchSettingProps extends SettingProps<boolean> {
  readonly value: boolean;
}

/** On or off, saved at once. */
export function SwitchSetting(props: SwitchSettingProps) {
  const { label, about, isChanged, isReadOnly, value } = props;
  const id = useId();
  const { fault, save } = useSaving(props);
  return (
    <SettingRow
      id={id}
      name={label}
      about={about}
      isChanged={isChanged}
      fault={fault}
      onReset={isReadOnly ? undefined : () => void save(null)}
    >
      <label className="flex min-h-9 items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={value}
          disabled={isReadOnly}
          aria-describedby={`${id}-about`}
          onChange={({ target }) => void save(target.checked)}
          className="size-4 accent-accent"
        />
        {label}
      </label>
    </SettingRow>
  );
}
