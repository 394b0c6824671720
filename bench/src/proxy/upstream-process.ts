/** A model server that answers at once: a stream of so many chunks, or one with a wait between them. */
import { answerParent } from './processes.ts';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';

const chunk = (index: number): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'm',
    choices: [{ index: 0, delta: { content: `word${index} ` }, finish_reason: null }],
  })}\n\n`;
const last = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
})}\n\ndata: [DONE]\n\n`;
const chunks = Array.from({ length: 40 }, (_, index) => chunk(index));

let lastCutMs = 0;

async function answer(response: ServerResponse, waitMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const one of chunks) {
    if (response.destroyed) return;
    response.write(one);
    if (waitMs > 0) await sleep(waitMs);
  }
  response.end(last);
}

const server = createServer((request, response) => {
  response.once('close', () => {
    if (!response.writableFinished) lastCutMs = Date.now();
  });
  request.resume();
  request.once('end', () => {
    const waitMs = Number(request.headers['x-wait-ms'] ?? 0);
    void answer(response, waitMs);
  });
});
// Contenders keep their connections while others have their turn.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
answerParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { lastCutMs: () => lastCutMs });
