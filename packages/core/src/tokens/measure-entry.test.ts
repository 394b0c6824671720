import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scriptAwareEstimator } from './estimator.ts';
import type { CallId, Entry, EntryId, Part } from '../transcript/entry.ts';
import type { Meter } from './measure-entry.ts';
import {
  countText,
  countTools,
  countValue,
  encryptedTokens,
  measureEntry,
  messageOverheadTokens,
} from './measure-entry.ts';
import { mediaPricings } from './media-tokens.ts';

const meter: Meter = {
  estimator: { name: 'per-character', count: (text) => text.length },
  media: mediaPricings.anthropic,
};
const callId = 'call-1' as CallId;
const at = [] as const;

function entryOf(...parts: readonly Part[]): Entry {
  return { id: 'm0' as EntryId, ordinal: 0, role: 'assistant', wire: {}, parts };
}

const text = fc.string({ maxLength: 50 });
const part: fc.Arbitrary<Part> = fc.oneof(
  text.map((value): Part => ({ type: 'text', at, text: value })),
  fc
    .tuple(text, fc.nat(5_000))
    .map(([value, opaqueLength]): Part => ({ type: 'reasoning', at, text: value, opaqueLength })),
  fc
    .tuple(text, fc.jsonValue())
    .map(([name, value]): Part => ({ type: 'call', at, callId, name, input: { type: 'value', value, at } })),
  text.map((value): Part => ({
    type: 'result',
    at,
    callId,
    isError: false,
    pieces: [{ type: 'text', at, text: value }],
  })),
  fc.nat(10_000_000).map((sizeBytes): Part => ({ type: 'media', at, mediaType: 'image/png', sizeBytes })),
  fc.jsonValue().map((value): Part => ({ type: 'opaque', at, value })),
);

describe('measureEntry', () => {
  it('counts plain text as its estimator does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const parts = [{ type: 'text', at, text: value }] as const;
        for (const estimator of [meter.estimator, scriptAwareEstimator]) {
          const { parts: sizes } = measureEntry(entryOf(...parts), { ...meter, estimator });
          expect(sizes).toEqual([estimator.count(value)]);
        }
      }),
    );
  });

  it('takes an estimator at its word that is another with a count of its own', () => {
    const twice = {
      ...scriptAwareEstimator,
      count: (value: string) => scriptAwareEstimator.count(value) * 2,
    };
    const entry = entryOf({ type: 'text', at, text: 'some words' });
    expect(measureEntry(entry, { ...meter, estimator: twice }).parts).toEqual([twice.count('some words')]);
  });

  it('is the overhead of a message and the sum of its parts', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const measured = measureEntry(entryOf(...parts), meter);
        expect(measured.parts).toHaveLength(parts.length);
        expect(measured.parts.every((tokens) => tokens >= 0)).toBe(true);
        const sum = measured.parts.reduce((total, tokens) => total + tokens, messageOverheadTokens);
        expect(measured.tokens).toBeCloseTo(sum);
      }),
    );
  });

  it('gives each part in whole steps of 1/1024 token, so that sums are exact in any order', () => {
    const uneven: Meter = { ...meter, estimator: { name: 'thirds', count: ({ length }) => length / 3 } };
    const inSteps = (tokens: number): number => tokens * 1_024;
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const { tokens, parts: sizes } = measureEntry(entryOf(...parts), uneven);
        expect([tokens, ...sizes].map(inSteps).every(Number.isSafeInteger)).toBe(true);
        expect(sizes.reduceRight((sum, size) => sum + size, messageOverheadTokens)).toBe(tokens);
      }),
    );
    expect(Number.isSafeInteger(inSteps(countTools([{ name: 'a', limit: 7 }], uneven.estimator)))).toBe(true);
  });

  it('counts the name and arguments of a call, whether text or value', () => {
    const asText = measureEntry(
      entryOf({ type: 'call', at, callId, name: 'read', input: { type: 'text', text: '{"path":"a"}', at } }),
      meter,
    );
    const asValue = measureEntry(
      entryOf({ type: 'call', at, callId, name: 'read', input: { type: 'value', value: { path: 'a' }, at } }),
      meter,
    );
    expect(asText.parts).toEqual([8 + 4 + 12]);
    expect(asValue.parts[0]).toBeGreaterThan(8 + 4 + 4);
  });

  it('prices an image inside a result by formula, however long its base64 is', () => {
    const image = { type: 'media', at, mediaType: 'image/png', widthPx: 750, heightPx: 1_000 } as const;
    const [small] = measureEntry(
      entryOf({ type: 'result', at, callId, isError: false, pieces: [{ ...image, sizeBytes: 10 }] }),
      meter,
    ).parts;
    const [large] = measureEntry(
      entryOf({ type: 'result', at, callId, isError: false, pieces: [{ ...image, sizeBytes: 5_000_000 }] }),
      meter,
    ).parts;
    expect(small).toBe(large);
    expect(small).toBe(6 + 1_000);
  });

  it('counts readable and encrypted reasoning once', () => {
    const tokensOf = (text: string, opaqueLength: number): number =>
      measureEntry(entryOf({ type: 'reasoning', at, text, opaqueLength }), meter).parts[0] ?? 0;
    expect(tokensOf('x'.repeat(1_000), 3_000)).toBe(1_000);
    expect(tokensOf('', 4_000)).toBe((3_000 - 650) / 4);
  });
});

