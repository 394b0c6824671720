import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { ContextError, sessionCodec } from '@throughline/core';
import { atUrl, base64Of, inline, pngBytes } from '../../test/media-samples.ts';
import { loadMedia } from './load-media.ts';
import type { Part } from '../../test/media-samples.ts';
import type { SessionMessage } from '@throughline/core';

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
