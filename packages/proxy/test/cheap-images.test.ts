import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { rawCall } from './raw-call.ts';
import { startProxy } from './start-proxy.ts';
import type { AddressInfo } from 'node:net';

interface Asked {
  readonly messages: readonly { readonly content: unknown }[];
  readonly stream?: boolean;
}

/** A model for which an image is 300 tokens, and that cuts nothing. */
function tokensOf({ messages }: Asked): number {
  const text = JSON.stringify(messages).replaceAll(/"image_url":\{[^}]*\}/g, '');
  return Math.ceil(text.length / 4) + 300 * (JSON.stringify(messages).split('"image_url":').length - 1);
}

async function startModel(counts: number[]): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const asked = JSON.parse(text) as Asked;
      const tokens = tokensOf(asked);
      counts.push(tokens);
      const usage = { prompt_tokens: tokens, completion_tokens: 3, total_tokens: tokens + 3 };
      const message = { role: 'assistant', content: 'A harbour.' };
      if (asked.stream !== true) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ id: 'a', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
        );
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const choices = [{ index: 0, delta: message, finish_reason: 'stop' }];
      response.end(`data: ${JSON.stringify({ id: 'a', choices, usage })}\n\ndata: [DONE]\n\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => void server.close(),
  };
}

describe.each([true, false])('a conversation with images that cost little (streamed: %s)', (stream) => {
  it('is asked once a turn, and whole', async () => {
    const counts: number[] = [];
    const model = await startModel(counts);
    await using proxy = await startProxy(model.url, { windowTokens: 40_000 });
    const messages: object[] = [];
    for (let turn = 0; turn < 14; turn += 1) {
      const image = { type: 'image_url', image_url: { url: `https://example.org/${turn}.png` } };
      messages.push({ role: 'user', content: [image, image, { type: 'text', text: `And this (${turn})?` }] });
      const asked = { model: 'm', stream, max_tokens: 500, messages };
      const answer = await rawCall(proxy.url, { body: JSON.stringify(asked) });
      expect(counts).toHaveLength(turn + 1);
      expect(counts.at(-1)).toBe(tokensOf({ messages } as Asked));
      expect(answer.headers['x-context-window']).toBe('40000');
      messages.push({ role: 'assistant', content: 'A harbour.' });
    }
    model.close();
    expect(proxy.lines).toEqual([]);
  });
});
