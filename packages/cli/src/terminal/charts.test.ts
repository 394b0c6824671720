import fc from 'fast-check';
import { areaChart } from './charts.ts';
import { describe, expect, it } from 'vitest';
import { widthOf } from './text.ts';
import type { AreaChart } from './charts.ts';

const plain = (text: string): string => text;
const paint = { back: plain, front: plain, limit: plain };
const small = { columns: 11, rows: 4, paint };

/** The lines without what stands beside the chart. */
function inside(chart: AreaChart): string[] {
  return areaChart(chart).map((line) => line.slice(line.search(/[│└]/) + 1));
}

describe('areaChart', () => {
  it('draws the front before the back, each to its height', () => {
    expect(inside({ ...small, back: [8, 8], front: [2, 8] })).toEqual([
      '░░░░████',
      '░░░░████',
      '░░░░████',
      '████████',
      '────────',
    ]);
  });

  it('shows heights between two rows in eighths', () => {
    const [, , , bottom] = inside({ ...small, back: [], front: [8, 1] });
    expect(bottom).toBe('████▄▄▄▄');
  });

  it('names the largest value, the limit and nothing else', () => {
    const lines = areaChart({ ...small, back: [1_000], front: [400], limit: 500 });
    expect(lines.map((line) => line.slice(0, 5).trim())).toEqual(['1,000', '500', '', '0', '']);
  });

  it('draws the limit where nothing covers it, and leaves out one that is far above everything', () => {
    expect(inside({ ...small, back: [1, 1, 8, 8], front: [1, 1, 2, 2], limit: 4 })[1]).toContain('┄');
    expect(areaChart({ ...small, back: [10], front: [5], limit: 1_000 }).join('')).not.toContain('┄');
    expect(areaChart({ ...small, back: [10], front: [5], limit: 15 })[0]).toContain('15 │┄');
  });

  it('takes the largest of the values that share a column', () => {
    const values = Array.from({ length: 900 }, (_, index) => (index === 450 ? 8 : 1));
    expect(inside({ ...small, back: [], front: values })[0]).toBe('    █');
  });

  it('stays within its columns and rows, whatever the values', () => {
    const values = fc.array(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 300 });
    fc.assert(
      fc.property(
        values,
        values,
        fc.nat(10_000_000),
        fc.integer({ min: 24, max: 100 }),
        (back, front, limit, columns) => {
          const lines = areaChart({ back, front, limit, columns, rows: 6, paint });
          expect(lines).toHaveLength(7);
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it('colours each area by itself', () => {
    const marked = {
      back: (text: string) => `<${text}>`,
      front: (text: string) => `{${text}}`,
      limit: plain,
    };
    const [top, , , bottom] = areaChart({ ...small, paint: marked, back: [8, 8], front: [2, 2] });
    expect(top).toMatch(/│<░+>$/);
    expect(bottom).toMatch(/│\{█+\}$/);
  });
});
