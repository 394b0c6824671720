import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countValue, encryptedTokens } from './count-value.ts';
import { scriptAwareEstimator } from './script-aware-estimator.ts';

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
