import { execFile, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { plainEnvironment, publishedFolders, root } from './pack.ts';

/** A program that stands in a README, as people paste it. */
export interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** Every block of TypeScript of the README of the tree and of those of the packages. */
export function readSnippets(): Snippet[] {
  const pages = ['README.md', ...publishedFolders().map((folder) => `packages/${folder}/README.md`)];
  return pages.flatMap((page) => {
    const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)];
    const name = page.replace(/^packages\/|\/?README\.md$/g, '') || 'root';
    return blocks.map(([, text = ''], index) => ({ name: `${name}-${index + 1}`, text }));
  });
}

/** How a program ended. */
export interface End {
  readonly code: number;
  readonly output: string;
}

export function start(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<End> {
  const { cwd, env = {} } = options;
  return new Promise((resolve) => {
    const all = { cwd, env: { ...plainEnvironment(), ...env }, timeout: 300_000, maxBuffer: 64_000_000 };
    execFile(program, args, all, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}

/** A new folder of somebody who has read README: the snippets, a file to read, and a strict `tsconfig.json`. */
export function createUserProject(): { readonly folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'throughline-user-')));
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  mkdirSync(join(folder, 'src'));
  write('package.json', `${JSON.stringify({ name: 'user', private: true, type: 'module' })}\n`);
  write('src/login.ts', 'export const login = (account: string): string => account;\n');
  for (const { name, text } of readSnippets()) write(`${name}.ts`, text);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export type Resolution = 'nodenext' | 'bundler';

/**
 * What the compiler says of all snippets under `--strict`, and of the declarations of our packages. `isThorough` reads
 * those of everybody else, too, as it must to see ours; the faults of others are not ours to mend.
 */
export async function typeFaults(
  folder: string,
  resolution: Resolution,
  { isThorough = true } = {},
): Promise<readonly string[]> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: !isThorough,
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom'],
    module: resolution === 'bundler' ? 'esnext' : 'nodenext',
    moduleResolution: resolution,
    types: ['node'],
  };
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const config = join(folder, `tsconfig.${resolution}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const compiler = join(folder, 'node_modules/typescript/bin/tsc');
  const { output } = await start(process.execPath, [compiler, '-p', config], { cwd: folder });
  const others = /node_modules\/(?!.*node_modules\/)(?!@?throughline\/)/;
  return output.split('\n').filter((line) => /: error TS|^error TS/.test(line) && !others.test(line));
}

/** The SDKs find the server in the environment. */
const environmentOf = (url: string): NodeJS.ProcessEnv => ({
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: 'none',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'none',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
});

/** Where READMEs say that a model server is, and a server of ours. */
const modelAddress = 'http://localhost:1234';
const ourAddress = 'http://127.0.0.1:4100';

/** The snippets, with the addresses that stand in them replaced, in files that can be run. */
function writeRunnable(
  folder: string,
  snippets: readonly Snippet[],
  urls: { readonly model: string; readonly ours: string },
): string[] {
  mkdirSync(join(folder, 'run'), { recursive: true });
  return snippets.map(({ name, text }) => {
    const path = join(folder, 'run', `${name}.ts`);
    writeFileSync(path, text.replaceAll(modelAddress, urls.model).replaceAll(ourAddress, urls.ours));
    return path;
  });
}

/** `throughline serve` of the installed package, with the demo model, where a snippet talks to one. */
async function serveFor(
  folder: string,
  snippets: readonly Snippet[],
): Promise<AsyncDisposable & { url: string }> {
  if (!snippets.some(({ text }) => text.includes(ourAddress)))
    return { url: ourAddress, [Symbol.asyncDispose]: async () => {} };
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const program = join(folder, 'node_modules/throughline/bin/throughline.cjs');
  const env = { ...plainEnvironment(), HOME: home };
  const child = spawn(process.execPath, [program, 'serve', '--port', '0'], { cwd: home, env });
  const closed = once(child, 'close');
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += chunk as string;
    if (/serves at http:\S+\n/.test(output)) break;
  }
  const url = /serves at (http:\S+)\n/.exec(output)?.[1];
  if (url === undefined) throw new Error(`Expected an address, got ${output}`);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

/** Runs a snippet as it stands, against a server at `url`. */
export async function runSnippet(
  folder: string,
  snippet: Snippet,
  { url, node = process.execPath }: { readonly url: string; readonly node?: string },
): Promise<End> {
  await using server = await serveFor(folder, [snippet]);
  const [path = ''] = writeRunnable(folder, [snippet], { model: url, ours: server.url });
  const args = ['--disable-warning=ExperimentalWarning', path];
  return await start(node, args, { cwd: folder, env: environmentOf(url) });
}

/** Runs all of them in one process, which loads the SDKs once. */
export async function runTogether(folder: string, snippets: readonly Snippet[], url: string): Promise<End> {
  await using server = await serveFor(folder, snippets);
  const paths = writeRunnable(folder, snippets, { model: url, ours: server.url });
  const script = join(folder, 'run', 'all.mjs');
  const imports = paths.map((path) => `import(${JSON.stringify(pathToFileURL(path).href)})`);
  writeFileSync(script, `await Promise.all([${imports.join(', ')}]);\nconsole.log('all ran');\n`);
  return await start(process.execPath, [script], { cwd: folder, env: environmentOf(url) });
}

/** What somebody writes who has installed the client and nothing else. */
const clientProgram = `import { createClient, ProblemError } from '@throughline/client';
import type { AgentEvent, Session } from '@throughline/client';

const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'some-token' });
const sessions: () => Promise<readonly Session[]> = async () => (await client.listSessions({ limit: 5 })).items;
const told = (event: AgentEvent): string => (event.type === 'llm:chunk' ? event.data.content : event.type);
const answer = async (content: string): Promise<string> => {
  const sent = await client.sendMessage({ content });
  return sent.queued ? String(sent.position) : sent.runId;
};
// @ts-expect-error: there is no such field
const misspelt = (): unknown => client.sendMessage({ contents: 'x' });
const isKnown: unknown extends AgentEvent ? false : true = true;
console.log(typeof sessions, typeof told, typeof answer, typeof misspelt, isKnown, new ProblemError({ type: '', title: '', status: 404, detail: 'gone', code: 'x' }).message);
`;

/** Writes that program into a project and compiles it, with all declarations, as a browser's and as Node's. */
export async function clientFaults(folder: string): Promise<readonly string[]> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  writeFileSync(join(folder, 'program.ts'), clientProgram);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const strict = [
    '--strict',
    '--skipLibCheck',
    'false',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2022',
  ];
  const lib = ['--lib', 'es2022,dom,dom.iterable', '--types', ''];
  const forBundlers = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit'];
  const outputs = [['--module', 'nodenext'], forBundlers].map((more) =>
    start(process.execPath, [compiler, 'program.ts', ...strict, ...lib, ...more], { cwd: folder }),
  );
  return (await Promise.all(outputs)).flatMap(({ code, output }) => (code === 0 ? [] : [output]));
}
