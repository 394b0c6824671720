import { Select } from '../../parts/select.tsx';
import { useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import type { ChangeOutcome } from '../../data/settings.ts';
import type { Choice } from '../../parts/select.tsx';
import type { ReactNode } from 'react';

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
  const { label, isReadOnly, value, placeholder = '' } = props;
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
    <SettingRow {...rowOf(props, id, fault)} onReset={isReadOnly ? undefined : () => void reset()}>
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
        aria-describedby={describedBy(id, fault)}
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
  const { label, isReadOnly, value, choices } = props;
  const id = useId();
  const { fault, save } = useSaving(props);
  return (
    <SettingRow {...rowOf(props, id, fault)} onReset={isReadOnly ? undefined : () => void save(null)}>
      <Select
        label={label}
        value={value}
        choices={choices}
        isDisabled={isReadOnly}
        describedBy={describedBy(id, fault)}
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
  const { label, isReadOnly, value } = props;
  const id = useId();
  const { fault, save } = useSaving(props);
  return (
    <SettingRow {...rowOf(props, id, fault)} onReset={isReadOnly ? undefined : () => void save(null)}>
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

type ToldInRow = Pick<SettingRowProps, 'id' | 'name' | 'about' | 'isChanged' | 'fault'>;

function rowOf(
  { label, about, isChanged }: Pick<SettingProps<never>, 'label' | 'about' | 'isChanged'>,
  id: string,
  fault: string | undefined,
): ToldInRow {
  return { id, name: label, about, isChanged, fault };
}

/** Ids of what the row says of its control. */
function describedBy(id: string, fault: string | undefined): string {
  return fault === undefined ? `${id}-about` : `${id}-fault ${id}-about`;
}

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
function SettingRow({ id, about, isChanged, fault, onReset, name, children }: SettingRowProps) {
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
