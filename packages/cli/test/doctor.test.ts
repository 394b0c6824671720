import { captureCli, temporaryFolder, widestLine, writeInto } from './support.ts';
import { checkModel } from '../src/doctor/check-model.ts';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { examine } from '../src/commands/doctor.ts';
import { runCheck } from '../src/doctor/finding.ts';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { loadConfig } from '../src/config/load-config.ts';
import { realComposition } from '../src/composition/real-composition.ts';
import { runCommandLine } from '../src/command-line.ts';
import { startModelServer } from './model-server.ts';
import type { AddressInfo } from 'node:net';
import type { Answer, Asked } from './model-server.ts';
import type { Composition, EndpointAnswer } from '../src/composition/composition.ts';
import type { Finding } from '../src/doctor/finding.ts';
import type { Timer } from '@throughline/ports';

interface Told {
  readonly findings: readonly Finding[];
  readonly of: (check: string) => readonly string[];
}

/** What doctor says of a configuration; the port is free and the store a new one unless the text says otherwise. */
async function tell(
  text: string,
  env: Readonly<Record<string, string>> = {},
  composition: Composition = realComposition,
): Promise<Told> {
  const folder = temporaryFolder();
  writeInto(folder, 'throughline.yaml', text);
  const loaded = await loadConfig({
    env: { THROUGHLINE_SERVER_PORT: '0', XDG_DATA_HOME: join(folder, 'data'), ...env },
    workingFolder: folder,
  });
  const findings = await examine({
    loaded,
    composition,
    nodeVersion: '24.1.0',
    own: { version: '1.2.3', environment: env },
  });
  const lines = findings.map(({ check, state, message }) => ({ check, line: `${state}: ${message}` }));
  return {
    findings,
    of: (check) => lines.filter((one) => one.check === check).map(({ line }) => line),
  };
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const states = ({ findings }: Told, state: Finding['state']): readonly string[] =>
  findings.filter((finding) => finding.state === state).map(({ check }) => check);

describe('with the demo', () => {
  it('all is well without a file, a key or a network', async () => {
    const workingFolder = temporaryFolder();
    const cli = captureCli({
      workingFolder,
      env: { XDG_DATA_HOME: join(workingFolder, 'data'), THROUGHLINE_SERVER_PORT: '0' },
      compose: () => Promise.resolve(realComposition),
    });
    expect(await runCommandLine(['doctor'], cli, '0')).toBe(0);
    const lines = cli.stdout().split('\n');
    for (const check of ['runtime', 'configuration', 'store', 'blobs', 'disk', 'model', 'workspace', 'port'])
      expect(lines.find((line) => line.includes(` ${check} `))).toMatch(/^ok/);
    expect(cli.stdout()).toMatch(/^(ok|warn) +sandbox/m);
    expect(cli.stderr()).toBe('');
    expect(widestLine(cli.stdout())).toBeLessThanOrEqual(80);
    expect(existsSync(join(workingFolder, 'data/throughline/throughline.db'))).toBe(true);
  });

  it('the same is told in JSON', async () => {
    const workingFolder = temporaryFolder();
    writeInto(
      workingFolder,
      'a.yaml',
      'store: { type: memory }\nserver: { port: 0 }\nagent: { workspace: gone }',
    );
    const cli = captureCli({ workingFolder, compose: () => Promise.resolve(realComposition) });
    expect(await runCommandLine(['doctor', '--json', '--config', 'a.yaml'], cli, '0')).toBe(1);
    expect(JSON.parse(cli.stdout())).toMatchObject({
      version: 1,
      isWell: false,
      findings: expect.arrayContaining([
        { check: 'store', state: 'ok', message: 'in memory: sessions end with the program.' },
        { check: 'workspace', state: 'fail', message: `${join(workingFolder, 'gone')} is not there.` },
      ]),
    });
  });
});

describe('the configuration', () => {
  it('that is wrong fails with each fault, and what does not depend on it is still looked at', async () => {
    const told = await tell('agent: { maxSteps: 0 }\nmodle: x');
    expect(told.of('configuration')).toEqual([
      'fail: throughline.yaml:1:20: agent.maxSteps: expected a whole number ≥ 1, found 0.',
      'fail: throughline.yaml:2:1: modle: unknown key; did you mean model?',
    ]);
    expect(told.of('runtime')).toEqual(['ok: Node 24.1.0']);
    expect(told.of('sandbox')).toHaveLength(1);
    expect(told.of('store')).toEqual([]);
  });

  it('names what is worth a look', async () => {
    const told = await tell('tools: { bsh: {} }');
    expect(told.of('configuration').at(-1)).toMatch(/^warn: .*did you mean bash/);
  });
});

describe('the runtime', () => {
  it('has to be new enough', async () => {
    const loaded = await loadConfig({ env: {}, workingFolder: temporaryFolder() }, undefined);
    const [finding] = await examine({
      loaded: { ...loaded, result: { type: 'faults', faults: [], warnings: [], variables: [] } },
      composition: realComposition,
      nodeVersion: '20.19.0',
      own: { version: '1.2.3', environment: {} },
    });
    expect(finding).toEqual({
      check: 'runtime',
      state: 'fail',
      message: 'Node 20.19.0 is too old: at least 24 is needed.',
    });
  });
});

describe('the store', () => {
  it('keeps nothing of what doctor tries', async () => {
    const told = await tell('store: { file: a.db }');
    expect(told.of('store')).toEqual([expect.stringMatching(/^ok: .*a\.db is writable \(version \d+\)\.$/)]);
    const [line = ''] = told.of('store');
    const database = new DatabaseSync(line.replace(/^ok: | is writable.*/g, ''));
    expect(database.prepare('select count(*) as count from sessions').get()).toEqual({ count: 0 });
    database.close();
  });

  it('of a newer version is refused, and left as it is', async () => {
    const file = join(temporaryFolder(), 'a.db');
    await (
      await realComposition.openStoreFrom({ type: 'sqlite', file, blobs: { folder: '/x' } })
    )[Symbol.asyncDispose]();
    const database = new DatabaseSync(file);
    database.exec('pragma user_version = 99');
    database.close();
    const told = await tell(`store: { file: ${file} }`);
    expect(told.of('store')).toEqual([
      expect.stringMatching(/^fail: The store .* has version 99, .* use a newer one\.$/),
    ]);
  });

  it('is told where its folder cannot be made', async () => {
    const file = writeInto(temporaryFolder(), 'file', 'text');
    const told = await tell(`store: { file: ${file}/below/a.db }`);
    expect(told.of('store')).toEqual([expect.stringMatching(/^fail: Cannot use the store/)]);
    const gone = await tell('store: { file: /proc/nobody/a.db }');
    expect(gone.of('store')).toEqual([expect.stringMatching(/^fail: Cannot use the store/)]);
  });

  it.skipIf(process.getuid?.() === 0)('is told where its folder is read-only', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    const told = await tell(`store: { file: ${folder}/a.db }`);
    expect(told.of('store')).toEqual([expect.stringMatching(/^fail: .*may not be opened or written/)]);
  });

  it('is told where it is no store, and where blobs cannot be kept', async () => {
    const file = writeInto(temporaryFolder(), 'a.db', 'x'.repeat(5_000));
    expect((await tell(`store: { file: ${file} }`)).of('store')).toEqual([
      expect.stringMatching(/^fail: .*it is no session store/),
    ]);
    const told = await tell(`store: { blobs: { folder: ${file}/blobs } }`);
    expect(told.of('store')).toEqual([expect.stringMatching(/^ok/)]);
  });
});

