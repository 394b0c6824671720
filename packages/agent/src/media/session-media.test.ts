import { ContextError, sessionCodec } from '@throughline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atUrl, base64Of, blobsInMemory, inline, pngBytes } from '../../test/media-samples.ts';
import { decodeBase64, keepMedia, loadMedia } from './session-media.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { Part } from '../../test/media-samples.ts';
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

const gone = (): Promise<undefined> => Promise.resolve(undefined);
const nobody = (): Promise<undefined> => Promise.reject(new Error('nothing is to be read'));
const user = (...parts: Part[]): SessionMessage => ({ id: 'u', role: 'user', parts });
const stored = atUrl('image/png', '@blob:h');
const result: Part = {
  type: 'result',
  callId: 'c',
  name: 'n',
  content: [{ type: 'text', text: 'a' }, stored],
};

describe('loadMedia', () => {
  it('puts the bytes where the reference was, in parts and inside results, and reads each blob once', async () => {
    const asked: string[] = [];
    const read = async (hash: string): Promise<Uint8Array> => {
      asked.push(hash);
      return pngBytes(1, 1);
    };
    const loaded = await loadMedia(
      user({ type: 'text', text: 'x' }, { ...stored, filename: 'f' }, result),
      read,
    );
    const image = inline('image/png', pngBytes(1, 1));
    expect(loaded.parts).toEqual([
      { type: 'text', text: 'x' },
      { ...image, filename: 'f' },
      { ...result, content: [{ type: 'text', text: 'a' }, image] },
    ]);
    expect(asked).toEqual(['h']);
  });

  it('takes bytes that are a view on a larger buffer', async () => {
    const bytes = new Uint8Array([9, 9, 1, 2, 3, 9]).subarray(2, 5);
    const { parts } = await loadMedia(user(stored), () => Promise.resolve(bytes));
    expect(parts).toMatchObject([{ source: { data: base64Of(Uint8Array.from([1, 2, 3])) } }]);
  });

  it('gives back the same object where nothing is stored beside the message', async () => {
    const message = user({ type: 'text', text: '@blob:h' }, inline('image/png', pngBytes(1, 1)), {
      type: 'call',
      callId: 'c',
      name: 'n',
      input: { source: { type: 'url', url: '@blob:h' } },
    });
    expect(await loadMedia(message, nobody)).toBe(message);
  });

  it('puts a text in the place of what is gone or damaged; every part keeps its position', async () => {
    const damaged = (): Promise<never> =>
      Promise.reject(new ContextError('store-failed', 'x', { store: 's', reason: 'corrupt' }));
    const message = user({ ...stored, filename: 'shot.png' }, result, { type: 'text', text: 'z' });
    const loaded = await loadMedia(message, gone);
    expect(loaded.parts).toEqual([
      { type: 'text', text: '[image "shot.png" (image/png) is not shown: it is no longer stored]' },
      {
        ...result,
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: '[image (image/png) is not shown: it is no longer stored]' },
        ],
      },
      { type: 'text', text: 'z' },
    ]);
    expect((await loadMedia(user(stored), damaged)).parts).toMatchObject([
      { text: '[image (image/png) is not shown: what is stored of it is damaged]' },
    ]);
  });

  it('fails where the store fails', async () => {
    const failing = (): Promise<never> =>
      Promise.reject(new ContextError('store-failed', 'x', { store: 's', reason: 'locked' }));
    await expect(loadMedia(user(stored), failing)).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('takes whatever a store may hold, and changes no position in it', async () => {
    const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(stored), fc.constant(result));
    const part = fc.oneof(
      json,
      fc.record({ type: fc.constantFrom('media', 'result'), source: json, content: json }),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, fc.array(part, { maxLength: 5 })), async (parts) => {
        const message = { id: 'u', role: 'user', parts } as unknown as SessionMessage;
        const loaded = await loadMedia(message, gone);
        const shape = (one: SessionMessage): unknown => sessionCodec.decode(one, 0).parts.map(({ at }) => at);
        expect(shape(loaded)).toEqual(shape(message));
      }),
    );
  });
});

const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });

describe('decodeBase64', () => {
  it('gives back what was encoded, padded or not, in either alphabet, in lines or not', () => {
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 76 }), (source, width) => {
        const padded = Buffer.from(source).toString('base64');
        const lines = padded.replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\r\n');
        for (const text of [
          padded,
          padded.replaceAll('=', ''),
          Buffer.from(source).toString('base64url'),
          lines,
        ])
          expect(decodeBase64(text)).toEqual(Buffer.from(source));
      }),
    );
  });

  it('takes nothing that is no base64, wherever the stray character stands', () => {
    const stray = fc.constantFrom('!', '%', '\0', '-–', 'é', '\uD800', '{', ',', '=A', '@blob:');
    fc.assert(
      fc.property(bytes, stray, fc.nat(), (source, character, at) => {
        const text = Buffer.from(source).toString('base64').replaceAll('=', '');
        const place = at % text.length;
        expect(decodeBase64(text.slice(0, place) + character + text.slice(place))).toBeUndefined();
      }),
    );
  });

  it.each([
    '',
    '=',
    '==',
    '====',
    'A',
    'A=',
    'A===',
    'AAAAA',
    ' ',
    'data:image/png;base64,AAAA',
    'AAAA====A',
  ])('takes %j for no base64', (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });

  it('takes a very long text', () => {
    expect(decodeBase64('A'.repeat(40_000_000))?.length).toBe(30_000_000);
  });
});
