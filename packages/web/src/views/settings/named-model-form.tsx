import { Button } from '../../parts/button.tsx';
import { useId, useState } from 'react';
import type { ChangeOutcome } from '../../data/settings.ts';
import type { NamedModel } from '../../data/types.ts';

interface NamedModelFormProps {
  /** What is named: as the server names it in its faults. */
  readonly part: 'model' | 'summariser';
  readonly title: string;
  readonly save: (model: NamedModel) => Promise<ChangeOutcome>;
  readonly onClose: () => void;
}

type FieldName = keyof NamedModel;

interface FieldWords {
  readonly name: FieldName;
  readonly label: string;
  readonly about: string;
}

const fields: readonly FieldWords[] = [
  {
    name: 'name',
    label: 'Provider and model',
    about: 'As anthropic:claude-sonnet-5, ollama:qwen3, or openai-compatible:NAME with an address.',
  },
  {
    name: 'baseUrl',
    label: 'Address of its server',
    about: 'With the version, as http://localhost:8080/v1. Empty: that of the provider.',
  },
  {
    name: 'windowTokens',
    label: 'Window, in tokens',
    about: 'Empty: what its server says, else the catalogue.',
  },
];

/** A model that the configuration does not have, by name and address; its key is in no page. */
export function NamedModelForm({ part, title, save, onClose }: NamedModelFormProps) {
  const [draft, setDraft] = useState<Readonly<Record<FieldName, string>>>({
    name: '',
    baseUrl: '',
    windowTokens: '',
  });
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [isSaving, setSaving] = useState(false);
  const submit = async (): Promise<void> => {
    setSaving(true);
    const outcome = await save(modelOf(draft));
    setSaving(false);
    if (outcome.type === 'changed') {
      onClose();
      return;
    }
    const told = Object.keys(outcome.faults).length > 0;
    setFaults(told ? outcome.faults : { [`${part}.name`]: outcome.failure.detail });
  };
  return (
    <form
      aria-label={title}
      className="flex flex-col gap-2 rounded-lg border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {fields.map((field) => (
        <Field
          key={field.name}
          {...field}
          value={draft[field.name]}
          fault={faults[`${part}.${field.name}`]}
          onChange={(value) => setDraft({ ...draft, [field.name]: value })}
        />
      ))}
      <p className="text-xs text-ink-soft">
        Keys are not entered here. The server reads them from its environment when it starts
        (ANTHROPIC_API_KEY, OPENAI_API_KEY …); an address that the configuration does not have gets none.
      </p>
      <div className="flex gap-2">
        <Button type="submit" look="primary" isSmall disabled={isSaving || draft.name.trim() === ''}>
          {isSaving ? 'Asks its server …' : 'Use it'}
        </Button>
        <Button isSmall onClick={onClose}>
          Leave it as it was
        </Button>
      </div>
    </form>
  );
}

interface FieldProps extends FieldWords {
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (value: string) => void;
}

function Field({ name, label, about, value, fault, onChange }: FieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs text-ink-soft">
        {label}
      </label>
      <input
        id={id}
        value={value}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        inputMode={name === 'windowTokens' ? 'numeric' : name === 'baseUrl' ? 'url' : 'text'}
        autoFocus={name === 'name'}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? `${id}-about` : `${id}-fault ${id}-about`}
        onChange={({ target }) => onChange(target.value)}
        className="min-h-9 w-full rounded-md border border-line-strong bg-ground px-2 text-sm aria-invalid:border-bad"
      />
      <p id={`${id}-about`} className="text-xs text-ink-soft">
        {about}
      </p>
      {fault !== undefined && (
        <p id={`${id}-fault`} role="alert" className="text-xs break-words text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}

/** As it is asked for: what is empty is left to the server. */
function modelOf({ name, baseUrl, windowTokens }: Readonly<Record<FieldName, string>>): NamedModel {
  const address = baseUrl.trim();
  const tokens = windowTokens.trim();
  return {
    name: name.trim(),
    ...(address !== '' && { baseUrl: address }),
    // What is no number is refused by the server, at its field.
    ...(tokens !== '' && { windowTokens: Number(tokens) }),
  };
}