const openaiList = { '/v1/models': { body: { data: [{ id: 'good', max_model_len: 65_536 }] } } };

function endpoint(url: string, rest = ''): string {
  return `model: { provider: openai-compatible, name: good, baseUrl: "${url}/v1"${rest} }\n`;
}

async function tellOf(
  answers: Readonly<Record<string, Answer>>,
  text: (url: string) => string,
  env: Readonly<Record<string, string>> = {},
): Promise<Told & { readonly asked: readonly Asked[] }> {
  const server = await startModelServer(answers);
  return { ...(await tell(text(server.url), env)), asked: server.asked };
}

describe('the model', () => {
  it('that is there is told with its real limits', async () => {
    const told = await tellOf(openaiList, (url) => endpoint(url), { THROUGHLINE_API_KEY: 'key-1' });
    expect(told.of('model')).toEqual([
      expect.stringMatching(/^ok: openai-compatible:good is there, at http/),
    ]);
    expect(told.of('model limits')).toEqual([
      'ok: window 65,536 (said by the server), answers up to 16,384 (assumed); the server: models list.',
    ]);
    expect(told.of('model tools')).toEqual([expect.stringMatching(/^warn: nobody says/)]);
    expect(told.asked.find(({ path }) => path === '/v1/models')?.headers['authorization']).toBe(
      'Bearer key-1',
    );
  });

  it('says whether it takes tools', async () => {
    const lmstudio = {
      ...openaiList,
      '/api/v0/models': {
        body: {
          data: [
            {
              id: 'good',
              state: 'loaded',
              loaded_context_length: 8_192,
              type: 'llm',
              capabilities: ['tool_use'],
            },
          ],
        },
      },
    };
    const told = await tellOf(lmstudio, (url) => `${endpoint(url)}context: { window: 32k }\n`);
    expect(told.of('model tools')).toEqual(['ok: takes tools.']);
    expect(told.of('model limits')).toEqual([
      expect.stringMatching(
        /^warn: window 8,192 .*LM Studio\. context\.window asks for 32,000, which is more\.$/,
      ),
    ]);
  });

  it('asks an Anthropic server in its own way', async () => {
    const told = await tellOf(
      { '/v1/models': { body: { data: [{ id: 'claude-opus-4-5' }] } } },
      (url) => `model: { provider: anthropic, name: claude-opus-4-5, baseUrl: "${url}", apiKeyEnv: KEY }`,
      { KEY: 'key-2' },
    );
    expect(told.of('model')).toEqual([expect.stringMatching(/^ok/)]);
    expect(told.of('model tools')).toEqual(['ok: takes tools.']);
    expect(told.asked[0]?.headers['x-api-key']).toBe('key-2');
  });

  it('whose key is not taken fails, and the key is not shown', async () => {
    const told = await tellOf(
      { '/v1/models': { status: 401, body: { error: { message: 'Incorrect API key provided: key-3' } } } },
      (url) => endpoint(url),
      { THROUGHLINE_API_KEY: 'key-3' },
    );
    expect(told.of('model')).toEqual([
      expect.stringMatching(
        /^fail: .* does not take the key; it answers 401: Incorrect API key provided: \(key\)$/,
      ),
    ]);
    expect(told.of('model limits')).toEqual([]);
    const byHeader = await tellOf(
      { '/v1/models': { status: 401, body: { error: { message: 'No such token: 0123456789' } } } },
      (url) =>
        `model: { provider: openai-compatible, name: m, baseUrl: "${url}/v1", headers: { authorization: Bearer 0123456789 } }`,
    );
    expect(byHeader.of('model')).toEqual([expect.stringContaining('No such token: (key)')]);
    const without = await tellOf({ '/v1/models': { status: 403, body: 'no' } }, (url) => endpoint(url));
    expect(without.of('model')).toEqual([
      expect.stringMatching(/^fail: .* wants a key \(set THROUGHLINE_API_KEY\); it answers 403: no$/),
    ]);
  });

  it('without its key fails before anybody is asked', async () => {
    const told = await tell('model: anthropic:claude-opus-4-5\nsummarizer: openai:gpt-5');
    expect(told.of('model')).toEqual(['fail: anthropic:claude-opus-4-5 needs a key: set ANTHROPIC_API_KEY.']);
    expect(told.of('summarizer')).toEqual(['fail: openai:gpt-5 needs a key: set OPENAI_API_KEY.']);
  });

  it('that is not listed is told, with what there is', async () => {
    const told = await tellOf(openaiList, (url) => endpoint(url).replace('name: good', 'name: goood'));
    expect(told.of('model')).toEqual([
      expect.stringMatching(/^warn: .* does not list goood\. It has good\.$/),
    ]);
  });

  it('whose server tells no models is told', async () => {
    const told = await tellOf({}, (url) => endpoint(url));
    expect(told.of('model')).toEqual([expect.stringMatching(/^warn: .* asked for its models it says 404/)]);
    expect(told.of('model limits')).toEqual([
      expect.stringMatching(/^warn: window 16,000 \(assumed\).*set model\.windowTokens\.$/),
    ]);
  });

  it('that cannot be reached fails', async () => {
    const port = await freePort();
    const told = await tell(endpoint(`http://127.0.0.1:${port}`));
    expect(told.of('model')).toEqual([
      `fail: openai-compatible:good cannot be reached at http://127.0.0.1:${port}/v1: nothing listens there.`,
    ]);
  });

  it('whose server says nothing is given up, and the connection is closed', async () => {
    const server = await startModelServer({ '/v1/models': {} });
    const { result } = await loadConfig({
      env: { THROUGHLINE_MODEL: 'openai-compatible:good', THROUGHLINE_MODEL_BASE_URL: `${server.url}/v1` },
      workingFolder: temporaryFolder(),
    });
    if (result.type === 'faults') throw new Error(JSON.stringify(result.faults));
    const { model } = result.config;
    const left = Promise.withResolvers<EndpointAnswer>();
    const composition: Composition = {
      ...realComposition,
      askEndpoint: async (endpointModel, signal) => {
        const answer = await realComposition.askEndpoint(endpointModel, signal);
        left.resolve(answer);
        return answer;
      },
    };
    const whenAsked: Timer = { wait: () => server.nextRequest.then(() => 'elapsed' as const) };
    expect(await runCheck(checkModel({ key: 'model', model }, composition), whenAsked)).toEqual([
      { check: 'model', state: 'fail', message: 'no answer within 15 seconds.' },
    ]);
    expect(await left.promise).toMatchObject({ type: 'unreachable' });
  });
});

