import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { spawn } from 'node:child_process';

/** `throughline serve` as a process of its own, one of several. */
export interface ServeNode {
  /** What the database knows its connections by; another for each start. */
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly hasEnded: () => boolean;
  /** What it has logged, as it came. */
  readonly log: () => string;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends a signal and waits for the end; the exit code, `null` where the signal has ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

export interface ServeNodeOptions {
  readonly name: string;
  /** The file that Node is started with, and what stands before it. */
  readonly program: readonly string[];
  readonly databaseUrl: string;
  readonly modelUrl: string;
  /** The folder of all nodes; the tools work in it. */
  readonly home: string;
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when it answers at its address. */
export async function startServeNode(options: ServeNodeOptions): Promise<ServeNode> {
  const { name, program, port = 0, home } = options;
  const workspace = join(home, 'workspace');
  mkdirSync(workspace, { recursive: true });
  const child = spawn(process.execPath, [...program, 'serve', '--json', '--port', String(port)], {
    cwd: home,
    env: environmentOf(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  let hasEnded = false;
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true;
    return code as number | null;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.includes('\n')) resolve((JSON.parse(out) as { readonly url: string }).url);
    });
    void ended.then(() => reject(new Error(`${name} has ended: ${err}`)));
  });
  return {
    name,
    url,
    pid: child.pid ?? 0,
    hasEnded: () => hasEnded,
    log: () => err,
    signal: (signal) => void child.kill(signal),
    end: async (signal) => {
      child.kill(signal);
      return await ended;
    },
  };
}

function environmentOf({ name, databaseUrl, modelUrl, home, env }: ServeNodeOptions): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([key, value]) =>
    value === undefined || /^(THROUGHLINE|XDG|NODE_OPTIONS)/.test(key) ? [] : [[key, value] as const],
  );
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', name);
  return {
    ...Object.fromEntries(inherited),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    THROUGHLINE_STORE: url.href,
    THROUGHLINE_MODEL: 'openai-compatible:job',
    THROUGHLINE_MODEL_BASE_URL: modelUrl,
    THROUGHLINE_TOOLS_BASH_APPROVAL: 'allow',
    THROUGHLINE_AGENT_WORKSPACE: join(home, 'workspace'),
    ...env,
  };
}
