import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintEntry, fingerprintPart, fingerprintRange, fingerprintValue } from './fingerprint.ts';
import type { CallId, Entry, EntryId, Part } from './entry.ts';

function entry(parts: readonly Part[], wire: unknown = {}): Entry {
  return { id: 'e' as EntryId, ordinal: 0, role: 'user', wire, parts };
}

/** A message of one part that is the whole of it. */
function whole(part: Part, wire: unknown): Entry {
  return entry([part], wire);
}

const text = (value: string): Part => ({ type: 'text', at: [], text: value });
const call = (value: unknown): Part => ({
  type: 'call',
  at: [],
  callId: 'c1' as CallId,
  name: 'read',
  input: { type: 'value', value, at: [] },
});
const result = (...pieces: Extract<Part, { type: 'result' }>['pieces']): Part => ({
  type: 'result',
  at: [],
  callId: 'c1' as CallId,
  isError: false,
  pieces,
});
const media: Part = { type: 'media', at: [], mediaType: 'image/png', sizeBytes: 300 };
const same = (one: Entry, other: Entry): boolean => {
  const parts = fingerprintPart(one, 0) === fingerprintPart(other, 0);
  expect(fingerprintEntry(one) === fingerprintEntry(other)).toBe(parts);
  expect(fingerprintRange([one, one]) === fingerprintRange([one, other])).toBe(parts);
  return parts;
};

describe('fingerprints', () => {
  it('notice an edit of one character anywhere in a text, a result or an argument', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6_000 }), fc.nat(), (length, where) => {
        const original = 'the amount is 1000 USD, '.repeat(250).slice(0, length);
        const index = where % length;
        const edited = `${original.slice(0, index)}#${original.slice(index + 1)}`;
        for (const part of [text, call, (value: string) => result({ type: 'text', at: [], text: value })]) {
          expect(same(entry([part(original)]), entry([part(edited)]))).toBe(false);
          expect(same(entry([part(original)]), entry([part(original)]))).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['base64', { source: { data: 'A'.repeat(400) } }, { source: { data: `${'A'.repeat(399)}B` } }],
    ['an address', { image_url: { url: 'https://a/1.png' } }, { image_url: { url: 'https://a/2.png' } }],
    ['bytes', { image: Uint8Array.from([1, 2]) }, { image: Uint8Array.from([1, 3]) }],
    ['an address object', { image: new URL('https://a/1') }, { image: new URL('https://a/2') }],
  ])('tell media apart by their data: %s', (_kind, one, other) => {
    expect(same(whole(media, one), whole(media, other))).toBe(false);
    expect(same(whole(media, one), whole(media, { ...one }))).toBe(true);
    const inResult = result(media as Extract<Part, { type: 'media' }>);
    expect(same(whole(inResult, one), whole(inResult, other))).toBe(false);
  });

  it('tell encrypted reasoning apart by what is encrypted, not by its length', () => {
    const reasoning: Part = { type: 'reasoning', at: [], text: '', opaqueLength: 3 };
    const encrypted = (encrypted_content: string, id: string): Entry =>
      whole(reasoning, { id, encrypted_content });
    expect(same(encrypted('abc', 'r1'), encrypted('abd', 'r1'))).toBe(false);
    expect(same(encrypted('abc', 'r1'), encrypted('abc', 'r2'))).toBe(true);
  });

  it('leave out marks on a block, and nothing inside arguments and results', () => {
    const marks = { cache_control: { type: 'ephemeral' }, status: 'completed' };
    const opaque = (value: unknown): Extract<Part, { type: 'opaque' }> => ({ type: 'opaque', at: [], value });
    expect(same(entry([opaque({ a: 1, ...marks })]), entry([opaque({ a: 1 })]))).toBe(true);
    expect(same(whole(media, { url: 'a', ...marks }), whole(media, { url: 'a' }))).toBe(true);
    const cacheMark = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
    expect(same(whole(media, { url: 'a', ...cacheMark }), whole(media, { url: 'a' }))).toBe(true);
    expect(same(entry([call({ status: 'open' })]), entry([call({ status: 'closed' })]))).toBe(false);
    expect(same(entry([call({ cache_control: 1 })]), entry([call({ cache_control: 2 })]))).toBe(false);
    expect(same(entry([result(opaque({ status: 1 }))]), entry([result(opaque({ status: 2 }))]))).toBe(false);
    expect(same(entry([opaque({ in: { status: 1 } })]), entry([opaque({ in: { status: 2 } })]))).toBe(false);
  });

  it('keep what a result holds apart from what follows it', () => {
    const piece = { type: 'text', at: [], text: 'a' } as const;
    expect(fingerprintEntry(entry([result(piece)]))).not.toBe(fingerprintEntry(entry([result(), piece])));
  });

  it('tell messages apart by who says them, and runs by their order', () => {
    const one = entry([text('a')]);
    const other = entry([text('b')]);
    expect(fingerprintEntry({ ...one, role: 'assistant' })).not.toBe(fingerprintEntry(one));
    expect(fingerprintRange([one, other])).not.toBe(fingerprintRange([other, one]));
    expect(fingerprintRange([one])).not.toBe(fingerprintRange([one, one]));
  });

  it('are the same for the same arguments in another order of keys', () => {
    expect(fingerprintValue({ a: 1, b: { c: 2, d: 3 } })).toBe(fingerprintValue({ b: { d: 3, c: 2 }, a: 1 }));
  });

  it('tell a text from the same text of another kind or with another border', () => {
    expect(fingerprintEntry(entry([text('ab')]))).not.toBe(fingerprintEntry(entry([text('a'), text('b')])));
    expect(fingerprintEntry(entry([text('a\0')]))).not.toBe(fingerprintEntry(entry([text('a')])));
    const said = result({ type: 'text', at: [], text: 'a' });
    expect(fingerprintEntry(entry([said]))).not.toBe(fingerprintEntry(entry([text('a')])));
  });

  it('are none for a part that is not there', () => {
    expect(fingerprintPart(entry([]), 0)).toBeUndefined();
  });

  it('are the characters of one length that a stored state keeps', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(fingerprintEntry(entry([text(value)]))).toMatch(/^[0-9a-z]{14}$/);
      }),
    );
  });
});