const mcpServer = fileURLToPath(new URL('../../agent/test/mcp-server.ts', import.meta.url));

describe('MCP servers', () => {
  it('are each started, counted and ended; one that fails costs no other', async () => {
    const command = JSON.stringify(process.execPath);
    const told = await tell(`
mcpServers:
  good: { command: ${command}, args: [--conditions=throughline-source, ${JSON.stringify(mcpServer)}] }
  broken: { command: ${command}, args: [--conditions=throughline-source, ${JSON.stringify(mcpServer)}, broken] }
  gone: { command: nobody-has-this }
  closed: { url: "http://127.0.0.1:1/mcp" }
`);
    expect(told.of('mcp good')).toEqual(['ok: answers, with 7 tools.']);
    expect(told.of('mcp broken')).toEqual([
      expect.stringMatching(/^fail: cannot be used: [^]*no configuration found/),
    ]);
    expect(told.of('mcp gone')).toEqual([expect.stringMatching(/^fail: cannot be used: .*ENOENT/)]);
    expect(told.of('mcp closed')).toEqual([expect.stringMatching(/^fail: cannot be used/)]);
  });
});

describe('the port', () => {
  it('that somebody has is told', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const told = await tell(`server: { port: ${port} }`, { THROUGHLINE_SERVER_PORT: '' });
    expect(told.of('port')).toEqual([`fail: 127.0.0.1:${port} is taken by another program.`]);
  });

  it('of an address that is not of this machine is told', async () => {
    const told = await tell('server: { host: 192.0.2.1, tokenEnv: T, port: 4100 }', {
      THROUGHLINE_SERVER_PORT: '',
    });
    expect(told.of('port')).toEqual([
      expect.stringMatching(/^fail: 192\.0\.2\.1:4100 is no address of this machine/),
    ]);
  });
});

