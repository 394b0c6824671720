import { chatSession, temporaryFolder, widestLine, writeInto } from './support.ts';
import { chmodSync, existsSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { AddressInfo } from 'node:net';
import type { ChildProcess } from 'node:child_process';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const inherited = { ...process.env };
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_OPTIONS', 'COLUMNS']) delete inherited[name];
  return spawn(
    process.execPath,
    ['--conditions=throughline-source', '--disable-warning=ExperimentalWarning', main, ...args],
    {
      env: { ...inherited, ...env },
    },
  );
}

async function endOf(child: ChildProcess): Promise<End> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

function run(args: readonly string[], env?: Record<string, string>): Promise<End> {
  const child = start(args, env);
  child.stdin?.end();
  return endOf(child);
}

describe('the program', () => {
  it('explains itself, its commands and its exit codes', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    for (const part of ['inspect', 'compact', 'replay', 'demo', 'Exit codes', 'Examples'])
      expect(stdout).toContain(part);
    expect(widestLine(stdout)).toBeLessThanOrEqual(80);
  });

  it('knows its version', async () => {
    expect(await run(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it('ends with 2 on wrong usage, with a sentence', async () => {
    const { code, stdout, stderr } = await run(['compact', 'x', '--window', 'big']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Expected a number of tokens');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('keeps to the columns that the environment names where it writes into a pipe, and colours one only when forced to', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(40));
    const [narrow, forced, plain] = await Promise.all([
      run(['inspect', path], { COLUMNS: '40' }),
      run(['inspect', path], { COLUMNS: 'wide', FORCE_COLOR: '1' }),
      run(['inspect', path], { FORCE_COLOR: '1', NO_COLOR: '1' }),
    ]);
    expect(widestLine(narrow.stdout)).toBeLessThanOrEqual(40);
    expect(widestLine(stripVTControlCharacters(forced.stdout))).toBeGreaterThan(40);
    expect([narrow, forced, plain].map(({ stdout }) => stdout.includes('\u001b['))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('does not mind a reader that stops reading', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(400));
    const child = start(['compact', path, '--window', '400k', '--json']);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, stderr } = await endOf(child);
    expect([code, stderr]).toEqual([0, '']);
  });

  it.skipIf(!existsSync('/dev/full'))('says so when its output has no room, and ends with 4', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(2));
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['--conditions=throughline-source', main, 'inspect', path], {
      stdio: ['ignore', full, 'pipe'],
    });
    const { code, stderr } = await endOf(child);
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/^throughline: The output could not be written: .+\n$/),
    ]);
  });

  it('reads standard input', async () => {
    const child = start(['inspect', '-', '--json']);
    child.stdin?.end(JSON.stringify(chatSession(2)));
    const { code, stdout } = await endOf(child);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ files: [{ session: { messages: 8 } }] });
  });

  it('replays a session under every strategy, in 80 columns and without a colour', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(60));
    const { code, stdout, stderr } = await run(['replay', path, '--window', '16k', '--model', 'gpt-4o']);
    expect([code, stderr]).toEqual([0, '']);
    for (const part of ['no management', 'middle-removal', 'What it costs and keeps', 'In short', '$'])
      expect(stdout).toContain(part);
    expect(stdout).not.toContain('\u001b[');
    expect(widestLine(stdout)).toBeLessThanOrEqual(80);
  });

  it('runs the demo, inspection and compaction, without writing anything', async () => {
    const { code, stdout, stderr } = await run(['demo']);
    expect([code, stderr]).toEqual([0, '']);
    expect(widestLine(stdout)).toBeLessThanOrEqual(80);
    for (const part of ['Where the tokens went', 'Before and after', 'throughline inspect FILE'])
      expect(stdout).toContain(part);
  });
});

describe('a file that cannot be read', () => {
  it('ends the program with 3 and one sentence', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 'broken.json', '[{"role": "user"');
    const { code, stdout, stderr } = await run([
      'compact',
      path,
      '--window',
      '64k',
      '--out',
      join(folder, 'out.json'),
    ]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^throughline: .*line 1: the JSON ends too early.*\n$/);
    expect(readdirSync(folder)).toEqual(['broken.json']);
  });

  it.skipIf(process.getuid?.() === 0)('is named when permission is missing', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(1));
    chmodSync(path, 0);
    expect(await run(['inspect', path])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('permission'),
    });
  });

  it('is refused when it is larger than what is read', async () => {
    const path = join(temporaryFolder(), 'large.json');
    const file = openSync(path, 'w');
    const block = 'x'.repeat(1 << 20);
    writeSync(file, '[{"role":"user","content":"');
    for (let index = 0; index < 130; index += 1) writeSync(file, block);
    const { code, stderr } = await run(['inspect', path]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/longer than 128 million characters/)]);
  });

  it('shows a stack only to those who ask for one', async () => {
    const { stderr } = await run(['inspect', '/nowhere.json'], { THROUGHLINE_DEBUG: '1' });
    expect(stderr).toMatch(/\n\s+at /);
  });
});

describe('an interrupt', () => {
  it('ends a compaction that waits for a model with 130, and leaves no file', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 's.json', chatSession(60));
    const server = createServer(() => child.kill('SIGINT'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const out = join(folder, 'out.json');
    const child = start([
      'compact',
      path,
      '--window',
      '16k',
      '--model',
      'm',
      '--base-url',
      baseUrl,
      '--out',
      out,
    ]);
    const { code, stderr } = await endOf(child);
    expect([code, stderr]).toEqual([130, 'throughline: Interrupted; nothing was written.\n']);
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder)).toEqual(['s.json']);
  });
});

describe('the published package', () => {
  it('names a program that starts with the line that runs it', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      bin: object;
    };
    expect(manifest.bin).toEqual({ throughline: './bin/throughline.cjs' });
    const bin = readFileSync(new URL('../bin/throughline.cjs', import.meta.url), 'utf8');
    expect(bin).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});
