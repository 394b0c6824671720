import { describe, expect, it } from 'vitest';
import { askerOf } from './api-client.ts';
import { openServer } from './open-server.ts';
import type { Ask } from './api-client.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Sends a file and gives the address of its bytes. */
async function addressOf(ask: Ask, bytes: Uint8Array, mediaType: string): Promise<string> {
  const data = Buffer.from(bytes).toString('base64');
  const content = [{ type: 'file', data, mediaType }];
  const { body } = await ask('POST', '/api/message?wait=true', { body: { content } });
  const page = await ask('GET', `/api/sessions/${body.sessionId}/messages`);
  return page.body.items[0].parts[0].source.url as string;
}

describe('the bytes of a message', () => {
  it('come back as they were, and an image is shown', async () => {
    await using opened = await openServer();
    const path = await addressOf(askerOf(opened.url), png, 'image/png');
    const answer = await fetch(opened.url + path);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('content-disposition')).toBe('inline');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png);
  });

  it.each([
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['text/html', '<script>alert(1)</script>'],
    ['text/html; charset=utf-8', '<!doctype html><script>alert(1)</script>'],
    ['application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"><script>1</script></html>'],
    ['application/pdf', '%PDF-1.7'],
    ['text/javascript', 'alert(1)'],
  ])(
    'that are %s run nothing: they are saved, as bytes, without scripts or an origin',
    async (type, text) => {
      await using opened = await openServer();
      const path = await addressOf(askerOf(opened.url), Buffer.from(text), type);
      const answer = await fetch(opened.url + path);
      expect(answer.headers.get('content-type')).toBe('application/octet-stream');
      expect(answer.headers.get('content-disposition')).toBe('attachment');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toContain('sandbox');
      expect(await answer.text()).toBe(text);
    },
  );

  it('are those of the session, by their hash and by nothing else', async () => {
    await using opened = await openServer();
    const ask = askerOf(opened.url);
    const path = await addressOf(ask, png, 'image/png');
    const hash = path.split('/').at(-1) ?? '';
    const { body: other } = await ask('POST', '/api/sessions');
    expect((await ask('GET', `/api/sessions/${other.id}/blobs/${hash}`)).status).toBe(404);
    const folder = path.slice(0, -hash.length);
    for (const wrong of [
      '..%2f..%2fsessions.db',
      '%2e%2e%2fsessions.db',
      hash.toUpperCase(),
      `${hash}0`,
      'x',
    ])
      expect((await ask('GET', folder + wrong)).status).toBe(422);
    expect((await ask('GET', folder + 'a'.repeat(64))).status).toBe(404);
  });
});
