import { startPostgres } from './machines/processes.ts';
import { spawn } from 'node:child_process';
const p = await startPostgres();
if (typeof p === 'string') throw new Error(p);
const c = spawn(
  process.execPath,
  [
    '--cpu-prof',
    '--cpu-prof-dir=/tmp/prof27',
    '--conditions=throughline-source',
    '--disable-warning=ExperimentalWarning',
    'bench/src/machines/worker-process.ts',
    'postgres',
    p.url,
  ],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
let n = 0;
c.stdout.on('data', (d) => {
  process.stdout.write(d);
  n++;
  if (n === 1) c.stdin.write('{"runs":200,"atOnce":8}\n');
  else if (n === 2) c.stdin.write('{"runs":1000,"atOnce":8}\n');
  else c.stdin.end();
});
await new Promise((r) => c.on('close', r));
await p[Symbol.asyncDispose]();
