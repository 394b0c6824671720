import { describe, expect, it } from 'vitest';
import { mergeChanges } from './merge-changes.ts';
import { messageRecallId, partRecallId } from '../transcript/entry.ts';
import type { Change } from './change.ts';
import type { Summary } from '../transcript/summary.ts';

const summary: Summary = {
  round: 1,
  prose: '',
  proseBy: 'none',
  profile: 'coding',
  archivedMessages: 0,
  proseEnd: -1,
  timeline: [],
  names: [],
  state: { todos: null, checks: [], failures: [] },
  waitState: 'working',
};

function part(ordinal: number, beforeTokens: number, afterTokens: number): Change {
  return {
    type: 'result-pruned',
    anchor: { ordinal, part: 0, fingerprint: 'f' },
    text: `${afterTokens}`,
    reason: 'old-output',
    recallId: partRecallId(ordinal, 0),
    beforeTokens,
    afterTokens,
  };
}

function range(
  first: number,
  end: number,
  tokens: readonly [before: number, after: number],
  kept: number[] = [],
): Change {
  return {
    type: 'range-dropped',
    anchor: { first, end, fingerprint: 'f', lead: [], kept },
    text: 'what was left out',
    injection: 'pair',
    summary,
    reason: 'space',
    recallId: messageRecallId(first),
    beforeTokens: tokens[0],
    afterTokens: tokens[1],
  };
}

const saved = (changes: readonly Change[]): number =>
  changes.reduce((sum, { beforeTokens, afterTokens }) => sum + beforeTokens - afterTokens, 0);

describe('mergeChanges', () => {
  it('lets a newer change of a part replace the older one', () => {
    const older = part(3, 100, 40);
    const newer = part(3, 40, 10);
    expect(mergeChanges([older, part(4, 9, 1)], [newer])).toEqual([part(4, 9, 1), newer]);
  });

  it('retires what a range covers, but not what stays of it', () => {
    const [inside, staying, outside] = [part(3, 9, 1), part(5, 9, 1), part(9, 9, 1)];
    const older = range(2, 4, [50, 10]);
    const newer = range(2, 8, [90, 20], [5]);
    const live = [older, inside, staying, outside];
    expect(mergeChanges(live, [newer], live)).toEqual([staying, outside, newer]);
  });

  it('counts what a part cost once when it is changed twice in a step', () => {
    const first = mergeChanges([], [part(3, 100, 40)], []);
    const second = mergeChanges(first, [part(3, 40, 10)], []);
    expect(second).toEqual([{ ...part(3, 40, 10), beforeTokens: 100 }]);
  });

  it('counts it from what the view showed when the older change came in an earlier step', () => {
    const began = [part(3, 100, 40)];
    expect(mergeChanges(began, [part(3, 40, 10)], began)).toEqual([part(3, 40, 10)]);
  });

  it('counts what was pruned and then compacted in one step with the range', () => {
    const pruned = mergeChanges([], [part(3, 100, 40), part(4, 200, 50)], []);
    const compacted = mergeChanges(pruned, [range(2, 6, [120, 30])], []);
    const narrowed = mergeChanges(compacted, [range(2, 8, [70, 20])], []);
    expect(saved(compacted)).toBe(60 + 150 + 90);
    expect(saved(narrowed)).toBe(60 + 150 + 90 + 50);
  });

  it('knows what was there before by what it does, also after a way through JSON', () => {
    const live = [part(3, 100, 40)];
    const began = JSON.parse(JSON.stringify(live)) as Change[];
    expect(mergeChanges(live, [part(3, 40, 10)], began)).toEqual([part(3, 40, 10)]);
  });
});
