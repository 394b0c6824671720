import { ChoiceSetting } from './setting-controls.tsx';
import { Group } from './group.tsx';
import { summariserWords, triggerWords } from './setting-words.ts';
import type { SettingsGroupProps } from './group.tsx';

/** Which model answers, who writes summaries, and by which strategy. */
export function ModelSettings({ settings, change }: SettingsGroupProps) {
  const { model, models, summariser, strategy, strategies, trigger, changed, canChange } = settings;
  const hasOtherSummariser = changed.includes('summariser');
  const configured = hasOtherSummariser ? 'As configured' : summariserWords[summariser];
  const isCodeConfigured = !hasOtherSummariser && summariser === 'code';
  return (
    <Group title="Models and strategy">
      <dl className="flex flex-col gap-0.5 border-b border-line py-3 text-sm">
        <dt className="text-xs text-ink-soft">Model of new sessions</dt>
        <dd dir="auto">{model}</dd>
        <dt className="pt-1 text-xs text-ink-soft">A session can have</dt>
        <dd dir="auto" className="break-words">
          {models.join(', ')}
        </dd>
        <dd className="pt-1 text-xs text-ink-soft">
          Which models there are is in the configuration (<code>model</code>, <code>server.models</code>); a
          session is switched to another in its own head.
        </dd>
      </dl>
      <ChoiceSetting
        name="summariser"
        label="Who writes summaries"
        about="Names, places and numbers are kept by code in any case; a model writes the prose in front of them."
        value={hasOtherSummariser ? 'code' : 'configured'}
        choices={[
          { value: 'configured', label: configured },
          ...(isCodeConfigured ? [] : [{ value: 'code', label: summariserWords.code }]),
        ]}
        isChanged={hasOtherSummariser}
        isReadOnly={!canChange}
        save={(value) => change({ summariser: value === 'code' ? 'code' : null })}
      />
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

/** A configured strategy may have a name of its own. */
function withCurrent(names: readonly string[], current: string): readonly string[] {
  return names.includes(current) ? names : [current, ...names];
}
