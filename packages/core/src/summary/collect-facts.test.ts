import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEntries, assistant, entry, result, step, user } from '../../test/summary/builders.ts';
import { collectFacts } from './collect-facts.ts';
import { FactCollector } from './fact-collector.ts';
import { visitTexts } from '../transcript/entry-text.ts';

/** Plain words: nothing to find in them. */
const filler = (characters: number): string => 'plain words '.repeat(Math.ceil(characters / 12));
const output = (ordinal: number, text: string) => entry(ordinal, 'tool', [result(text)]);
/** As much text as is read whole, in one result. */
const newer = (ordinal: number, windows = 1) => output(ordinal, filler(200_000 * windows));

describe('collectFacts', () => {
  it('reads every text of a history of one window', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const every = new FactCollector();
        for (const one of entries) visitTexts(one, (text) => every.add(text, one.ordinal));
        const names = (collector: FactCollector): string[] => [...collector.ranked()].map(({ text }) => text);
        expect(new Set(names(collectFacts(entries)))).toEqual(new Set(names(every)));
      }),
      { numRuns: 60 },
    );
  });

  it('reads long results before it at their ends, and cuts no word', () => {
    const long = `src/first.ts ${filler(984)}src/cut-at-the-border.ts ${filler(5_000)}src/middle.ts ${filler(5_000)}src/last.ts`;
    const found = collectFacts([output(0, long), newer(1)]);
    expect(found.find('src/first.ts')?.ordinal).toBe(0);
    expect(found.find('src/last.ts')).toBeDefined();
    expect(found.find('src/middle.ts')).toBeUndefined();
    expect([...found.ranked()].map(({ text }) => text).toSorted()).toEqual(['src/first.ts', 'src/last.ts']);
  });

  it('reads short results and what was said before it whole', () => {
    const said = `${filler(5_000)}src/said.ts ${filler(5_000)}`;
    const found = collectFacts([output(0, 'src/short.ts'), assistant(1, said), newer(2)]);
    expect(found.find('src/short.ts')).toBeDefined();
    expect(found.find('src/said.ts')).toBeDefined();
  });

  it('reads of what lies far back only what was said, and at last only what the user said', () => {
    const far = [
      user(0, 'src/asked.ts'),
      assistant(1, 'src/answered.ts'),
      ...step(2, 'read', { path: 'src/called.ts' }, 'src/shown.ts'),
    ];
    const ends = Array.from({ length: 300 }, (_, index) => output(10 + index, filler(2_000)));
    const talk = assistant(500, filler(400_000));
    const sayings = collectFacts([...far, ...ends, newer(600)]);
    expect(sayings.find('src/answered.ts')).toBeDefined();
    expect(sayings.find('src/called.ts')).toBeDefined();
    expect(sayings.find('src/shown.ts')).toBeUndefined();
    const requests = collectFacts([...far, talk, ...ends, newer(600)]);
    expect(requests.find('src/asked.ts')).toBeDefined();
    expect(requests.find('src/answered.ts')).toBeUndefined();
  });
});
