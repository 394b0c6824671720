import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atUrl, blobsInMemory, inline, pngBytes } from '../../test/media-samples.ts';
import { keepMedia } from './keep-media.ts';
import { loadMedia } from './load-media.ts';
import type { SessionMessage } from '@throughline/core';
import type { ResultContent } from '../tools/tool.ts';

const text = (said: string): ResultContent => ({ type: 'text', text: said });
const never = (): Promise<string> => Promise.reject(new Error('nothing is to be kept'));
const resultOf = (content: readonly ResultContent[]): SessionMessage => ({
  id: 'r',
  role: 'tool',
  parts: [{ type: 'result', callId: 'c', name: 'n', content }],
});

const content = fc.array(
  fc.oneof(
    fc.string().map(text),
    fc
      .record({
        type: fc.constantFrom('image/png', 'application/pdf', 'audio/wav'),
        bytes: fc.uint8Array({ minLength: 1 }),
      })
      .map(({ type, bytes }) => inline(type, bytes)),
    fc.webUrl().map((url) => atUrl('image/png', url)),
  ),
  { maxLength: 8 },
);

describe('keepMedia', () => {
  it('leaves nothing but references in the content, and loadMedia gives back what was there', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (said) => {
        const blobs = blobsInMemory();
        const before = structuredClone(said);
        const kept = await keepMedia(said, blobs.keep);
        expect(JSON.stringify(kept)).not.toContain('"data"');
        expect(await loadMedia(resultOf(kept), blobs.read)).toEqual(resultOf(said));
        expect(said).toEqual(before);
      }),
    );
  });

  it('gives back the same list where there is nothing to keep, and the same items where there is', async () => {
    const said = [text('a'), atUrl('image/png', 'https://example.org/a.png'), atUrl('image/png', '@blob:00')];
    expect(await keepMedia(said, never)).toBe(said);
    const mixed = [...said, inline('image/png', pngBytes(1, 1))];
    const kept = await keepMedia(mixed, blobsInMemory().keep);
    said.forEach((one, index) => expect(kept[index]).toBe(one));
    expect(await keepMedia(kept, never)).toBe(kept);
  });

  it('keeps what a data URL holds', async () => {
    const blobs = blobsInMemory();
    const [kept] = await keepMedia([atUrl('image/png', 'data:image/png;base64,AAAA')], blobs.keep);
    expect(kept).toMatchObject({ source: { type: 'url', url: expect.stringMatching(/^@blob:/) } });
    expect([...blobs.kept.values()]).toEqual([Buffer.from([0, 0, 0])]);
  });

  it('says in words that data are broken or missing, and keeps nothing of them', async () => {
    const named = { type: 'media', mediaType: 'image/png', filename: 'a.png' } as const;
    const broken = [
      { ...named, source: { type: 'base64', data: 'no base64!' } },
      { ...named, source: { type: 'base64', data: '' } },
      named,
      { type: 'media', source: { type: 'base64', data: 7 } },
    ] as unknown as ResultContent[];
    expect(await keepMedia(broken, never)).toEqual([
      text('[image "a.png" (image/png) is not shown: its data are broken]'),
      text('[image "a.png" (image/png) is not shown: it is empty]'),
      text('[image "a.png" (image/png) is not shown: it is empty]'),
      text('[file (application/octet-stream) is not shown: it is empty]'),
    ]);
  });

  it('believes the bytes of an image rather than its name', async () => {
    const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);
    const kept = await keepMedia(
      [
        inline('image/png', jpeg),
        inline('image/jpg', jpeg),
        inline('IMAGE/PNG; x=1', pngBytes(1, 1)),
        inline('image/svg+xml', Buffer.from('<svg/>')),
        inline('application/pdf', jpeg),
      ],
      blobsInMemory().keep,
    );
    expect(kept.map((one) => one.type === 'media' && one.mediaType)).toEqual([
      'image/jpeg',
      'image/jpeg',
      'image/png',
      'image/svg+xml',
      'application/pdf',
    ]);
  });
});
