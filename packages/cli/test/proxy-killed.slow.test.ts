import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { isDeepRun } from '@throughline/testkit';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import type { ChildProcess } from 'node:child_process';

const program = join(import.meta.dirname, '../src/main.ts');
/** Requests that are answered: each is a start of the command, which takes most of the time. */
const compared = isDeepRun ? 4 : 2;
const turns = 25;
const messages = Array.from({ length: turns }, (_, turn) => [
  { role: 'user', content: `Question ${turn}: ${'why was the account moved? '.repeat(60)}` },
  ...(turn < turns - 1 ? [{ role: 'assistant', content: 'It was.' }] : []),
]).flat();

async function started(home: string, upstream: string): Promise<{ child: ChildProcess; url: string }> {
  const args = ['proxy', '--upstream', upstream, '--window', '6000', '--port', '0', '--json'];
  const child = spawn(process.execPath, ['--conditions=throughline-source', program, ...args], {
    cwd: home,
    env: { ...process.env, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: (JSON.parse(line.toString()) as { url: string }).url };
}

// The second case holds the first: after its summary was killed, it too is killed in mid-answer, and compared.
it.each(isDeepRun ? ['answer', 'summary'] : ['summary'])(
  'a proxy that is killed in mid-%s sends the same after a restart',
  async (at) => {
    const home = await mkdtemp(join(tmpdir(), 'killed-'));
    const answers: string[] = [];
    // The first one of all is killed before it has asked for an answer.
    const rounds = at === 'answer' ? compared : compared + 1;
    let summaries = 0;
    let reached = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (request.method !== 'POST') return void response.writeHead(404).end();
        const isAnswer = body.includes('"user":"asker"');
        if (isAnswer) answers.push(body);
        else summaries += 1;
        if (isAnswer) {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write('data: {"choices":[{"index":0,"delta":{"content":"It was"}}]}\n\n');
          return reached.resolve();
        }
        if (at === 'summary' && summaries === 1) return reached.resolve();
        const content = `## Completed Work\n- The account was moved, as told ${summaries}.\n`;
        const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ id: 'c', object: 'chat.completion', model: 'm', choices }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    for (let round = 0; round < rounds; round += 1) {
      reached = Promise.withResolvers<void>();
      const { child, url } = await started(home, upstream);
      const asked = fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages, stream: true, user: 'asker' }),
      }).then((response) => response.text());
      asked.catch(() => undefined);
      await reached.promise;
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    server.closeAllConnections();
    server.close();
    await rm(home, { recursive: true });
    expect(answers).toHaveLength(compared);
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]?.length).toBeLessThan(JSON.stringify(messages).length);
  },
  60_000,
);
