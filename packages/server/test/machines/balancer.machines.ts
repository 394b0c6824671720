import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, jobText, startOwnBalancer } from '@throughline/testkit';
import { openFleet } from './fleet.ts';
import { follow } from './follower.ts';
import { faultsOf, settle } from './talks.ts';
import { until } from '../operation/serve-process.ts';
import type { Talk } from './talks.ts';
import type { Told } from './follower.ts';

const guide = readFileSync(new URL('../../../../docs/guides/several-machines.md', import.meta.url), 'utf8');

/** The text of the guide with these nodes in it, and without the certificate. */
function textFor(ports: readonly number[], port: number): string {
  const [, text = ''] = /```nginx\n([^]*?)```/.exec(guide) ?? [];
  const servers = ports.map((one) => `server 127.0.0.1:${one}`);
  let place = 0;
  return text
    .split('\n')
    .map((line) => line.replace(/server node-\d:4100/, () => servers[place++] ?? '#'))
    .join('\n')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`);
}

interface Asked {
  readonly what: string;
  readonly status: number | string;
}

const sessions = 8;

it('behind nginx as the guide has it, no request fails while the nodes are started anew one after the other', async (test) => {
  const ports = [await freePort(), await freePort()];
  const opened = await openFleet({ nodes: 2, ports, model: { wordMs: 20, firstMs: 50 } });
  if (typeof opened === 'string') return test.skip(opened);
  await using fleet = opened;
  const begun = await startOwnBalancer({ text: (port) => textFor(ports, port) });
  if (typeof begun === 'string') return test.skip(begun);
  await using balancer = begun;
  const asked: Asked[] = [];
  const done = new AbortController();
  const enough = new AbortController();
  /** Once: what a client that tries nothing again would see. */
  const ask = async (what: string, path: string, body?: object): Promise<Response | undefined> => {
    try {
      const answer = await fetch(balancer.url + path, {
        ...(body && {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      asked.push({ what, status: answer.status });
      return answer;
    } catch (error) {
      asked.push({ what, status: String((error as Error).cause ?? error) });
      return undefined;
    }
  };
  const openTalk = async (index: number): Promise<Talk> => {
    const accepted: string[] = [];
    const told: Told[] = [];
    const post = async (messageId: string, sessionId?: string): Promise<string> => {
      const content = jobText({ id: messageId, steps: 1, words: 20, tool: 100 });
      const body = { messageId, content, ...(sessionId !== undefined && { sessionId }) };
      const answer = await ask('POST', '/api/message', body);
      if (answer?.status !== 202) return '';
      accepted.push(messageId);
      return ((await answer.json()) as { readonly sessionId: string }).sessionId;
    };
    const id = await post(`${index}-0`);
    const following = follow({ sessionId: id, nextUrl: () => balancer.url, signal: done.signal }, told);
    const talking = (async () => {
      for (let turn = 1; !enough.signal.aborted; turn += 1) {
        await post(`${index}-${turn}`, id);
        for (let look = 0; look < 10 && !enough.signal.aborted; look += 1) {
          await (await ask('GET', `/api/sessions/${id}`))?.text();
          await sleep(50);
        }
      }
    })();
    return {
      id,
      accepted,
      told,
      send: () => Promise.resolve(),
      end: async () => {
        await Promise.all([following, talking]);
      },
    };
  };
  const talks = await Promise.all(Array.from({ length: sessions }, (_, index) => openTalk(index)));
  await sleep(2_000);
  for (const place of [0, 1, 0, 1]) {
    expect(await fleet.nodes[place]?.end('SIGTERM')).toBe(0);
    const node = await fleet.start(place);
    await until(async () => (await fetch(`${node.url}/ready`).catch(() => undefined))?.status === 200);
    await sleep(500);
  }
  enough.abort();
  await settle(fleet);
  const failed = asked.filter(({ status }) => typeof status === 'string' || status >= 400);
  expect(failed, balancer.log().slice(-2_000)).toEqual([]);
  expect(asked.length).toBeGreaterThan(500);
  expect(await faultsOf(fleet, talks)).toEqual([]);
  done.abort();
  await Promise.all(talks.map((talk) => talk.end()));
});
