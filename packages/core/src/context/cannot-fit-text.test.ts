import { describe, expect, it } from 'vitest';
import { cannotFitText } from './cannot-fit-text.ts';

const parts = [
  { name: 'system', tokens: 900 },
  { name: 'tools', tokens: 600 },
  { name: 'm2', tokens: 500 },
  { name: 'm3', tokens: 200 },
  { name: 'm4', tokens: 100 },
];
const noFit = { usableTokens: 1_000, requestTokens: 2_300, parts, canCompact: false };

describe('cannotFitText', () => {
  it('names the size, what is usable, the three biggest parts and the sum of all else', () => {
    expect(cannotFitText(noFit)).toBe(
      'It cannot fit: the smallest request measures 2300 tokens, 1000 are usable; the biggest parts are system 900, tools 600, m2 500, all else 300.',
    );
  });

  it('names no parts where none are known', () => {
    expect(cannotFitText({ usableTokens: 1, requestTokens: 2 })).toBe(
      'It cannot fit: the smallest request measures 2 tokens, 1 are usable.',
    );
  });

  it('says that only the switch forbids it', () => {
    expect(cannotFitText({ ...noFit, canCompact: true })).toBe(
      'The request measures 2300 tokens, 1000 are usable, and automatic compaction is off.',
    );
  });

  it('lets the provider speak first where it refused', () => {
    expect(cannotFitText({ ...noFit, parts: [] }, { refusal: 'Too long.' })).toBe(
      'The provider refuses the request: Too long. It measures 2300 tokens, and nothing more can be left out.',
    );
  });

  it('names the limits on bytes and media that are exceeded', () => {
    const wire = { bytes: 50, maxBytes: 40, media: 3 };
    expect(cannotFitText({ ...noFit, parts: [], wire })).toContain('1000 are usable (50 bytes of 40).');
  });

  it('writes numbers as it is asked to', () => {
    const text = cannotFitText({ ...noFit, parts: parts.slice(0, 1) }, { number: (value) => `#${value}` });
    expect(text).toContain('#2300 tokens, #1000 are usable; the biggest parts are system #900.');
  });
});
