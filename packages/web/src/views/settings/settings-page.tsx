import { budgetFields, limitFields, switchFields } from './setting-words.ts';
import { FailureNotice, Loading, Notice } from '../../parts/notice.tsx';
import { Group } from './group.tsx';
import { ModelSettings } from './model-settings.tsx';
import { NumberSetting, SwitchSetting } from './setting-controls.tsx';
import { ThisBrowser } from './this-browser.tsx';
import { ToolSettings } from './tool-settings.tsx';
import { useChangeSettings, useSettings } from '../../data/settings.ts';
import type { SettingsGroupProps } from './group.tsx';

/** Settings of the server, which hold for all sessions, and of this browser. */
export function SettingsPage() {
  const settings = useSettings();
  const change = useChangeSettings();
  return (
    <>
      <header className="flex min-h-12 shrink-0 items-center border-b border-line px-4 max-md:pl-12">
        <h1 className="font-semibold">Settings</h1>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <div className="mx-auto flex max-w-2xl flex-col gap-6">
          {settings.state === 'loading' && <Loading what="the settings" />}
          {settings.state === 'failed' && <FailureNotice failure={settings.failure} />}
          {settings.state === 'ready' && <OfServer settings={settings.value} change={change} />}
          <ThisBrowser />
        </div>
      </div>
    </>
  );
}

function OfServer(props: SettingsGroupProps) {
  const { canChange } = props.settings;
  return (
    <>
      {canChange ? (
        <p className="text-sm text-ink-soft">
          They hold for all sessions, from the next step on, until the server ends. To keep them, write them
          into the configuration file.
        </p>
      ) : (
        <Notice title="You can look at these settings and not change them">
          They hold for the sessions of all owners; only the owner without a name changes them.
        </Notice>
      )}
      <ModelSettings {...props} />
      <Thresholds {...props} />
      <ToolSettings {...props} />
      <Limits {...props} />
    </>
  );
}

function Thresholds({ settings, change }: SettingsGroupProps) {
  const { budget, windowTokens, changed, canChange } = settings;
  const isReadOnly = !canChange;
  return (
    <Group title="Room in the context">
      {switchFields.map((field) => (
        <SwitchSetting
          key={field.name}
          {...field}
          value={settings[field.name]}
          isChanged={changed.includes(field.name)}
          isReadOnly={isReadOnly}
          save={(value) => change({ [field.name]: value })}
        />
      ))}
      <NumberSetting
        name="windowTokens"
        label="Window, in tokens"
        about="Prompt and answer together. Empty: that of the model."
        value={windowTokens}
        placeholder="that of the model"
        isChanged={changed.includes('windowTokens')}
        isReadOnly={isReadOnly}
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
          isReadOnly={isReadOnly}
          save={(value) => change({ budget: { [field.name]: value } })}
        />
      ))}
    </Group>
  );
}

function Limits({ settings: { limits, changed, canChange }, change }: SettingsGroupProps) {
  return (
    <Group title="Limits of a run">
      {limitFields.map((field) => (
        <NumberSetting
          key={field.name}
          {...field}
          name={`limits.${field.name}`}
          value={limits[field.name]}
          placeholder="none"
          isChanged={changed.includes(`limits.${field.name}`)}
          isReadOnly={!canChange}
          save={(value) => change({ limits: { [field.name]: value } })}
        />
      ))}
    </Group>
  );
}
