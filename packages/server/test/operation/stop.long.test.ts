import { createClient } from '@throughline/client';
import { isDeepRun } from '@throughline/testkit';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { historyOf, sentIdsIn, startServe, until, untilAllRest } from './serve-process.ts';
import { join } from 'node:path';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { endLeftovers, temporaryFolder } from '../spawn-throughline.ts';
import type { LoadLine } from './load.ts';

afterAll(endLeftovers);

/** Each of the three ways of `load.ts` to send, with short and with long runs. */
const senders = isDeepRun ? 24 : 6;

/** Another process that sends messages until it is refused. */
function startLoad(url: string, workers: number) {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'load.ts'), url, String(workers)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const lines = (): readonly LoadLine[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LoadLine);
  return { lines, ended: once(child, 'close').then(([code]) => code as number | null) };
}

describe('SIGTERM', () => {
  it.each([
    ['runs have the time to end their steps', '20s'],
    ['there is no time at all', '0'],
  ])(
    'under load: each request has an answer or a clear refusal, and no accepted message is lost, where %s',
    { timeout: 300_000 },
    async (_, grace) => {
      const home = temporaryFolder();
      const env = { THROUGHLINE_SERVER_STOP_GRACE_MS: grace };
      const first = await startServe(home, { env });
      const load = startLoad(first.url, senders);
      await until(() => load.lines().length >= 4 * senders);
      expect(await first.end('SIGTERM')).toBe(0);
      expect(await load.ended).toBe(0);
      const lines = load.lines();
      expect(lines.filter(({ end }) => end === 'broken')).toEqual([]);
      expect(lines.filter(({ end }) => end !== 'accepted')).toHaveLength(senders);
      const [stopped] = first.log().filter(({ msg }) => msg === 'Stopped');
      expect(stopped).toBeDefined();

      const second = await startServe(home, { env });
      const client = createClient({ baseUrl: second.url });
      const ids = [...new Set(lines.map(({ sessionId }) => sessionId))];
      await untilAllRest(client, ids);
      for (const id of ids) {
        const history = await historyOf(client, id);
        const own = lines.filter(({ sessionId }) => sessionId === id);
        const accepted = own.filter(({ end }) => end === 'accepted' || end === 'left');
        expect(sentIdsIn(history).toSorted()).toEqual(accepted.map(({ messageId }) => messageId).toSorted());
        if (history.length > 0) expect(history.at(-1)?.role).toBe('assistant');
      }
      expect(await second.end('SIGTERM')).toBe(0);
    },
  );

  it('is not waited for a second time', async () => {
    const served = await startServe(temporaryFolder(), { env: { THROUGHLINE_SERVER_STOP_GRACE_MS: '1h' } });
    const client = createClient({ baseUrl: served.url });
    await client.sendMessage({ content: '100000 words' });
    served.signal('SIGTERM');
    await until(async () => (await fetch(`${served.url}/ready`)).status === 503);
    expect((await fetch(`${served.url}/health`)).status).toBe(200);
    expect(await served.end('SIGTERM')).toBe(130);
  });
});
