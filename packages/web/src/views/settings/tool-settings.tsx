import { approvalChoices } from './setting-words.ts';
import { ChoiceSetting } from './setting-controls.tsx';
import { Group } from './group.tsx';
import type { SettingsGroupProps } from './group.tsx';
import type { Settings } from '../../data/types.ts';

type Approval = Settings['tools'][number]['approval'];

/** What is done with a call of each tool. */
export function ToolSettings({ settings: { tools, changed, canChange }, change }: SettingsGroupProps) {
  if (tools.length === 0) return null;
  return (
    <Group title="Approvals of tools">
      {tools.map(({ name, approval }) => (
        <ChoiceSetting
          key={name}
          name={`approvals.${name}`}
          label={name}
          about={aboutApproval[approval]}
          value={approval}
          choices={approvalChoices}
          isChanged={changed.includes(`approvals.${name}`)}
          isReadOnly={!canChange}
          save={(value) => change({ approvals: { [name]: value as Approval | null } })}
        />
      ))}
    </Group>
  );
}

const aboutApproval: Readonly<Record<Approval, string>> = {
  allow: 'Runs when the model calls it. Files that programs obey, and secrets, are asked about in any case.',
  ask: 'Waits for your answer each time.',
  deny: 'The model is not told of it.',
};
