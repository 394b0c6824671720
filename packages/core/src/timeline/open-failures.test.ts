import { describe, expect, it } from 'vitest';
import { assistant, perFour, step } from '../../test/summary/builders.ts';
import { fillTimeline } from '../timeline/fill-timeline.ts';
import { newestFailures } from './open-failures.ts';
import { readSource } from '../timeline/read-entries.ts';
import type { Entry } from '../transcript/entry.ts';
import type { TimelineEntry } from '../transcript/summary.ts';

const read = (entries: readonly Entry[]): readonly TimelineEntry[] =>
  readSource({ entries, after: [] }).timeline;
const labels = (entries: readonly Entry[]): string[] =>
  [...newestFailures(read(entries))].map(({ label }) => label);
const bash = (at: number, command: string, output: string, isError = false): Entry[] =>
  step(at, 'bash', { command }, output, isError);
const edit = (at: number, output: string, isError = false): Entry[] =>
  step(at, 'edit', { path: 'a.ts', old_string: `old ${at}`, new_string: 'new' }, output, isError);

describe('newestFailures', () => {
  it('are those without a later success of the very same call', () => {
    const failed = bash(1, 'npm run check', 'error: unused', true);
    expect(labels([...failed, ...bash(3, 'npm test', '1 failed', true)])).toEqual([
      '$ npm run check',
      '$ npm test',
    ]);
    expect(labels([...failed, ...bash(3, 'npm run check', 'ok')])).toEqual([]);
    expect(labels([...failed, ...bash(3, 'npm run check', 'error: again', true)])).toHaveLength(1);
  });

  it('are two', () => {
    const three = [1, 3, 5].flatMap((at) => bash(at, `make part${at}`, 'error: unused', true));
    expect(labels(three)).toEqual(['$ make part3', '$ make part5']);
  });

  it('keeps an edit that failed: a later one of the same file is another', () => {
    const failed = edit(1, 'Could not find the exact text in a.ts.', true);
    expect(labels([...failed, ...edit(3, 'ok')])).toEqual(['edit a.ts new_string=new']);
  });

  it('knows a search that found nothing by its call', () => {
    const searched = bash(1, 'grep -n flush src', 'Command exited with code 1', true);
    expect(labels(searched)).toEqual(['$ grep -n flush src → Command exited with code 1']);
    expect(labels([...searched, ...bash(3, 'grep -n flush src', 'src/a.ts:1: flush')])).toEqual([]);
  });

  it('are told in a timeline with little room, by the line that names what went wrong', () => {
    const words = Array.from({ length: 40 }, (_, index) =>
      assistant(20 + index, `We decided that part ${index} stays because table ${index * 7} depends on it.`),
    );
    const noise = Array.from({ length: 30 }, (_, index) => `error in step ${index}: see below`).join('\n');
    const history = [
      ...edit(1, 'Could not find the exact text in a.ts.', true),
      ...bash(3, 'make all', `${noise}\nld: cannot find -lshop`, true),
      ...bash(5, 'npm run check', 'error: unused', true),
      ...bash(7, 'npm run check', 'ok'),
      ...words,
    ];
    const told = fillTimeline(read(history), 250, (text) => perFour.count(text));
    expect(told).toContain('Could not find the exact text in a.ts.');
    expect(told).toContain('ld: cannot find -lshop');
  });
});
