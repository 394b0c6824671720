import { formatTokens } from '../../../parts/format.ts';
import type { Fate, FateCause, PartFate, ShownBecause } from '../../../inspect/fates.ts';

/** Why a message is in the request, for people. */
const shownWords: Readonly<Record<ShownBecause, string>> = {
  pinned: 'Here: you pinned it',
  system: 'Here: system text',
  'client-summary': 'Here: its client’s own summary of what was said before',
  task: 'Here: the task',
  request: 'Here: the newest request of the user',
  tail: 'Here: not answered yet',
  lead: 'Here: it stands in front of what was compacted',
  'request-then': 'Here: the newest request of the user when this was compacted',
  kept: 'Here: left out of the compaction',
  recent: 'Here: it came after the newest compaction',
  'since-client': 'Here: it came after its client’s compaction',
  all: 'Here: nothing was compacted yet',
};

const changeWords: Readonly<Record<FateCause['type'], string>> = {
  'result-truncated': 'truncated',
  'result-pruned': 'pruned',
  'arguments-pruned': 'its long arguments pruned',
  'text-truncated': 'its text truncated',
  'range-compacted': 'summarised',
  'range-dropped': 'dropped',
  'reasoning-dropped': 'its reasoning dropped',
  'media-dropped': 'its media dropped',
};

/** What was done, by which compaction, when, and what it saved. */
export function causeText({ type, pass, step, savedTokens }: FateCause): string {
  const by = pass ? (pass.kind === 'compaction' ? ` by ${pass.name}` : ` (${pass.name})`) : '';
  const since = step === null ? '' : `, since request ${step + 1}`;
  const others = type.startsWith('range-') ? ' in all' : '';
  const saved = savedTokens > 0 ? `, saves ${formatTokens(savedTokens, true)} tokens${others}` : '';
  return `${changeWords[type]}${by}${since}${saved}`;
}

/** One sentence on a message. */
export function fateText(fate: Fate): string {
  if (fate.state === 'shown') {
    const changed = fate.parts.filter(isTouched);
    const [first] = changed;
    return first?.cause ? `In part: ${causeText(first.cause)}` : shownWords[fate.because];
  }
  if (fate.state === 'gone') {
    const { cause, standsIn } = fate;
    const now = standsIn && standsIn !== cause.pass ? `; now in the summary of ${standsIn.name}` : '';
    return `Gone: ${causeText(cause)}${now}`;
  }
  if (fate.state === 'hidden') return 'Sent, and hidden by the compaction of the provider';
  return 'Said after this request';
}

export function isTouched({ state }: PartFate): boolean {
  return state === 'changed' || state === 'gone';
}
