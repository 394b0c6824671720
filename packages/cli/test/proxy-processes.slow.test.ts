import { afterEach, describe, expect, it } from 'vitest';
import { createStrictUpstream, isDeepRun, memoryFolder, testPostgres } from '@throughline/testkit';
import { join } from 'node:path';
import { memoryBlobs, openSqliteStore } from '@throughline/stores';
import { openPostgresStore } from '@throughline/stores/postgres';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { SessionStore } from '@throughline/ports';
import type { AnswerScript, StrictUpstream } from '@throughline/testkit';

const postgres = await testPostgres();
const program = join(import.meta.dirname, '../src/main.ts');
const windowTokens = 4_000;
const conversations = isDeepRun ? 24 : 6;
const turns = isDeepRun ? 40 : 14;
const filler = 'The account was moved to the other ledger because the first one was closed. '.repeat(8);

/** What a client of this conversation sends for its turn: it begins with its name, and ends with a question. */
const historyOf = (name: string, turn: number): readonly object[] =>
  Array.from({ length: 2 * turn + 1 }, (_, at) =>
    at % 2 === 0
      ? { role: 'user', content: `${at === 0 ? `This is ${name}. ` : ''}Question ${at / 2}: why? ${filler}` }
      : { role: 'assistant', content: `It was, ${at}.` },
  );

