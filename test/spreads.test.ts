import { describe, expect, it } from 'vitest';
import { readSources } from './source.ts';

/** A list spread into the arguments of a call: each of its items takes a place on the stack. */
const spreadCall =
  /\b(?:Math\.(?:min|max)|\w+\.(?:push|unshift)|String\.from(?:CharCode|CodePoint))\(\s*\.\.\./;

describe('the source of core', () => {
  it('spreads no list into a call: with some hundred thousand items that is a RangeError', () => {
    const sources = Object.entries(readSources(['packages/core/src/**/*.ts']));
    const faults = sources.flatMap(([path, text]) =>
      path.endsWith('.test.ts')
        ? []
        : text.split('\n').flatMap((line, index) => (spreadCall.test(line) ? [`${path}:${index + 1}`] : [])),
    );
    expect(sources.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });
});
