import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AskedFacts } from './asked-facts.ts';
import { SaidFacts } from './said-facts.ts';
import { visitFactParts } from './fact-parts.ts';

const anyFact = fc
  .array(fc.constantFrom('a', 'b1', 'src', 'config', 'ts', '/', '.', '-', ':', '日本', 'Ω'), {
    minLength: 1,
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));

describe('SaidFacts', () => {
  it('has a fact and the parts between its separators, and nothing else', () => {
    const said = new SaidFacts();
    const text = 'see src/app/config.ts:12 now';
    said.add(text, 4, 24);
    for (const part of ['src/app/config.ts:12', 'src/app/config.ts', 'config.ts', 'app', 'config']) {
      expect(said.has(part, 0), part).toBe(true);
    }
    for (const other of ['onfig.ts', 'src/app/config.t', 'see', 'ts', '12', '']) {
      expect(said.has(other, 0), other).toBe(false);
    }
  });

  it('looks at what stands behind the start it is given', () => {
    const said = new SaidFacts();
    said.add('src/a.ts', 0, 8);
    expect(said.has('b/src/a.ts', 2)).toBe(true);
    expect(said.has('b/src/a.ts', 0)).toBe(false);
  });

  it('answers the same about what it was told it would be asked', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 60 }), fc.array(anyFact), (facts, asked) => {
        const askedFacts = new AskedFacts();
        for (const one of asked) askedFacts.addText(one, 0);
        const [every, some] = [new SaidFacts(), new SaidFacts(askedFacts)];
        for (const said of [every, some]) for (const fact of facts) said.add(fact, 0, fact.length);
        for (const one of asked) expect(some.has(one, 0)).toBe(every.has(one, 0));
      }),
    );
  });

  it('answers as a set of all parts would, however many they are', () => {
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 200 }), fc.array(anyFact), (facts, asked) => {
        const said = new SaidFacts();
        const parts = new Set<string>();
        for (const fact of facts) {
          said.add(fact, 0, fact.length);
          visitFactParts(fact, (part) => parts.add(part));
        }
        for (const one of [...parts, ...asked]) expect(said.has(one, 0)).toBe(parts.has(one));
      }),
      { numRuns: 60 },
    );
  });
});
