import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idAfter, idAt, idBefore, partId } from './write-opencode.ts';

const own = /^(msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}$/;

/** Ids of OpenCode, by the millisecond they were made in. */
const id = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 47 }), fc.stringMatching(/^[0-9A-Za-z]{14}$/))
  .map(([time, chance]) => `msg_${time.toString(16).padStart(12, '0')}${chance}`);

describe('the ids of messages that OpenCode did not write', () => {
  it('have the shape of its own', () => {
    fc.assert(
      fc.property(id, fc.string(), fc.nat(9_999), (given, seed, index) => {
        expect(idAfter(given, seed)).toMatch(own);
        expect(idBefore(given, seed)).toMatch(own);
        expect(partId(given, index, seed)).toMatch(own);
      }),
    );
    expect(idAt(1_773_620_447_569, 'x')).toMatch(/^msg_cf4044951fff[0-9A-Za-z]{14}$/);
  });

  it('sort after one message and before all of a later time', () => {
    fc.assert(
      fc.property(id, fc.array(fc.string(), { minLength: 1, maxLength: 20 }), (given, seeds) => {
        let last = given;
        for (const seed of seeds) {
          const next = idAfter(last, seed);
          expect(next > last).toBe(true);
          last = next;
        }
        const later = Number.parseInt(given.slice(4, 16), 16) + 2;
        expect(last < `msg_${later.toString(16).padStart(12, '0')}`).toBe(true);
        expect(idBefore(given, 'x') < given).toBe(true);
      }),
    );
    expect(idAfter('msg_cf404492c001zzzzzzzzzzzzzz', 'x')).toMatch(/^msg_cf404492c002/);
  });

  it('sort after and before ids of any other shape, and are no longer than those of OpenCode', () => {
    for (const given of ['msg_1', 'x', 'msg_cf404492c001lV6WNlgUTxmvhA0123456789ab']) {
      expect(idAfter(given, 'x') > given).toBe(true);
    }
    expect(idAfter('msg_1', 'x')).toHaveLength(30);
    expect(idBefore('msg_1', 'x') < 'msg_1').toBe(true);
    expect(idBefore('msg_1', 'x')).toHaveLength(30);
  });

  it('are the same for the same content', () => {
    expect(idAfter('msg_cf404492c001lV6WNlgUTxmvhA', 'x')).toBe(
      idAfter('msg_cf404492c001lV6WNlgUTxmvhA', 'x'),
    );
    expect(idAfter('msg_cf404492c001lV6WNlgUTxmvhA', 'x')).not.toBe(
      idAfter('msg_cf404492c001lV6WNlgUTxmvhA', 'y'),
    );
  });

  it('keep the parts of a message in order', () => {
    const ids = [0, 1, 2, 10, 100].map((index) => partId('msg_cf404492c001lV6WNlgUTxmvhA', index, 'x'));
    expect(ids.toSorted()).toEqual(ids);
  });
});
