/**
 * How long the commands take to show something, on a real terminal of `script` (util-linux), beside a Node that does
 * nothing. In turn, medians and the best of all rounds; the ratio is that of the medians.
 *
 *   npm run bench:start -- [--rounds 15] [--cold] [--json]
 */
import { join } from 'node:path';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { formatNumber, formatTable } from './table.ts';
import { median } from './engine/measure.ts';
import { writeReport } from './report-file.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    /** With nothing in the cache of compiled code: the first start after an installation. */
    cold: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const root = join(import.meta.dirname, '../..');
const example = join(root, 'packages/cli/examples/session.json');
const launcher = `'${join(root, 'throughline')}'`;
const home = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
const configured = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
writeFileSync(join(configured, 'throughline.yaml'), 'model: demo\nagent: { maxSteps: 50 }\n');

interface Start {
  readonly name: string;
  readonly command: string;
  readonly folder?: string;
  /** What is on the screen then; without it the time until the end counts. */
  readonly shows?: string;
}

const starts: readonly Start[] = [
  { name: 'node -e 0', command: `'${process.execPath}' -e 0` },
  { name: 'chat: name, folder, how to leave', command: `${launcher} chat`, shows: 'Ctrl-D leaves' },
  { name: 'chat: model and window', command: `${launcher} chat`, shows: 'window 32k' },
  {
    name: 'same, with a configuration',
    command: `${launcher} chat`,
    folder: configured,
    shows: 'window 32k',
  },
  { name: 'chat: the prompt', command: `${launcher} chat`, shows: '\u001b[?2004h' },
  { name: '--help', command: `${launcher} --help` },
  { name: 'inspect', command: `${launcher} inspect '${example}'` },
  { name: 'compact', command: `${launcher} compact '${example}' --window 8k` },
  { name: 'doctor', command: `${launcher} doctor` },
];

interface Figures {
  readonly name: string;
  readonly medianMs: number;
  readonly bestMs: number;
  readonly ratio: number;
}

const times = new Map<string, number[]>(starts.map(({ name }) => [name, []]));
try {
  for (let round = 0; round <= rounds; round += 1) {
    for (const start of starts) {
      const ms = await msUntilShown(start);
      // The first round fills what is cached.
      if (round > 0) times.get(start.name)?.push(ms);
    }
  }
} finally {
  for (const folder of [home, configured]) rmSync(folder, { recursive: true, force: true });
}
const figures = figuresOf(times);
const path = writeReport('start', { node: process.version, isCold: values.cold, rounds, figures });
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : `${print(figures)}\n\nReport: ${path}\n`);

function msUntilShown({ name, command, folder = home, shows }: Start): Promise<number> {
  const cache = values.cold ? mkdtempSync(join(home, 'cache-')) : join(home, 'cache');
  const begun = performance.now();
  const child = spawn(
    'script',
    ['--quiet', '--flush', '--command', `echo $$; exec ${command}`, '/dev/null'],
    {
      cwd: folder,
      env: { ...process.env, HOME: home, TERM: 'xterm-256color', NODE_COMPILE_CACHE: cache },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  return new Promise((resolve, reject) => {
    let written = '';
    let shownMs: number | undefined;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk;
      if (shows === undefined || shownMs !== undefined || !written.includes(shows)) return;
      shownMs = performance.now() - begun;
      // At once, so that it is not still loading while the next one is measured.
      process.kill(Number.parseInt(written, 10), 'SIGKILL');
    });
    child.once('error', reject).once('close', () => {
      const ms = shows === undefined ? performance.now() - begun : shownMs;
      if (ms === undefined) reject(new Error(`${name} did not show “${shows}”, but: ${written}`));
      else resolve(ms);
    });
  });
}

function figuresOf(measured: ReadonlyMap<string, readonly number[]>): readonly Figures[] {
  const floorMs = median(measured.get('node -e 0') ?? []);
  return [...measured].map(([name, all]) => {
    const medianMs = median(all);
    return { name, medianMs, bestMs: Math.min(...all), ratio: medianMs / floorMs };
  });
}

function print(all: readonly Figures[]): string {
  const rows = all.map(({ name, medianMs, bestMs, ratio }) => [
    name,
    formatNumber(medianMs, 0),
    formatNumber(bestMs, 0),
    formatNumber(ratio, 1),
  ]);
  return formatTable(['', 'median ms', 'best ms', 'times node -e 0'], rows);
}
