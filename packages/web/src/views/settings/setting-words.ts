import type { Settings, SettingsBudget } from '../../data/types.ts';

interface NumberField<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly about: string;
}

export const budgetFields: readonly NumberField<keyof SettingsBudget>[] = [
  {
    name: 'thresholdTokens',
    label: 'Threshold, in tokens',
    about: 'Tokens of a request at which the strategy acts, whatever the strategy says of it itself.',
  },
  {
    name: 'target',
    label: 'Target, as a share of the trigger',
    about: 'Where pruning and compaction stop: 0.5 is half of the trigger.',
  },
  {
    name: 'softThreshold',
    label: 'Summary ahead of need, as a share',
    about: 'Share of the trigger at which a summary may be written in the background.',
  },
  { name: 'keepTokens', label: 'Newest output that is kept, in tokens', about: 'Pruning leaves it alone.' },
  { name: 'keepTurns', label: 'Newest turns that are kept', about: 'Compaction leaves them as they are.' },
  {
    name: 'leastGainTokens',
    label: 'Least gain of pruning, in tokens',
    about: 'Less than that is not worth a new prefix.',
  },
  {
    name: 'summaryTokens',
    label: 'Length of a summary, in tokens',
    about: 'What its prose may have at most.',
  },
  {
    name: 'outputReserveTokens',
    label: 'Kept free for the answer, in tokens',
    about: 'Taken off the window before anything else.',
  },
  {
    name: 'safetyTokens',
    label: 'Kept free for safety, in tokens',
    about: 'Because counts are estimates until the model’s server has counted.',
  },
  {
    name: 'requestMaxTokens',
    label: 'Longest answer that is asked for, in tokens',
    about: 'Most tokens of one answer.',
  },
];

export const limitFields: readonly NumberField<keyof Settings['limits']>[] = [
  { name: 'maxSteps', label: 'Most steps of a run', about: 'Then the model says what it has, and stops.' },
  {
    name: 'maxDurationMs',
    label: 'Longest run, in milliseconds',
    about: 'Empty: a run may take as long as it takes.',
  },
  {
    name: 'graceMs',
    label: 'Time for a last word, in milliseconds',
    about: 'For a last step after a limit, in which the model says what it has.',
  },
];

export const switchFields = [
  {
    name: 'auto',
    label: 'Compact automatically',
    about: 'Off: nothing is compacted unless you ask for it.',
  },
  {
    name: 'background',
    label: 'Write summaries ahead of need',
    about: 'Nobody waits for a summary that is written while the agent works.',
  },
  {
    name: 'showsBudget',
    label: 'Tell the model how much room is left',
    about: 'As one line behind the messages, which stands in no history.',
  },
] as const;

export const summariserWords: Readonly<Record<Settings['summariser'], string>> = {
  same: 'Same as the chat model (default)',
  model: 'A model of its own, as configured',
  code: 'Code alone: no model is asked',
};

export const triggerWords: Readonly<Record<Settings['trigger'], string>> = {
  overflow: 'when the next request would not fit',
  threshold: 'at its threshold',
  manual: 'only when you ask',
};

export const approvalChoices = [
  { value: 'allow', label: 'Allow' },
  { value: 'ask', label: 'Ask me' },
  { value: 'deny', label: 'Deny' },
] as const;
