import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testPostgres } from '@throughline/testkit';
import { checkStore } from '../src/doctor/check-files.ts';
import { configuredFacts } from '../src/serve/serve-lines.ts';
import { parseConfig } from '@throughline/config';
import { realComposition } from '../src/composition/real-composition.ts';
import { runCheck } from '../src/doctor/finding.ts';
import { systemTimer } from '@throughline/ports';
import type { Composition, PostgresFacts } from '../src/composition/composition.ts';
import type { Config } from '@throughline/config';

const server = await testPostgres();

function configOf(address: string): Config {
  const file = { path: '/x/throughline.yaml', text: 'store: ${DATABASE_URL}' };
  const read = parseConfig({ file, environment: { DATABASE_URL: address }, workingFolder: '/x' });
  if (read.type === 'faults') throw new Error(read.faults.map(({ message }) => message).join('\n'));
  return read.config;
}

describe('a Postgres from the configuration', () => {
  it.skipIf(typeof server === 'string')(
    'is opened by its address, and what is stored is there again',
    async () => {
      if (typeof server === 'string') return;
      const { store } = configOf(server.url);
      const id = `of-cli-${process.pid}`;
      {
        await using opened = await realComposition.openStoreFrom(store);
        await opened.sessions.create({ id });
      }
      const again = await realComposition.openStoreFrom(store);
      onTestFinished(() => again[Symbol.asyncDispose]());
      expect(await again.sessions.read(id)).toMatchObject({ id });
      expect(await again.sessions.delete(id)).toBe(true);
    },
  );

  it.skipIf(typeof server === 'string')('is told by doctor with its version and its rights', async () => {
    if (typeof server === 'string') return;
    const findings = await runCheck(checkStore(configOf(server.url).store, realComposition), systemTimer);
    expect(findings[0]).toEqual({
      check: 'store',
      state: 'ok',
      message: expect.stringMatching(
        /^postgres:\/\/\S+ is writable: Postgres \d+\S*.*, as postgres, who may change its tables\.$/,
      ) as string,
    });
  });

  it.skipIf(typeof server === 'string')(
    'is told by doctor where it may lose something, has another time, or is behind a pooler',
    async () => {
      if (typeof server === 'string') return;
      const { store } = configOf(server.url);
      const look = async (composition: Partial<Composition>): Promise<readonly string[]> =>
        (await runCheck(checkStore(store, { ...realComposition, ...composition }), systemTimer))
          .filter(({ state }) => state === 'warn')
          .map(({ message }) => message);
      // The server of the tests does not wait for the disk.
      expect(await look({})).toEqual([
        expect.stringMatching(/^the server may lose what it has stored when it crashes: fsync = off/),
      ]);
      const safe = { unsafeSettings: [] };
      const { lookAtDatabase, openStoreFrom } = realComposition;
      const after = (more: Partial<PostgresFacts>): Pick<Composition, 'lookAtDatabase'> => ({
        lookAtDatabase: async (config) => ({ ...(await lookAtDatabase(config)), ...safe, ...more }),
      });
      expect(await look(after({}))).toEqual([]);
      expect(await look(after({ clockAheadMs: -600_000 }))).toEqual([
        expect.stringContaining('10 minutes behind that of this machine'),
      ]);
      const pooled: Partial<Composition> = {
        ...after({}),
        openStoreFrom: async (config) => {
          const opened = await openStoreFrom(config);
          const fleet = await opened.fleet?.();
          return {
            ...opened,
            ...(fleet && { fleet: () => Promise.resolve({ ...fleet, hasCrashDetector: false }) }),
          };
        },
      };
      expect(await look(pooled)).toEqual([expect.stringContaining('a pooler hands its connections round')]);
    },
  );

  it.skipIf(typeof server === 'string')('keeps its blobs in a bucket where one is named', async () => {
    if (typeof server === 'string') return;
    const { store } = configOf(server.url);
    if (store.type !== 'postgres') throw new Error('It is a Postgres.');
    const bucket = { address: 's3://box/of/ours', endpoint: 'http://127.0.0.1:1' };
    const look = () => runCheck(checkStore({ ...store, blobs: { bucket } }, realComposition), systemTimer);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('AWS_ACCESS_KEY_ID', '');
    expect((await look())[0]?.message).toMatch(/s3:\/\/box\/of\/ours: set AWS_ACCESS_KEY_ID/);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'k');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'hush-1');
    const [tried] = await look();
    expect(tried?.message).toMatch(/Cannot use the blobs in s3:\/\/box\/of\/ours: fetch failed/);
    expect(tried?.message).not.toContain('hush-1');
  });

  it('that does not answer is told with what to do, and without the password', async () => {
    const config = configOf('postgres://ada:pw-1@127.0.0.1:1/agents');
    const findings = await runCheck(checkStore(config.store, realComposition), systemTimer);
    expect(findings).toEqual([
      {
        check: 'store',
        state: 'fail',
        message: expect.stringContaining('See that the server runs') as string,
      },
    ]);
    expect(JSON.stringify(findings)).not.toMatch(/pw-1|ada/);
    const shown = configuredFacts(config, undefined);
    expect(shown).toContainEqual(['sessions', 'postgres://127.0.0.1:1/agents']);
    expect(JSON.stringify(shown)).not.toContain('pw-1');
  });
});
