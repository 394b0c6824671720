import { budgetFields, switchFields } from './setting-words.ts';
import { Group } from './group.tsx';
import { NumberSetting, SwitchSetting } from './setting-controls.tsx';
import { Select } from '../../parts/select.tsx';
import { useState } from 'react';
import type { SettingsGroupProps } from './group.tsx';

/** No model is called that. */
const all = '';

/** When room is made in the context: for all models, and for those that are to have it otherwise. */
export function Thresholds(props: SettingsGroupProps) {
  const { models, byModel } = props.settings;
  const [scope, setScope] = useState(all);
  const names = [...new Set([...models, ...Object.keys(byModel)])];
  return (
    <Group title="Room in the context">
      <Switches {...props} />
      <div className="max-w-xs py-3">
        <Select
          label="Numbers below hold for"
          value={scope}
          choices={[
            { value: all, label: 'All models' },
            ...names.map((name) => ({
              value: name,
              label: Object.hasOwn(byModel, name) ? `${name} (has its own)` : `${name} alone`,
            })),
          ]}
          onChange={setScope}
        />
      </div>
      {scope === all ? <OfAll {...props} /> : <OfModel key={scope} name={scope} {...props} />}
    </Group>
  );
}

function Switches({ settings, change }: SettingsGroupProps) {
  return switchFields.map((field) => (
    <SwitchSetting
      key={field.name}
      {...field}
      value={settings[field.name]}
      isChanged={settings.changed.includes(field.name)}
      isReadOnly={!settings.canChange}
      save={(value) => change({ [field.name]: value })}
    />
  ));
}

const windowWords = { label: 'Window, in tokens', about: 'Prompt and answer together.' };

function OfAll({ settings: { budget, windowTokens, changed, canChange }, change }: SettingsGroupProps) {
  return (
    <>
      <NumberSetting
        {...windowWords}
        name="windowTokens"
        value={windowTokens}
        placeholder="that of the model"
        isChanged={changed.includes('windowTokens')}
        isReadOnly={!canChange}
        save={(value) => change({ windowTokens: value })}
      />
      {budgetFields.map((field) => (
        <NumberSetting
          key={field.name}
          {...field}
          name={`budget.${field.name}`}
          value={budget[field.name] ?? null}
          placeholder="by the window"
          isChanged={changed.includes(`budget.${field.name}`)}
          isReadOnly={!canChange}
          save={(value) => change({ budget: { [field.name]: value } })}
        />
      ))}
    </>
  );
}

/** What is empty is as for all models. */
function OfModel({ name, settings, change }: SettingsGroupProps & { readonly name: string }) {
  const { budget, windowTokens, byModel, changed, canChange } = settings;
  const own = Object.hasOwn(byModel, name) ? byModel[name] : undefined;
  const asForAll = (value: number | null | undefined, otherwise: string): string =>
    `as for all: ${value ?? otherwise}`;
  return (
    <>
      <NumberSetting
        {...windowWords}
        name={`byModel.${name}.windowTokens`}
        value={own?.windowTokens ?? null}
        placeholder={asForAll(windowTokens, 'that of the model')}
        isChanged={changed.includes(`byModel.${name}.windowTokens`)}
        isReadOnly={!canChange}
        save={(value) => change({ byModel: { [name]: { windowTokens: value } } })}
      />
      {budgetFields.map((field) => (
        <NumberSetting
          key={field.name}
          {...field}
          name={`byModel.${name}.budget.${field.name}`}
          value={own?.budget[field.name] ?? null}
          placeholder={asForAll(budget[field.name], 'by the window')}
          isChanged={changed.includes(`byModel.${name}.budget.${field.name}`)}
          isReadOnly={!canChange}
          save={(value) => change({ byModel: { [name]: { budget: { [field.name]: value } } } })}
        />
      ))}
    </>
  );
}
