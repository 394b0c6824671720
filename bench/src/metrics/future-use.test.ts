import { describe, expect, it } from 'vitest';
import { addRecall, createRecall, shareOf, usesOf } from './future-use.ts';
import type { CallPart } from '@throughline/core';

function call(input: unknown): CallPart {
  return {
    type: 'call',
    at: [],
    callId: 'c' as CallPart['callId'],
    name: 'edit',
    input: { type: 'value', value: input, at: [] },
  };
}

describe('usesOf', () => {
  it('counts an entity of the arguments once, and only when the history knows it', () => {
    const uses = usesOf([call({ path: 'src/a.ts', note: 'src/a.ts and src/new.ts' })], ['read src/a.ts']);
    expect(uses.map(({ entity }) => entity).toSorted()).toEqual(['a.ts', 'src/a.ts']);
  });

  it('calls a use far when the last mention lies more than 20 messages back', () => {
    const history = (distance: number): string[] => [
      'port 8080',
      ...Array.from({ length: distance - 1 }, () => 'word'),
    ];
    expect(usesOf([call({ port: 8_080 })], history(20))[0]?.isFar).toBe(false);
    expect(usesOf([call({ port: 8_080 })], history(21))[0]?.isFar).toBe(true);
  });

  it('takes the newest mention', () => {
    const history = ['port 8080', ...Array.from({ length: 40 }, () => 'word'), 'port 8080'];
    expect(usesOf([call({ port: 8_080 })], history)[0]?.isFar).toBe(false);
  });

  it('tells where from what by the length of the argument', () => {
    const uses = usesOf(
      [call({ path: 'src/a.ts', content: `userStore ${'x '.repeat(200)}` })],
      ['src/a.ts userStore'],
    );
    expect(uses.find(({ entity }) => entity === 'src/a.ts')?.isLocator).toBe(true);
    expect(uses.find(({ entity }) => entity === 'userStore')?.isLocator).toBe(false);
  });
});

describe('shareOf', () => {
  it('is hits over uses, and no number for none', () => {
    const recall = createRecall();
    expect(shareOf(recall)).toBeNaN();
    for (const isHit of [true, true, false, true]) addRecall(recall, isHit);
    expect(shareOf(recall)).toBe(0.75);
  });
});