describe('the workspace', () => {
  it('has to be a folder, and a prompt of one’s own a file', async () => {
    const folder = temporaryFolder();
    const file = writeInto(folder, 'a.md', 'Write it down.');
    mkdirSync(join(folder, 'work'));
    const context = (path: string): string => `context: { compaction: { options: { profile: ${path} } } }`;
    const good = await tell(`agent: { workspace: ${folder}/work }\n${context(file)}`);
    expect([good.of('workspace'), good.of('profile')]).toEqual([[`ok: ${folder}/work`], [`ok: ${file}`]]);
    const bad = await tell(`agent: { workspace: ${file} }\n${context(`${folder}/none.md`)}`);
    expect(states(bad, 'fail')).toEqual(['workspace', 'profile']);
  });
});

describe('a check', () => {
  const never: Timer = {
    wait: (_ms, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve('aborted'))),
  };
  const atOnce: Timer = { wait: () => Promise.resolve('elapsed') };

  it('that throws has failed', async () => {
    const broken = (): never => {
      throw new Error('out of luck');
    };
    expect(await runCheck({ name: 'a', run: broken }, never)).toEqual([
      { check: 'a', state: 'fail', message: 'out of luck' },
    ]);
    expect(await runCheck({ name: 'a', run: () => Promise.reject(new Error('no')) }, never)).toEqual([
      { check: 'a', state: 'fail', message: 'no' },
    ]);
  });

  it('that does not end is left behind, and its signal aborted', async () => {
    let seen: AbortSignal | undefined;
    const run = (signal: AbortSignal): Promise<readonly Finding[]> => {
      seen = signal;
      return new Promise(() => {});
    };
    expect(await runCheck({ name: 'a', run }, atOnce)).toEqual([
      { check: 'a', state: 'fail', message: 'no answer within 15 seconds.' },
    ]);
    expect(seen?.aborted).toBe(true);
  });
});

describe('a route of the proxy', () => {
  const route = (upstream: string, more = ''): string =>
    `proxy:\n  routes:\n    near:\n      upstream: ${upstream}\n${more}`;

  it('is well where its upstream answers, and says what its window is', async () => {
    const upstream = await createStrictUpstream({ windowTokens: { small: 8_000 }, server: 'llama.cpp' });
    const told = await tell(route(`${upstream.url}/v1`));
    await upstream.stop();
    expect(told.of('proxy near')).toEqual([`ok: ${upstream.url}/v1 answers; it lists 1 models.`]);
    expect(told.of('proxy near window')).toEqual(['ok: small has a window of 8,000.']);
  });

  it('fails where nobody answers, and where its key is not there', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}/v1`;
    expect((await tell(route(nobody))).of('proxy near')[0]).toMatch(/^fail: .* cannot be reached/);
    const keyless = await tell(route(nobody, '      apiKeyEnv: NO_SUCH_KEY\n'));
    expect(keyless.of('proxy near')[0]).toContain('the variable NO_SUCH_KEY');
  });
});
