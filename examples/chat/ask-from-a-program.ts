// Asks an agent from a program: `throughline chat --json` tells what happens, one event per line. The demo model answers,
// so it needs no key; sessions are kept in memory, so it leaves nothing behind.
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';

const throughline = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
const child = spawn(
  process.execPath,
  [...process.execArgv, throughline, 'chat', '--model', 'demo', '--json', 'search for throughline'],
  {
    cwd: import.meta.dirname,
    env: { ...process.env, THROUGHLINE_STORE_TYPE: 'memory' },
    stdio: ['ignore', 'pipe', 'ignore'],
  },
);

for await (const line of createInterface(child.stdout)) {
  const { type, data } = JSON.parse(line) as { type: string; data: Record<string, unknown> };
  if (type === 'llm:tool-call')
    console.log(`it calls ${String(data['toolName'])} with ${JSON.stringify(data['args'])}`);
  if (type === 'llm:response' && data['content'] !== '')
    console.log(`it says: ${String(data['content']).split('\n', 1)[0]}`);
  if (type === 'step:end') console.log(`the step cost ${JSON.stringify(data['usage'])} tokens`);
  if (type === 'run:end') console.log(`it is done: ${JSON.stringify(data['outcome'])}`);
}
