import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npm, packAll, root } from './pack.ts';
import { startScriptedServer } from './scripted-server.ts';
import {
  clientFaults,
  createUserProject,
  readSnippets,
  runSnippet,
  start,
  typeFaults,
} from './user-project.ts';
import type { Tarball } from './pack.ts';

const tools = mkdtempSync(join(tmpdir(), 'throughline-tools-'));
const nodeName = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
let tarballs: readonly Tarball[] = [];

beforeAll(async () => {
  tarballs = await packAll(join(tools, 'tarballs'));
  writeFileSync(join(tools, 'package.json'), '{}\n');
  const nodes = ['18', '20', '22'].map((major) => `node-${major}@npm:${nodeName}@${major}`);
  await npm(['install', 'pnpm@12.21.0', '@arethetypeswrong/cli@0.18.5', ...nodes], tools);
});
afterAll(() => rmSync(tools, { recursive: true, force: true }));

const nodeOf = (major: string): string =>
  join(tools, 'node_modules', `node-${major}`, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>;
};
/** What the READMEs tell people to install beside us, as it is here. */
const sdks = [
  'ai',
  '@ai-sdk/openai',
  'openai',
  '@anthropic-ai/sdk',
  '@openai/agents',
  'typescript',
  '@types/node',
]
  .map((name) => `${name}@${devDependencies[name]}`)
  .concat('zod@4');

const installers = {
  npm: (folder: string) => npm(['install', ...tarballs.map(({ path }) => path), ...sdks], folder),
  async pnpm(folder: string) {
    const overrides = tarballs.map(({ name, path }) => `  '${name}': 'file:${path}'\n`).join('');
    writeFileSync(join(folder, 'pnpm-workspace.yaml'), `overrides:\n${overrides}`);
    const pnpm = join(tools, 'node_modules', '.bin', 'pnpm');
    const end = await start(pnpm, ['add', ...tarballs.map(({ name }) => name), ...sdks], { cwd: folder });
    expect(end, end.output).toMatchObject({ code: 0 });
  },
};

describe.each(['npm', 'pnpm'] as const)('a new project with %s', (manager) => {
  const project = createUserProject();
  beforeAll(() => installers[manager](project.folder));
  afterAll(() => project.remove());

  it.each(['nodenext', 'bundler'] as const)(
    'has types that a strict compiler takes, with %s',
    async (resolution) => {
      expect(await typeFaults(project.folder, resolution)).toEqual([]);
    },
  );

  it.each(readSnippets())('runs what README says: $name', async (snippet) => {
    await using server = await startScriptedServer();
    const { code, output } = await runSnippet(project.folder, snippet, { url: server.url });
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(server.paths.length > 0).toBe(/new (OpenAI|Anthropic)\(|openai\(|localhost/.test(snippet.text));
  });

  const forOlderNode = readSnippets().filter(({ text }) => !/\/(agent|stores|config)'/.test(text));
  it.each(forOlderNode)('runs it with Node 22, too: $name', async (snippet) => {
    await using server = await startScriptedServer();
    const end = await runSnippet(project.folder, snippet, { url: server.url, node: nodeOf('22') });
    expect(end).toMatchObject({ code: 0 });
  });

  it('has the command line', async () => {
    const bin = join(project.folder, 'node_modules/.bin/throughline');
    const example = join(project.folder, 'node_modules/throughline/examples/session.json');
    const end = await start(bin, ['inspect', example], { cwd: project.folder });
    expect(end).toMatchObject({ code: 0, output: expect.stringContaining('tokens') as string });
  });

  it.each(['18', '20', '22'])('is told by it under Node %s what it needs', async (major) => {
    const bin = join(project.folder, 'node_modules/throughline/bin/throughline.cjs');
    const { code, output } = await start(nodeOf(major), [bin, '--version'], { cwd: project.folder });
    expect(output).toMatch(
      new RegExp(
        `^throughline: this is Node ${major}[.0-9]+, and the command line needs Node 24 or newer; .+\\n$`,
      ),
    );
    expect(code).toBe(1);
  });
});

describe('a new project that installs the client alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-client-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('gets one package, with types that a strict compiler takes, and runs with Node 22 and 24', async () => {
    writeFileSync(join(folder, 'package.json'), '{}\n');
    const { path = '' } = tarballs.find(({ name }) => name === '@throughline/client') ?? {};
    await npm(['install', path], folder);
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@throughline',
    ]);
    expect(readdirSync(join(folder, 'node_modules/@throughline'))).toEqual(['client']);
    expect(await clientFaults(folder)).toEqual([]);
    for (const node of [process.execPath, nodeOf('22')])
      expect(await start(node, ['program.js'], { cwd: folder })).toMatchObject({ code: 0 });
  });
});

describe('the tarballs', () => {
  it('are what every tool can read', async () => {
    for (const { name, path } of tarballs) {
      const attw = join(tools, 'node_modules/@arethetypeswrong/cli/dist/index.js');
      const types = await start(process.execPath, [attw, path, '--profile', 'esm-only'], { cwd: tools });
      expect(types, `${name}: ${types.output}`).toMatchObject({ code: 0 });
      const publint = join(root, 'node_modules/publint/src/cli.js');
      const lint = await start(process.execPath, [publint, path, '--strict'], { cwd: tools });
      expect(lint, `${name}: ${lint.output}`).toMatchObject({ code: 0 });
    }
  });
});