describe('countText', () => {
  it('counts nothing for the empty text', () => {
    expect(countText('', { name: 'one', count: () => 1 })).toBe(0);
  });
});

describe('an estimator that gives no number of tokens', () => {
  const answers: readonly (readonly [string, unknown])[] = [
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['undefined', undefined],
    ['a promise', Promise.resolve(3)],
    ['"3"', '3'],
    ['-1', -1],
    ['null', null],
  ];

  it.each(answers)('is refused wherever it is asked, with what came: %s', (shown, answer) => {
    const estimator = { name: 'broken', count: () => answer as number };
    const text: Part = { type: 'text', at, text: 'some words' };
    const result: Part = { type: 'result', at, callId, isError: false, pieces: [text] };
    const values: readonly unknown[] = ['some words', 7, { key: true }];
    const sentence = `Expected estimator.count() to be a finite number ≥ 0, got ${shown}.`;
    for (const call of [
      () => countText('some words', estimator),
      () => countTools([{ name: 'read' }], estimator),
      () => measureEntry(entryOf(text), { ...meter, estimator }),
      () => measureEntry(entryOf(result), { ...meter, estimator }),
      ...values.map((value) => () => countValue(value, estimator)),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 'invalid-option', message: sentence }));
    }
  });
});

describe('countTools', () => {
  it('counts nothing for no tools and something for each', () => {
    expect(countTools([], meter.estimator)).toBe(0);
    expect(countTools([{ name: 'a' }, { name: 'b' }], meter.estimator)).toBe(
      2 * countTools([{ name: 'a' }], meter.estimator),
    );
  });
});

const count = (value: unknown): number => countValue(value, scriptAwareEstimator);
const ofJson = (value: unknown): number => scriptAwareEstimator.count(JSON.stringify(value));

describe('countValue', () => {
  it.each([
    [{ path: '/src/index.ts', limit: 200, offset: 0 }],
    [{ command: 'npm test -- --run', timeoutMs: 120_000, isBackground: false }],
    [
      {
        edits: [
          { find: 'const a = 1;', replace: 'const a = 2;' },
          { find: 'let b', replace: 'const b' },
        ],
      },
    ],
    [{ query: 'select id, name from users where active', parameters: [1, 2, null, true] }],
    [
      {
        type: 'function',
        function: { name: 'read', description: 'Reads a file.', parameters: { type: 'object' } },
      },
    ],
  ])('costs about what its JSON costs: %j', (value) => {
    expect(count(value) / ofJson(value)).toBeGreaterThan(0.75);
    expect(count(value) / ofJson(value)).toBeLessThan(1.25);
  });

  it('is finite and not negative for anything', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withTypedArray: true }), (value) => {
        expect(count(value)).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(count(value))).toBe(true);
      }),
    );
  });

  it('accepts circles and any depth', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    let deep: unknown = 'end';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(count(circle)).toBeLessThan(5);
    expect(count(deep)).toBeGreaterThan(50_000);
  });

  it('grows with every string inside', () => {
    expect(count({ a: 'one two three' })).toBeGreaterThan(count({ a: 'one' }));
    expect(count({ a: 'one', b: 'two' })).toBeGreaterThan(count({ a: 'one' }));
  });

  it('counts encrypted base64 by what is inside and bytes by their length', () => {
    const encrypted = 'gAAAAABo0vJ9xT2k'.repeat(250);
    expect(count({ encrypted_content: encrypted })).toBeLessThan(scriptAwareEstimator.count(encrypted) / 2);
    expect(count(new Uint8Array(3_000))).toBeCloseTo(encryptedTokens(4_000) + 0.8);
  });

  it('counts nothing for what JSON leaves out', () => {
    expect(count(undefined)).toBe(0);
    expect(count(() => 1)).toBe(0);
    expect(count({ a: undefined })).toBe(count({}));
  });
});
