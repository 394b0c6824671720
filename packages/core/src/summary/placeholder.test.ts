import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  prunedText,
  droppedMediaText,
  droppedRangeText,
  nameList,
  parsePlaceholder,
  truncatedText,
} from './placeholder.ts';
import { hostileText, perFour, uneven } from '../../test/summary/builders.ts';
import { messageRecallId, partRecallId } from '../transcript/entry.ts';

const recallId = partRecallId(12, 3);
const options = { recallId, tokens: 5_000, hasRecall: true, estimator: perFour };

describe('prunedText', () => {
  it('carries the id, the size and the names, paths before numbers', () => {
    const original = `12345 ${'word '.repeat(3_000)} src/app/main.ts`;
    const text = prunedText('cleared result', original, options);
    expect(text).toBe(
      '[cleared result m12.3, 5000 tokens; recall "m12.3" returns it]\nsrc/app/main.ts, 12345',
    );
  });

  it('names no tool where the host offers none', () => {
    expect(prunedText('cleared result', 'nothing', { ...options, hasRecall: false })).toBe(
      '[cleared result m12.3, 5000 tokens]',
    );
  });

  it('leaves out what stands beside it anyway', () => {
    const known = '{"path":"src/app/main.ts"}';
    const names = nameList('src/app/main.ts uses fooBar', { maxTokens: 300, estimator: perFour, known });
    expect(names).toBe('fooBar');
  });

  it('keeps the index within 300 tokens and 10 % of the original', () => {
    const paths = Array.from({ length: 3_000 }, (_, index) => `src/dir${index}/file${index}.ts`).join('\n');
    for (const tokens of [100, 800, 5_000, 50_000]) {
      const [line = '', index = ''] = prunedText('cleared result', paths, { ...options, tokens }).split('\n');
      expect(line).toContain('cleared result');
      expect(perFour.count(index)).toBeLessThanOrEqual(Math.min(300, tokens * 0.1));
    }
  });
});

describe('truncatedText', () => {
  const truncate = { recallId, originalTokens: 9_000, hasRecall: true, estimator: perFour };

  it('returns a text that fits as it is', () => {
    expect(truncatedText('short', { ...truncate, maxTokens: 100 })).toBe('short');
  });

  it('keeps head and tail and says what is missing', () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`).join('\n');
    const text = truncatedText(lines, { ...truncate, maxTokens: 200 });
    expect(text.startsWith('line 0\nline 1\n')).toBe(true);
    expect(text.endsWith('line 1999')).toBe(true);
    expect(text).toMatch(
      /\n\[shortened result m12\.3, \d+ characters left out of 9000 tokens; recall "m12\.3" returns it\]\n/,
    );
    expect(perFour.count(text)).toBeGreaterThan(160);
  });

  it('never costs more than it may, never leaves a lone surrogate, and is stable', () => {
    const emoji = fc.integer({ min: 0, max: 600 }).map((times) => '😀é日x'.repeat(times));
    fc.assert(
      fc.property(
        fc.oneof(hostileText, emoji),
        fc.integer({ min: 20, max: 400 }),
        fc.constantFrom(perFour, uneven),
        (text, maxTokens, estimator) => {
          const input = { ...truncate, estimator, maxTokens };
          const short = truncatedText(text, input);
          expect(estimator.count(short)).toBeLessThanOrEqual(maxTokens);
          if (short !== text) expect(short.isWellFormed()).toBe(true);
          expect(truncatedText(short, input)).toBe(short);
        },
      ),
    );
  });
});

describe('parsePlaceholder', () => {
  it('recognises everything that is written here', () => {
    const dropped = {
      firstRecallId: messageRecallId(3),
      lastRecallId: messageRecallId(9),
      messages: 7,
      tokens: 900,
      hasRecall: true,
    };
    const media = { recallId, mediaType: 'image/png]\nm1', tokens: 1_500, hasRecall: false };
    expect(parsePlaceholder(prunedText('cleared result', 'x', options))).toEqual({
      kind: 'cleared result',
      recallId,
    });
    expect(parsePlaceholder(prunedText('cleared argument', 'x', options))).toEqual({
      kind: 'cleared argument',
      recallId,
    });
    expect(parsePlaceholder(`before ${droppedMediaText(media)} after`)).toEqual({
      kind: 'dropped media',
      recallId,
    });
    expect(droppedMediaText(media)).toBe('[dropped media m12.3, image/pngm1, 1500 tokens]');
    expect(parsePlaceholder(droppedRangeText(dropped))).toEqual({
      kind: 'dropped messages',
      recallId: 'm3',
      endRecallId: 'm9',
    });
    const tiny = truncatedText('word '.repeat(500), { ...options, originalTokens: 9, maxTokens: 8 });
    expect(parsePlaceholder(tiny)).toEqual({ kind: 'shortened result', recallId });
  });

  it('finds none in ordinary text', () => {
    for (const text of [
      '',
      '[cleared]',
      '[cleared result]',
      '[cleared result x1, 3 tokens]',
      'cleared result m1, 2 tokens',
    ]) {
      expect(parsePlaceholder(text)).toBeUndefined();
    }
  });

  it('comes through hostile input of a megabyte (in quadratic time it would not, before the time-out)', () => {
    expect(parsePlaceholder('[cleared result m'.repeat(200_000))).toBeUndefined();
    expect(parsePlaceholder(`[cleared result m${'1'.repeat(2_000_000)}`)).toBeUndefined();
  });
});
