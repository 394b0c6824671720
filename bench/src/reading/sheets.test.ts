import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { memoryFolder } from '@throughline/testkit';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { scoreTable, writeKey } from './sheets.ts';
import type { Sheet } from './sheets.ts';

function sheet(code: string, set: string, contender: string): Sheet {
  return { code, set, contender, budgetTokens: 10_000, tokens: 9_000, withRecall: false };
}

function tableOf(sheets: readonly Sheet[], grades: Readonly<Record<string, unknown>>): string[] {
  const folder = mkdtempSync(join(memoryFolder(), 'throughline-sheets-'));
  mkdirSync(join(folder, 'grades'));
  writeKey(folder, sheets);
  for (const [set, points] of Object.entries(grades))
    writeFileSync(join(folder, 'grades', `${set}.json`), JSON.stringify(points));
  return scoreTable(folder).split('\n');
}

const ours = (lines: readonly string[]): string[] =>
  lines
    .find((line) => line.startsWith('ours at'))
    ?.trim()
    .split(/\s{2,}/) ?? [];

describe('the table of scores', () => {
  it('gives points for a question, and their share of what the reader of the whole history got', () => {
    const lines = tableOf(
      [
        sheet('a', 'one', 'ours'),
        sheet('b', 'one', 'none'),
        sheet('c', 'two', 'ours'),
        sheet('d', 'two', 'none'),
      ],
      {
        one: { kinds: ['fact', 'cause'], a: [0.5, 1], b: [1, 1] },
        two: { kinds: ['fact', 'fact'], c: [0.25, 0.25], d: [0.5, 0.5] },
      },
    );
    expect(ours(lines).slice(1, 7)).toEqual(['2', '0.667', '0.500', '–', '1.000', '0.333']);
  });

  it('takes a whole point for each question where nobody has read the whole history', () => {
    const lines = tableOf([sheet('a', 'one', 'ours')], { one: { kinds: ['fact'], a: [0.5] } });
    expect(ours(lines).slice(2, 4)).toEqual(['0.500', '0.500']);
  });

  it('leaves out sheets without grades', () => {
    const lines = tableOf([sheet('a', 'one', 'ours'), sheet('b', 'two', 'ours')], { one: { a: [1] } });
    expect(ours(lines)[1]).toBe('1');
  });
});
