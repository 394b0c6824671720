import { describe, expect, it } from 'vitest';
import { agentRun, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { emptyState, parseState } from '../context/state.ts';
import { isChange } from './is-change.ts';
import { isRangeChange } from './replay.ts';
import { prepare } from '../context/prepare.ts';
import type { Change } from './change.ts';

const madeWith = (groups: number, chars: number, windowTokens = 16_000): readonly Change[] => {
  const policy = policyOf(windowTokens, 'pruning-agent');
  const step = prepare(transcriptOf(agentRun(groups, chars)), emptyState(), policy);
  if (step.type !== 'ready' || step.changes.length === 0) throw new Error('expected changes');
  return step.changes;
};

const folded = madeWith(400, 300).find(isRangeChange);
const [cleared] = madeWith(20, 4_000, 24_000);

describe('isChange', () => {
  it('knows what the engine makes, also from JSON', () => {
    for (const change of [...madeWith(400, 300), ...madeWith(20, 4_000, 24_000), ...madeWith(2, 60_000)]) {
      expect(isChange(change)).toBe(true);
      expect(isChange(JSON.parse(JSON.stringify(change)))).toBe(true);
    }
  });

  it.each([
    ['nothing', null],
    ['a list', []],
    ['an unknown type', { ...cleared, type: 'toString' }],
    ['no anchor', { ...cleared, anchor: undefined }],
    ['an anchor of another kind', { ...cleared, anchor: folded?.anchor }],
    ['a size that is no number', { ...cleared, afterTokens: null }],
    ['no text', { ...cleared, text: 7 }],
    ['no record', { ...folded, record: null }],
    ['ordinals that are none', { ...folded, anchor: { ...folded?.anchor, kept: ['1'] } }],
    ['runs that are none', { ...folded, anchor: { ...folded?.anchor, runs: [{ first: 1 }] } }],
  ])('refuses %s', (_name, value) => {
    expect(isChange(value)).toBe(false);
    expect(() => parseState({ ...emptyState(), changes: [cleared, value] })).toThrow(/change 2/);
  });
});
