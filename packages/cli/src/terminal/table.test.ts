import fc from 'fast-check';
import { bar, strip } from './charts.ts';
import { describe, expect, it } from 'vitest';
import { formatNumber, formatPercent } from './numbers.ts';
import { printable, widthOf } from './text.ts';
import { table } from './table.ts';

describe('table', () => {
  it('aligns columns by their width on the screen', () => {
    const layout = [{ title: 'name' }, { title: 'tokens', align: 'right' as const }];
    expect(
      table(
        layout,
        [
          ['読む', '12'],
          ['bash', '1,234'],
        ],
        40,
      ),
    ).toEqual(['name  tokens', '読む      12', 'bash   1,234']);
  });

  it('leaves out what may be left out where cutting is not enough, and nothing where it is', () => {
    const layout = [
      { title: 'name', canCut: true as const },
      { title: 'count', canDrop: true as const },
      { title: 'tokens' },
      { title: '', canDrop: true as const },
    ];
    const rows = [['a-long-name', '1', '2', '▉▉▉▉']];
    expect(table(layout, rows, 80)[1]).toContain('▉');
    expect(table(layout, rows, 29)).toEqual(['name      count  tokens', 'a-long-…  1      2       ▉▉▉▉']);
    expect(table(layout, rows, 28)).toEqual(['name         tokens', 'a-long-name  2']);
  });

  it('puts the cells of a row below each other where nothing may be cut or left out any more', () => {
    const layout = [
      { title: '', canCut: true as const },
      { title: 'calls', align: 'right' as const },
      { title: 'tokens', align: 'right' as const },
      { title: 'of the results', align: 'right' as const },
      { title: '', canDrop: true as const },
    ];
    const rows = [['  mcp__tracker__list', '12,345', '123,456,789', '1,234,567,890', '▉▉▉▉']];
    expect(table(layout, rows, 40)).toEqual([
      '  mcp__tracker__list',
      '      calls 12,345 · tokens 123,456,789',
      '      · of the results 1,234,567,890',
    ]);
  });

  it('never has a line that is too long, whatever its cells', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 60 }).map(printable);
    const column = fc.record(
      {
        title: cell,
        align: fc.constantFrom('left' as const, 'right' as const),
        canDrop: fc.constant(true as const),
      },
      { requiredKeys: ['title'] },
    );
    const tables = fc.array(column, { minLength: 1, maxLength: 6 }).chain((layout) =>
      fc.tuple(
        fc.constant(layout),
        fc.array(fc.array(cell, { minLength: layout.length, maxLength: layout.length }), {
          minLength: 1,
          maxLength: 4,
        }),
      ),
    );
    fc.assert(
      fc.property(tables, ([layout, rows]) => {
        for (const line of table(layout, rows, 40)) expect(widthOf(line)).toBeLessThanOrEqual(40);
      }),
    );
  });

  it('stays within the columns when a column may be cut', () => {
    const cells = fc.string({ unit: 'grapheme', maxLength: 80 }).map(printable);
    fc.assert(
      fc.property(fc.array(cells, { minLength: 1, maxLength: 5 }), (texts) => {
        const rows = texts.map((text) => [text, '12,345', { text, cut: 'middle' as const }]);
        const layout = [
          { title: '', canCut: true as const },
          { title: 'n', align: 'right' as const },
          { title: '', canCut: true as const },
        ];
        for (const line of table(layout, rows, 60)) expect(widthOf(line)).toBeLessThanOrEqual(60);
      }),
    );
  });
});

describe('bars', () => {
  it('shows a share above nothing', () => {
    expect(bar(0.0001, 20)).toBe('▏');
    expect(bar(0, 20)).toBe('');
  });

  it('is as long as its columns at most, whatever the share', () => {
    fc.assert(fc.property(fc.double(), (share) => bar(share, 12).length <= 12));
  });

  it('puts any number of values into one line', () => {
    expect(strip([1, 2, 4, 8], 10)).toHaveLength(4);
    expect(
      strip(
        Array.from({ length: 5_000 }, (_, index) => index),
        60,
      ).length,
    ).toBeLessThanOrEqual(60);
  });
});

describe('numbers', () => {
  it('are grouped, and small shares keep a digit', () => {
    expect(formatNumber(1234567)).toBe('1,234,567');
    expect([formatPercent(0.5), formatPercent(0.012), formatPercent(0), formatPercent(NaN)]).toEqual([
      '50 %',
      '1.2 %',
      '0 %',
      '–',
    ]);
  });
});
