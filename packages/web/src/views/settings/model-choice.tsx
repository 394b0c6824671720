import { ChoiceSetting } from './setting-controls.tsx';
import { CodeLines } from '../start/code-lines.tsx';
import { configLines } from './config-lines.ts';
import { NamedModelForm } from './named-model-form.tsx';
import { useState } from 'react';
import type { ChangeOutcome } from '../../data/settings.ts';
import type { Choice } from '../../parts/select.tsx';
import type { NamedModel, TakenModel } from '../../data/types.ts';

interface ModelChoiceProps {
  readonly part: 'model' | 'summariser';
  readonly label: string;
  readonly about: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly canName: boolean;
  readonly isChanged: boolean;
  readonly isReadOnly: boolean;
  /** The one that was named, where that holds. */
  readonly named: TakenModel | null;
  readonly choose: (value: string | null) => Promise<ChangeOutcome>;
  readonly name: (model: NamedModel) => Promise<ChangeOutcome>;
}

const other = '\u0000other';

/** One of the models that there are, or one that is named here. */
export function ModelChoice(props: ModelChoiceProps) {
  const { part, label, value, choices, canName, named, choose, name } = props;
  const [isNaming, setNaming] = useState(false);
  const save = async (chosen: string | null): Promise<ChangeOutcome> => {
    setNaming(chosen === other);
    return chosen === other ? { type: 'changed' } : await choose(chosen);
  };
  return (
    <div className="border-t border-line pb-3 first:border-0">
      <ChoiceSetting
        {...props}
        name={part}
        value={isNaming ? other : value}
        choices={[...choices, ...(canName ? [{ value: other, label: 'Another model …' }] : [])]}
        save={save}
      />
      {isNaming && (
        <NamedModelForm
          part={part}
          title={`${label}: another one`}
          save={name}
          onClose={() => setNaming(false)}
        />
      )}
      {named && !isNaming && <Taken part={part} model={named} />}
    </div>
  );
}

function Taken({ part, model }: Pick<ModelChoiceProps, 'part'> & { readonly model: TakenModel }) {
  return (
    <div className="flex flex-col gap-2 text-xs text-ink-soft">
      {model.note !== undefined && <p className="break-words text-warn">{model.note}</p>}
      <CodeLines label="The same in throughline.yaml" text={configLines(part, model)} />
    </div>
  );
}
