import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { shareOut } from './share-out.ts';

describe('shareOut', () => {
  it('cuts nothing when everything fits', () => {
    expect(shareOut([1, 2, 3], 6)).toBe(Infinity);
    expect(shareOut([], 0)).toBe(Infinity);
  });

  it('lets small items keep all they need', () => {
    expect(shareOut([10, 100, 100], 110)).toBe(50);
  });

  it('never hands out more than the room', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000)), fc.nat(50_000), (sizes, room) => {
        const level = shareOut(sizes, room);
        const used = sizes.reduce((sum, size) => sum + Math.min(size, level), 0);
        expect(used).toBeLessThanOrEqual(Math.max(room, 0));
      }),
    );
  });
});
