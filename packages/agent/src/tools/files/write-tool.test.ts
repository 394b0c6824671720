import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTool, openBench } from '../../../test/tool-bench.ts';
import { createWriteTool } from './write-tool.ts';

describe('write', () => {
  it('makes folders and says what changed', async () => {
    const bench = await openBench();
    const write = createWriteTool(bench.workspace);
    expect((await callTool(write, { path: 'a/b/c.txt', content: '1\n2\n3\n' })).text).toBe(
      'Created a/b/c.txt (3 lines, 6 bytes).',
    );
    expect((await callTool(write, { path: './a/b/c.txt', content: '1\nzwei\n2a\n3\n' })).text).toBe(
      'Replaced a/b/c.txt (4 lines, 12 bytes; 1 lines gone, 2 lines new).',
    );
    expect((await callTool(write, { path: 'a/b/c.txt', content: '1\nzwei\n2a\n3\n' })).text).toContain(
      'already has',
    );
    expect(readFileSync(join(bench.root, 'a/b/c.txt'), 'utf8')).toBe('1\nzwei\n2a\n3\n');
    expect(readdirSync(join(bench.root, 'a/b'))).toEqual(['c.txt']);
  });

  it('keeps the mode of a file', async () => {
    const bench = await openBench();
    const path = await bench.put('run.sh', 'x');
    chmodSync(path, 0o751);
    await callTool(createWriteTool(bench.workspace), { path: 'run.sh', content: 'y' });
    expect(statSync(path).mode & 0o777).toBe(0o751);
  });

  it('refuses folders and read-only files and leaves nothing behind', async () => {
    const bench = await openBench();
    mkdirSync(join(bench.root, 'folder'));
    chmodSync(await bench.put('fixed', 'x'), 0o444);
    const write = createWriteTool(bench.workspace);
    expect(await callTool(write, { path: 'folder', content: '' })).toMatchObject({
      state: 'error',
      text: '"folder" is a folder',
    });
    expect(await callTool(write, { path: '.', content: '' })).toMatchObject({
      state: 'error',
      text: '"." is a folder',
    });
    expect((await callTool(write, { path: 'fixed', content: '' })).text).toBe('"fixed" is read-only');
    expect((await callTool(write, { path: 'fixed/below', content: '' })).state).toBe('error');
    expect(readdirSync(bench.root).sort()).toEqual(['fixed', 'folder']);
  });
});
