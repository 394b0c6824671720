import { ChoiceSetting } from './setting-controls.tsx';
import { Group } from './group.tsx';
import { ModelChoice } from './model-choice.tsx';
import { summariserWords, triggerWords } from './setting-words.ts';
import type { SettingsGroupProps } from './group.tsx';

/** Which model answers, who writes summaries, and by which strategy. */
export function ModelSettings({ settings, change }: SettingsGroupProps) {
  const { model, models, strategy, strategies, trigger, changed, canChange, canName, named } = settings;
  const [configured] = models;
  return (
    <Group title="Models and strategy">
      <ModelChoice
        part="model"
        label="Model of new sessions"
        about="A session that is open keeps its own, and is switched in its head."
        value={model}
        choices={withCurrent(models, model).map((name) => ({ value: name, label: name }))}
        canName={canName}
        isChanged={changed.includes('model')}
        isReadOnly={!canName}
        named={named.model}
        choose={(value) => change({ model: value === null || value === configured ? null : { name: value } })}
        name={(value) => change({ model: value })}
      />
      <SummariserChoice settings={settings} change={change} />
      <ChoiceSetting
        name="strategy"
        label="Strategy"
        about={`How room is made in the context. This one acts ${triggerWords[trigger]}.`}
        value={strategy}
        choices={withCurrent(strategies, strategy).map((name) => ({ value: name, label: name }))}
        isChanged={changed.includes('strategy')}
        isReadOnly={!canChange}
        save={(value) => change({ strategy: value })}
      />
    </Group>
  );
}

function SummariserChoice({ settings, change }: SettingsGroupProps) {
  const { summariser, changed, canChange, canName, named } = settings;
  const isChanged = changed.includes('summariser');
  const value = isChanged ? (named.summariser?.name ?? summariser) : 'configured';
  const isOffered = (one: 'same' | 'code'): boolean => isChanged || summariser !== one;
  return (
    <ModelChoice
      part="summariser"
      label="Who writes summaries"
      about="Names, places and numbers are kept by code in any case; a model writes the prose in front of them."
      value={value}
      choices={[
        { value: 'configured', label: isChanged ? 'As configured' : summariserWords[summariser] },
        ...(['same', 'code'] as const)
          .filter(isOffered)
          .map((one) => ({ value: one, label: summariserWords[one] })),
        ...(isChanged && named.summariser ? [{ value, label: value }] : []),
      ]}
      canName={canName}
      isChanged={isChanged}
      isReadOnly={!canChange}
      named={isChanged ? named.summariser : null}
      choose={async (next) =>
        next === named.summariser?.name
          ? { type: 'changed' }
          : await change({ summariser: next === 'code' || next === 'same' ? next : null })
      }
      name={(next) => change({ summariser: next })}
    />
  );
}

/** A configured strategy may have a name of its own. */
function withCurrent(names: readonly string[], current: string): readonly string[] {
  return names.includes(current) ? names : [current, ...names];
}
