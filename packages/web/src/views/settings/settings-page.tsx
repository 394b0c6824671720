import { Button } from '../../parts/button.tsx';
import { limitFields } from './setting-words.ts';
import { FailureNotice, Loading, Notice } from '../../parts/notice.tsx';
import { Group } from './group.tsx';
import { ModelSettings } from './model-settings.tsx';
import { NumberSetting } from './setting-controls.tsx';
import { Thresholds } from './thresholds.tsx';
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
  const { canChange, isKept, refused } = props.settings;
  return (
    <>
      {canChange ? (
        <p className="text-sm text-ink-soft">
          They hold for all sessions, from the next step on
          {isKept
            ? ', and are kept: they go before the configuration file after the next start, too.'
            : ', until the server ends: its store cannot keep them. To keep them, write them into the configuration file.'}
        </p>
      ) : (
        <Notice title="You can look at these settings and not change them">
          They hold for the sessions of all owners; only the owner without a name changes them.
        </Notice>
      )}
      {refused.map(({ name, message }) => (
        <Notice
          key={name}
          tone="warn"
          title={`The kept setting ${name} cannot be had now; what is configured holds`}
          actions={
            canChange && (
              <Button isSmall onClick={() => void props.change({ [name]: null })}>
                Give it up
              </Button>
            )
          }
        >
          {message}
        </Notice>
      ))}
      <ModelSettings {...props} />
      <Thresholds {...props} />
      <ToolSettings {...props} />
      <Limits {...props} />
    </>
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
