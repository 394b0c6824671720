import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { PersistentArray } from './persistent-array.ts';

describe('Log', () => {
  it('keeps what was read from it, whatever is appended to it or beside it', () => {
    const steps = fc.array(fc.tuple(fc.nat(), fc.array(fc.integer(), { maxLength: 4 })), { maxLength: 30 });
    fc.assert(
      fc.property(steps, (appends) => {
        const logs = [PersistentArray.of<number>([])];
        const plain: number[][] = [[]];
        for (const [pick, items] of appends) {
          const from = pick % logs.length;
          logs.push((logs[from] as PersistentArray<number>).append(items));
          plain.push([...(plain[from] ?? []), ...items]);
        }
        expect(logs.map((log) => [...log])).toEqual(plain);
      }),
    );
  });

  it('knows its own earlier states from arrays with the same items', () => {
    const first = PersistentArray.of([1]);
    const second = first.append([2]);
    const fork = first.append([3]);
    expect(second.isExtensionOf(first)).toBe(true);
    expect(fork.isExtensionOf(first)).toBe(false);
    expect(second.isExtensionOf(fork)).toBe(false);
    expect(first.isExtensionOf(second)).toBe(false);
  });
});
