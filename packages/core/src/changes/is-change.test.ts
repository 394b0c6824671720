import { describe, expect, it } from 'vitest';
import { agentRun, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { emptyState, parseState } from '../pass/state.ts';
import { isChange, isRangeChange } from './change.ts';
import { prepare } from '../context/prepare.ts';
import type { Change } from './change.ts';

const madeWith = (exchanges: number, chars: number, windowTokens = 16_000): readonly Change[] => {
  const policy = policyOf(windowTokens, 'pruning-agent');
  const step = prepare(transcriptOf(agentRun(exchanges, chars)), emptyState(), policy);
  if (step.type !== 'ready' || step.changes.length === 0) throw new Error('expected changes');
  return step.changes;
};

const compacted = madeWith(400, 300).find(isRangeChange);
const [pruned] = madeWith(20, 4_000, 24_000);

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
    ['an unknown type', { ...pruned, type: 'toString' }],
    ['no anchor', { ...pruned, anchor: undefined }],
    ['an anchor of another kind', { ...pruned, anchor: compacted?.anchor }],
    ['a size that is no number', { ...pruned, afterTokens: null }],
    ['no text', { ...pruned, text: 7 }],
    ['no record', { ...compacted, summary: null }],
    ['ordinals that are none', { ...compacted, anchor: { ...compacted?.anchor, kept: ['1'] } }],
    ['runs that are none', { ...compacted, anchor: { ...compacted?.anchor, runs: [{ first: 1 }] } }],
  ])('refuses %s', (_name, value) => {
    expect(isChange(value)).toBe(false);
    expect(() => parseState({ ...emptyState(), changes: [pruned, value] })).toThrow(/change 2/);
  });
});
