import { ContextError } from '@throughline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Of, blobsInMemory, pngBytes } from '../../test/media-samples.ts';
import { storeContent } from './store-content.ts';
import type { UserContent, UserPart } from '@throughline/protocol/types';

const never = (): Promise<string> => Promise.reject(new Error('nothing is to be kept'));
const png = base64Of(pngBytes(1, 1));
const image: UserPart = { type: 'image', data: png, mediaType: 'image/png' };

async function refusalOf(content: unknown): Promise<{ option: string; expected: string; message: string }> {
  const error = await storeContent(content as UserContent, never).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!ContextError.is(error, 'invalid-option')) throw new Error(`expected a refusal, got ${String(error)}`);
  return { option: error.details.option, expected: error.details.expected, message: error.message };
}

describe('storeContent', () => {
  it('makes one text part of a text', async () => {
    expect(await storeContent('hello', never)).toEqual({ parts: [{ type: 'text', text: 'hello' }] });
  });

  it('keeps the bytes of images and files, and refers to them in their places', async () => {
    const blobs = blobsInMemory();
    const stored = await storeContent(
      [
        { type: 'text', text: 'look' },
        { ...image, filename: 'a.png' },
        { type: 'text', text: 'and' },
        { type: 'file', data: 'AAAA', mediaType: 'application/pdf' },
      ],
      blobs.keep,
    );
    const [shot, file] = [...blobs.kept.keys()];
    expect(stored).toEqual({
      parts: [
        { type: 'text', text: 'look' },
        {
          type: 'media',
          mediaType: 'image/png',
          source: { type: 'url', url: `@blob:${shot}` },
          filename: 'a.png',
        },
        { type: 'text', text: 'and' },
        { type: 'media', mediaType: 'application/pdf', source: { type: 'url', url: `@blob:${file}` } },
      ],
    });
    expect([...blobs.kept.values()].map(base64Of)).toEqual([png, 'AAAA']);
  });

  it('makes every text storable: what comes out survives JSON and has no lone surrogate and no NUL', async () => {
    const text = fc.string({ minLength: 1 }).filter((one) => one.trim() !== '');
    await fc.assert(
      fc.asyncProperty(text, text, async (said, filename) => {
        const broken = `\uD800${said}\0`;
        const parts = [
          { type: 'text', text: broken },
          { ...image, filename: `\uDC00${filename}` },
        ] as const;
        const stored = await storeContent(parts, blobsInMemory().keep);
        expect(JSON.parse(JSON.stringify(stored))).toEqual(stored);
        expect(stored.parts).toHaveLength(2);
        for (const part of stored.parts) {
          const shown = part.type === 'text' ? part.text : (part.filename ?? '');
          expect(shown.isWellFormed()).toBe(true);
          expect(shown).not.toContain('\0');
        }
      }),
    );
  });

  it.each<[unknown, string, string]>([
    ['', 'content', 'a text that is not empty or blank'],
    [' \n', 'content', 'a text that is not empty or blank'],
    [[], 'content', 'a text or a list of at least one part'],
    [undefined, 'content', 'a text or a list of at least one part'],
    [{ parts: [] }, 'content', 'a text or a list of at least one part'],
    [[image, { type: 'text', text: '' }], 'content[1].text', 'a text that is not empty or blank'],
    [[{ type: 'text' }], 'content[0].text', 'a text that is not empty or blank'],
    [[null], 'content[0].type', 'text, image or file'],
    [['hello'], 'content[0].type', 'text, image or file'],
    [[{ type: 'video', data: png }], 'content[0].type', 'text, image or file'],
    [[{ type: 'image', data: png }], 'content[0].mediaType', 'a media type such as image/png'],
    [[{ ...image, mediaType: '' }], 'content[0].mediaType', 'a media type such as image/png'],
    [[{ ...image, mediaType: 'png' }], 'content[0].mediaType', 'a media type such as image/png'],
    [
      [{ ...image, data: 'no!' }],
      'content[0].data',
      'base64 of at least one byte, without "data:" before it',
    ],
    [[{ ...image, data: '' }], 'content[0].data', 'base64 of at least one byte, without "data:" before it'],
    [
      [{ ...image, data: undefined }],
      'content[0].data',
      'base64 of at least one byte, without "data:" before it',
    ],
    [
      [{ ...image, data: `data:image/png;base64,${png}` }],
      'content[0].data',
      'base64 of at least one byte, without "data:" before it',
    ],
    [[{ ...image, filename: 7 }], 'content[0].filename', 'a text, or nothing'],
  ])('refuses %j, says where and what is expected, and keeps nothing', async (content, option, expected) => {
    expect(await refusalOf(content)).toEqual({
      option,
      expected,
      message: `Cannot take this message: ${option} must be ${expected}.`,
    });
  });

  it('keeps nothing of a message whose last part is wrong, and shows little of what was wrong', async () => {
    const broken = [image, { ...image, data: `${'A'.repeat(1_000_000)}!` }];
    const error: unknown = await storeContent(broken, never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ details: { option: 'content[1].data', received: 'A'.repeat(100) } });
  });

  it('refuses whatever else comes, and never fails in another way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (content) => {
        const outcome = await storeContent(content as UserContent, blobsInMemory().keep).then(
          ({ parts }) => parts.length > 0,
          (error: unknown) => ContextError.is(error, 'invalid-option'),
        );
        expect(outcome).toBe(true);
      }),
    );
  });
});
