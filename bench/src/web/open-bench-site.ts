import { createAgent } from '@throughline/agent';
import { createDemoDriver } from '@throughline/drivers';
import { createServer } from '@throughline/server';
import { fileURLToPath } from 'node:url';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import { tmpdir } from 'node:os';

export interface BenchSite extends AsyncDisposable {
  readonly url: string;
  /** What lies there goes with the site. */
  readonly folder: string;
  /** A session of so many short markdown messages; its id. */
  readonly seed: (messages: number) => Promise<string>;
}

/** Where the page lies once it is built. */
export const pageFolder = fileURLToPath(new URL('../../../packages/web/dist', import.meta.url));

/** The server with the page and the demo model, over a SQLite file of its own. */
export async function openBenchSite(): Promise<BenchSite> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-bench-web-'));
  const store = await openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
    clock: systemClock,
    ids: randomIds,
  });
  const driver = createDemoDriver({ timer: systemTimer, wordDelayMs: 15 });
  const agent = createAgent({ driver, store });
  const models = { names: [driver.name], driverNamed: () => Promise.resolve(driver) };
  const server = await createServer({ agent, models, clock: systemClock }, { port: 0, pageFolder });
  return {
    url: server.address.url,
    folder,
    async seed(messages) {
      const empty = await agent.create({ title: `${messages} messages` });
      const head: string[] = [];
      for await (const line of agent.store.sessions.export(empty.id)) head.push(line);
      await agent.delete(empty.id);
      const session = await agent.import([...head.slice(0, 1), ...messageLines(messages)]);
      return session.id;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await agent[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function messageLines(count: number): string[] {
  const startMs = Date.now() - count * 1_000;
  return Array.from({ length: count }, (_, at) => {
    const createdAtMs = startMs + at * 1_000;
    const role = at % 2 === 0 ? 'user' : 'assistant';
    const message = { id: `seeded_${at}`, role, parts: [{ type: 'text', text: textOf(at) }], createdAtMs };
    return JSON.stringify({ line: 'message', createdAtMs, message });
  });
}

/** Short ones and long ones, with what markdown has. */
function textOf(at: number): string {
  if (at % 2 === 0) return `Question ${at}: what of \`src/part-${at}.ts\`?`;
  const code = at % 10 === 1 ? `\n\n\`\`\`ts\nexport const part${at} = ${at};\n\`\`\`` : '';
  const list = at % 6 === 3 ? '\n\n- one\n- **two**\n- three' : '';
  return `Answer ${at}. ${'It reads the file and says what is in it. '.repeat(1 + (at % 5))}${list}${code}`;
}
