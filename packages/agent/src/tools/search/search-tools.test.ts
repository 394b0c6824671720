import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTool, openBench } from '../../../test/tool-bench.ts';
import { createGlobTool, createGrepTool } from './search-tools.ts';
import type { Bench } from '../../../test/tool-bench.ts';

const timeoutMs = 20_000;

async function filled(): Promise<Bench> {
  const bench = await openBench();
  await bench.put('src/b.ts', 'alpha\nbeta\ngamma\nbeta two\n');
  await bench.put('src/a.js', 'Beta in a script\r\n');
  await bench.put('node_modules/x/index.js', 'beta');
  await bench.put('.git/config', 'beta');
  await bench.put('.dotted', 'beta=1');
  await bench.put('image.bin', 'beta\0');
  symlinkSync(join(bench.root, 'src'), join(bench.root, 'zlink'));
  return bench;
}

describe('grep', () => {
  it('shows path, line and text, in the order of the paths, without what is ignored, binary or linked', async () => {
    const bench = await filled();
    const grep = createGrepTool(bench.workspace, timeoutMs);
    const search = async (input: Record<string, string | number | boolean>): Promise<string> =>
      (await callTool(grep, input)).text;
    expect(await search({ pattern: 'beta' })).toBe('.dotted:1:beta=1\nsrc/b.ts:2:beta\nsrc/b.ts:4:beta two');
    expect(await search({ pattern: '^beta', ignoreCase: true, path: 'src' })).toBe(
      'src/a.js:1:Beta in a script\nsrc/b.ts:2:beta\nsrc/b.ts:4:beta two',
    );
    expect(await search({ pattern: 'script$' })).toBe('src/a.js:1:Beta in a script');
    expect(await search({ pattern: 'beta', glob: '*.ts', filesOnly: true })).toBe('src/b.ts');
    expect(await search({ pattern: 'beta', includeIgnored: true, filesOnly: true })).toContain(
      'node_modules/x/index.js',
    );
    expect(await search({ pattern: 'gamma', context: 1, path: 'src/b.ts' })).toBe(
      'src/b.ts-2-beta\nsrc/b.ts:3:gamma\nsrc/b.ts-4-beta two',
    );
    expect(await search({ pattern: 'two|alpha', context: 1 })).toBe(
      'src/b.ts:1:alpha\nsrc/b.ts-2-beta\nsrc/b.ts-3-gamma\nsrc/b.ts:4:beta two',
    );
    expect(await search({ pattern: 'nowhere' })).toBe('No matches.');
    expect(await search({ pattern: 'beta', path: 'missing' })).toBe('"missing" does not exist');
    expect(await search({ pattern: '(' })).toContain('The search failed: Invalid regular expression');
  });

  it('stops at the limit of matches and says so', async () => {
    const bench = await openBench();
    await bench.put('many', 'x\n'.repeat(5_000));
    const { text } = await callTool(createGrepTool(bench.workspace, timeoutMs), { pattern: 'x' });
    expect(text.split('\n')).toHaveLength(1_001);
    expect(text).toContain('[stopped after 1000 matches; use a narrower pattern or path]');
  });

  it('ends an expression that would run for ever, and keeps what was found before', async () => {
    const bench = await openBench();
    for (let index = 0; index < 60; index += 1) await bench.put(`a${String(index).padStart(2, '0')}`, 'ab\n');
    await bench.put('b', `${'a'.repeat(50)}!\n`);
    const result = await callTool(createGrepTool(bench.workspace, 4_000), { pattern: '^(a|aa)+b?$|ab' });
    expect(result.state).toBe('error');
    expect(result.text).toContain('a00:1:ab');
    expect(result.text).toContain('[stopped after 4000 ms');
  });

  it('ends at once when it is cancelled', async () => {
    const bench = await openBench();
    await bench.put('b', `${'a'.repeat(50)}!\n`);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    const result = await callTool(
      createGrepTool(bench.workspace, 600_000),
      { pattern: '^(a|aa)+$' },
      { signal: abort.signal },
    );
    expect(result.isCancelled).toBe(true);
  });
});

describe('glob', () => {
  it('lists paths sorted, without what is ignored or linked', async () => {
    const bench = await filled();
    const glob = createGlobTool(bench.workspace, timeoutMs);
    const list = async (input: Record<string, string | boolean>): Promise<string> =>
      (await callTool(glob, input)).text;
    expect(await list({ pattern: '**/*.{ts,js}' })).toBe('src/a.js\nsrc/b.ts');
    expect(await list({ pattern: '*.ts' })).toBe('src/b.ts');
    expect(await list({ pattern: 'src/*' })).toBe('src/a.js\nsrc/b.ts');
    expect(await list({ pattern: '*', path: 'src' })).toBe('src/a.js\nsrc/b.ts');
    expect(await list({ pattern: '.dotted*' })).toBe('.dotted');
    expect(await list({ pattern: '*.js', includeIgnored: true })).toBe('node_modules/x/index.js\nsrc/a.js');
    expect(await list({ pattern: '*.rs' })).toBe('No files.');
  });

  it('ends a pattern that would run or grow for ever', async () => {
    const bench = await openBench();
    await bench.put('a'.repeat(200), '');
    const glob = createGlobTool(bench.workspace, 300);
    const slow = await callTool(glob, { pattern: `${'*a'.repeat(60)}b` });
    expect(slow.text).toMatch(/stopped after 300 ms|No files|failed/);
    const wide = await callTool(glob, { pattern: '{a,b}'.repeat(60) });
    expect(wide.text).toMatch(/stopped after 300 ms|No files|failed/);
  });
});
