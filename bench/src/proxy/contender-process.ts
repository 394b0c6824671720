/** One contender in front of an upstream: `contender-process.ts NAME UPSTREAM WINDOW [FOLDER]`, the folder for a store. */
import { Agent, createServer, request as ask } from 'node:http';
import { answerParent } from './processes.ts';
import { createProxyRoutes } from '@throughline/proxy';
import { createRawServer } from '@throughline/server';
import { createStrategy } from '@throughline/core';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { join } from 'node:path';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readOverflow } from '@throughline/drivers';
import { systemClock } from '@throughline/ports';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

const [name = '', upstream = '', window = '', folder] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

function forward(request: IncomingMessage, response: ServerResponse, body?: Buffer): void {
  const headers = { ...request.headers, ...(body && { 'content-length': String(body.byteLength) }) };
  const sent = ask(
    `${upstream}${request.url ?? '/'}`,
    { method: request.method ?? 'GET', headers, agent },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (body) readEvents(answer, response);
      else answer.pipe(response);
    },
  );
  sent.on('error', () => response.destroy());
  response.once('close', () => sent.destroy());
  if (body) sent.end(body);
  else request.pipe(sent);
}

/** Each event parsed and written anew. */
function readEvents(answer: IncomingMessage, response: ServerResponse): void {
  let text = '';
  answer.setEncoding('utf8');
  answer.on('data', (piece: string) => {
    const events = (text + piece).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = event.slice('data: '.length);
      response.write(data === '[DONE]' ? `${event}\n\n` : `data: ${JSON.stringify(JSON.parse(data))}\n\n`);
    }
  });
  answer.on('end', () => response.end());
}

const listeners: Readonly<Record<string, RequestListener>> = {
  pipe: (request, response) => forward(request, response),
  json: (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      forward(request, response, Buffer.from(JSON.stringify(body)));
    });
  },
};

async function startPlain(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startThroughline(): Promise<string> {
  const store = folder === undefined ? undefined : (await openStore(folder)).proxy;
  const routes = createProxyRoutes(
    { clock: systemClock, readOverflow, ...(store && { store }) },
    {
      routes: [
        {
          name: 'it',
          upstream: `${upstream}/v1`,
          policy: { strategy: createStrategy('threshold-tail') },
          windowTokens: Number(window),
        },
      ],
    },
    'it',
  );
  const server = await createRawServer(routes, { port: 0 });
  return server.address.url;
}

function openStore(within: string): ReturnType<typeof openSqliteStore> {
  return openSqliteStore({
    file: join(within, 'proxy.db'),
    blobs: folderBlobs(join(within, 'blobs')),
    clock: systemClock,
    ids: { nextId: () => randomUUID() },
  });
}

const listener = listeners[name];
answerParent(listener ? await startPlain(listener) : await startThroughline());
