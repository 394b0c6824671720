import { expect, it } from 'vitest';
import { emittedContent } from './run-calls.ts';
import type { ResultContent } from '../tools/tool.ts';

it('tells short results as they are', () => {
  const content: ResultContent[] = [{ type: 'text', text: 'x'.repeat(8_000) }];
  expect(emittedContent(content)).toBe(content);
});

it('tells head and tail of long texts, and media as they stand', () => {
  const media = { type: 'media', mediaType: 'image/png', source: { type: 'url', url: '@blob:1' } } as const;
  const text = `first\n${'line\n'.repeat(20_000)}last`;
  const [told, same] = emittedContent([{ type: 'text', text }, media]);
  expect(same).toBe(media);
  if (told?.type !== 'text') throw new Error('expected a text');
  expect(told.text.length).toBeLessThanOrEqual(8_100);
  expect(told.text).toMatch(/^first\n.*characters left out of this event.*last$/s);
});
