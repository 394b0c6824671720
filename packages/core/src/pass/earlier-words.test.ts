import { describe, expect, it } from 'vitest';
import { emptyState, parseState } from './state.ts';
import { isChange } from '../changes/change.ts';
import { upgradeChange, upgradeCheckpoint, upgradeState } from './earlier-words.ts';

const anchor = { ordinal: 3, part: 0, fingerprint: 'f' };
const range = { first: 0, end: 3, fingerprint: 'f', lead: [], kept: [] };
const base = { reason: 'old-output', recallId: 'm3.0', beforeTokens: 90, afterTokens: 10 };
const record = {
  round: 1,
  prose: '',
  proseBy: 'digest',
  proseEnd: -1,
  profile: 'coding',
  archivedMessages: 3,
  timeline: [],
  names: [],
  state: { todos: null, checks: [], failures: [] },
  waitState: 'working',
  task: { recallId: 'm0', text: 'Fix it.', isShortened: false },
};
const { proseBy: _by, task: _task, ...rest } = record;
const summary = { ...rest, proseBy: 'code', task: { recallId: 'm0', text: 'Fix it.', isTruncated: false } };

const earlier: readonly (readonly [string, object, object])[] = [
  [
    'a truncated result',
    { ...base, type: 'result-shortened', anchor, text: 'x', keepMedia: true, reason: 'admission' },
    { ...base, type: 'result-truncated', anchor, text: 'x', keepMedia: true, reason: 'truncation' },
  ],
  [
    'a pruned result',
    { ...base, type: 'result-cleared', anchor, text: 'x' },
    { ...base, type: 'result-pruned', anchor, text: 'x' },
  ],
  [
    'pruned arguments',
    { ...base, type: 'arguments-cleared', anchor, values: [{ at: ['a'], text: 'x' }] },
    { ...base, type: 'arguments-pruned', anchor, values: [{ at: ['a'], text: 'x' }] },
  ],
  [
    'a truncated text',
    { ...base, type: 'text-shortened', anchor, text: 'x' },
    { ...base, type: 'text-truncated', anchor, text: 'x' },
  ],
  [
    'a compacted range',
    { ...base, type: 'range-summarised', anchor: range, text: 'x', index: null, injection: 'pair', record },
    {
      ...base,
      type: 'range-compacted',
      anchor: range,
      text: 'x',
      factIndex: null,
      injection: 'pair',
      summary,
    },
  ],
  [
    'a dropped range',
    { ...base, type: 'range-dropped', anchor: range, text: 'x', injection: 'pair', record },
    { ...base, type: 'range-dropped', anchor: range, text: 'x', injection: 'pair', summary },
  ],
];

describe('a change that was stored in earlier words', () => {
  it.each(earlier)('is one of today: %s', (_name, before, now) => {
    expect(upgradeChange(before)).toEqual(now);
    expect(isChange(now)).toBe(true);
  });

  it.each(earlier)('stays the same object where it is of today: %s', (_name, _before, now) => {
    expect(upgradeChange(now)).toBe(now);
  });

  it('stays what it is where it is no change', () => {
    for (const value of [null, 7, 'x', [], {}, { type: 7 }]) expect(upgradeChange(value)).toBe(value);
  });
});

describe('a state of version 1', () => {
  const { truncation, isAutoCompactionPaused, ...others } = emptyState();
  const before = {
    ...others,
    version: 1,
    changes: earlier.map(([, change]) => change),
    admitted: { end: 4, last: 'f' },
    isHeld: true,
  };

  it('is read as one of today, with nothing of it lost', () => {
    expect({ truncation, isAutoCompactionPaused }).toEqual({
      truncation: { end: 0, last: '' },
      isAutoCompactionPaused: false,
    });
    expect(parseState(before)).toEqual({
      ...emptyState(),
      changes: earlier.map(([, , now]) => now),
      truncation: { end: 4, last: 'f' },
      isAutoCompactionPaused: true,
    });
  });

  it('is upgraded once: a state of today is the same object', () => {
    const state = upgradeState(before);
    expect(upgradeState(state)).toBe(state);
  });
});

describe('a checkpoint that was stored in earlier words', () => {
  it('is one of today, what it brought and what it replaced', () => {
    const [, cleared] = earlier;
    const [, , , , ranged] = earlier;
    const others = { id: 'c1', parent: null, reason: 'threshold', strategy: 's', historyEnd: 9 };
    const before = {
      ...others,
      changes: [ranged?.[1]],
      retired: [cleared?.[1]],
      admitted: { end: 4, last: 'f' },
    };
    const now = {
      ...others,
      changes: [ranged?.[2]],
      retired: [cleared?.[2]],
      truncation: { end: 4, last: 'f' },
    };
    expect(upgradeCheckpoint(before)).toEqual(now);
    expect(upgradeCheckpoint(now)).toBe(now);
  });
});
