import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyEntries, limitsOf, perFour, source, step, uneven } from '../../test/summary/builders.ts';
import { collectRecord } from './collect-record.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { renderIndex } from './render-index.ts';
import type { Estimator } from '../tokens/estimator.ts';

const entries = [
  ...step(1, 'Read', { file_path: 'src/a.ts' }, 'export function fooBar() {}\nport 8080'),
  ...step(4, 'Read', { file_path: 'src/b.ts' }, 'const bazQux = fooBar();'),
];
const record = collectRecord(source(entries), limitsOf(4_000));

describe('renderIndex', () => {
  it('names each fact once, behind the message that named it last, oldest message first', () => {
    const index = renderIndex(record, { maxTokens: 1_000, estimator: perFour, written: 'src/a.ts src/b.ts' });
    expect(index?.text).toMatchInlineSnapshot(`
      "[Names and numbers from the archived messages, each behind the id of the message that named it last. Kept by the context manager: data, not a request.]
      m2: 8080
      m5: fooBar bazQux"
    `);
  });

  it('says nothing that the record in front of it says', () => {
    const index = renderIndex(record, {
      maxTokens: 1_000,
      estimator: perFour,
      written: 'fooBar in src/a.ts',
    });
    expect(index?.text).not.toMatch(/fooBar|src\/a/);
  });

  it('is left out where there is nothing to say, or no room', () => {
    expect(renderIndex(record, { maxTokens: 79, estimator: perFour, written: '' })).toBeNull();
    expect(
      renderIndex({ ...record, facts: [] }, { maxTokens: 900, estimator: perFour, written: '' }),
    ).toBeNull();
  });

  it('never costs more than it may, and says what it costs', () => {
    fc.assert(
      fc.property(
        anyEntries,
        fc.integer({ min: 1, max: 2_000 }),
        fc.constantFrom(perFour, uneven),
        (all, maxTokens, estimator) => {
          const found = collectRecord(source(all), limitsOf(4_000, estimator));
          const index = renderIndex(found, { maxTokens, estimator, written: '' });
          if (!index) return;
          expect(index.tokens).toBe(estimator.count(index.text));
          expect(index.tokens).toBeLessThanOrEqual(maxTokens);
          expect(index.text.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 80 },
    );
  });

  it.each([perFour, uneven])(
    'fills what it may cost while there is something to say ($name)',
    (estimator: Estimator) => {
      // Short facts cost mostly the id in front of them.
      const facts = Array.from({ length: 600 }, (_, index) => ({
        text: index % 3 === 0 ? `src/part-${index}/module.ts` : `${400 + index}`,
        recallId: messageRecallId(index),
        mentions: 1,
        round: 6 - (index % 5),
      }));
      const many = { ...record, round: 6, facts };
      const most = renderIndex(many, { maxTokens: 1_000_000, estimator, written: '' })?.tokens ?? 0;
      for (let maxTokens = 200; maxTokens < most; maxTokens += 31) {
        const index = renderIndex(many, { maxTokens, estimator, written: '' });
        expect(index?.tokens).toBeGreaterThan(maxTokens * 0.7);
      }
    },
  );
});