interface Node {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Those that run, and the folder they share. */
interface Nodes {
  readonly home: string;
  readonly upstream: StrictUpstream;
  readonly running: Node[];
  /** What all that ran wrote on their error output. */
  readonly errors: string[];
}

const children: ChildProcess[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function startNode({ home, upstream, errors }: Nodes): Promise<Node> {
  const options = ['--window', String(windowTokens), '--config', join(home, 'throughline.yaml'), '--trust'];
  const flags = ['--conditions=throughline-source', '--disable-warning=ExperimentalWarning'];
  const asked = ['proxy', '--upstream', `${upstream.url}/v1`, '--port', '0', '--json'];
  const child = spawn(process.execPath, [...flags, program, ...asked, ...options], {
    cwd: home,
    env: { ...process.env, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const ended = once(child, 'close').then(() => Promise.reject(new Error(errors.join(''))));
  ended.catch(() => undefined);
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
  return { child, url: (JSON.parse(line.toString()) as { url: string }).url };
}

async function stopNode({ child }: Node, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}

async function newFolder(): Promise<string> {
  const home = await mkdtemp(join(memoryFolder(), 'throughline-proxies-'));
  folders.push(home);
  return home;
}

/** What processes share, and how this one looks at it. */
interface SharedStore {
  readonly home: string;
  /** As a configuration says it. */
  readonly setting: string;
  open(): Promise<SessionStore>;
}

async function startNodes({ home, setting }: SharedStore, count: number): Promise<Nodes> {
  await writeFile(join(home, 'throughline.yaml'), `store: ${setting}\n`);
  const upstream = await createStrictUpstream({ windowTokens, answer: saysAnew() });
  const nodes: Nodes = { home, upstream, running: [], errors: [] };
  for (let at = 0; at < count; at += 1) nodes.running.push(await startNode(nodes));
  return nodes;
}

/** One that never says the same twice: who makes room anew does not send what was sent before. */
function saysAnew(): AnswerScript {
  let calls = 0;
  return () => ({ text: `## Completed Work\n- Moved, as told ${(calls += 1)}.\n` });
}

/** @returns the status; 0 where the connection broke */
async function ask(node: Node | undefined, name: string, turn: number): Promise<number> {
  if (!node) return 0;
  try {
    const response = await fetch(`${node.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: historyOf(name, turn), max_tokens: 300, user: 'asker' }),
    });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}

/** Each conversation turn by turn, all side by side; every turn is asked twice, by turns of one node and the other. */
async function converse(nodes: Nodes, inTheMiddle?: () => Promise<void>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let middle: Promise<void> | undefined;
  const one = async (index: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) {
      if (turn === turns / 2 && inTheMiddle) middle ??= inTheMiddle();
      for (let again = 0; again < 2; again += 1) {
        const at = (index + turn + again) % nodes.running.length;
        const status = await ask(nodes.running[at], `talk ${index}`, turn);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
  };
  await Promise.all(Array.from({ length: conversations }, (_, index) => one(index)));
  await middle;
  return statuses;
}

/** What the upstream got for each history, by the name and the last question of it. */
function sentBy({ requests }: StrictUpstream): Map<string, Set<string>> {
  const sent = new Map<string, Set<string>>();
  for (const { bytes, kind } of requests) {
    const body = bytes.toString();
    const name = /This is (talk \d+)/.exec(body)?.[1];
    if (kind !== 'answer' || !body.includes('"user":"asker"') || name === undefined) continue;
    const question = [...body.matchAll(/Question (\d+): why/g)].at(-1)?.[1] ?? '';
    const key = `${name}, ${question}`;
    sent.set(key, (sent.get(key) ?? new Set()).add(body));
  }
  return sent;
}

/** Two nodes under load, of which one is killed in the middle and started again. */
async function checkTwo(shared: SharedStore): Promise<void> {
  const nodes = await startNodes(shared, 2);
  const statuses = await converse(nodes, async () => {
    const [killed] = nodes.running;
    if (killed) await stopNode(killed, 'SIGKILL');
    nodes.running[0] = await startNode(nodes);
  });
  // What the killed one was asked broke; nothing else did.
  expect([...statuses.keys()].filter((status) => status !== 200 && status !== 0)).toEqual([]);
  expect(statuses.get(0)).toBeGreaterThan(0);
  for (const node of nodes.running) await stopNode(node, 'SIGTERM');
  await nodes.upstream.stop();
  expect(nodes.upstream.faults).toEqual([]);
  expect(nodes.upstream.requests.filter(({ status }) => status >= 400)).toEqual([]);
  expect(nodes.errors.join('')).not.toMatch(/SQLITE_BUSY|locked|store-failed/);

  const sent = sentBy(nodes.upstream);
  expect(sent.size).toBe(conversations * turns);
  expect([...sent].filter(([, bodies]) => bodies.size !== 1).map(([key]) => key)).toEqual([]);
  const all = [...sent.values()].flatMap((bodies) => [...bodies]);
  expect(all.filter((body) => !body.includes('Question 1:')).length).toBeGreaterThan(conversations);

  await using opened = await shared.open();
  const { items } = await opened.proxy.conversations.list({ owner: '' });
  expect(items).toHaveLength(conversations);
  // Each client's last history is there to its end.
  const whole = items.filter(({ length }) => length === 2 * turns - 1);
  expect(new Set(whole.map(({ title }) => /talk \d+/.exec(title)?.[0])).size).toBe(conversations);
  const counted = items.reduce((sum, { requests }) => sum + requests, 0);
  const asked = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  // None twice. A note that was not stored yet when its process was killed is not counted.
  expect(counted).toBeLessThanOrEqual(asked);
}

const timeoutMs = isDeepRun ? 300_000 : 240_000;

describe('two proxies, one of them killed under load, send each history as it was sent before, and keep every conversation', () => {
  it(
    'on one SQLite file',
    async () => {
      const home = await newFolder();
      const file = join(home, 'sessions.db');
      await checkTwo({
        home,
        setting: `{ file: ${file} }`,
        open: () => openSqliteStore({ file, blobs: memoryBlobs() }),
      });
    },
    timeoutMs,
  );

  // The proxy's part is the same on both; what Postgres makes of it is in the contract of stores, too.
  it.runIf(isDeepRun && typeof postgres !== 'string')(
    'on one Postgres',
    async () => {
      if (typeof postgres === 'string') return;
      const { url } = postgres;
      const open = (): Promise<SessionStore> => openPostgresStore({ url, connections: 2 });
      await deleteAll(open);
      await checkTwo({ home: await newFolder(), setting: url, open });
      await deleteAll(open);
    },
    timeoutMs,
  );
});

/** The database of the tests has one place where the program looks. */
async function deleteAll(open: () => Promise<SessionStore>): Promise<void> {
  await using store = await open();
  const { conversations } = store.proxy;
  for (;;) {
    const { items } = await conversations.list({ owner: '' });
    if (items.length === 0) return;
    for (const { id } of items) await conversations.delete({ owner: '' }, id);
  }
}
