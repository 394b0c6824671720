import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everyday, isDeepRun } from '@throughline/testkit';
import { createEditTool } from '../src/tools/files/edit-tool.ts';
import { createReadTool } from '../src/tools/files/read-tool.ts';
import { createWriteTool } from '../src/tools/files/write-tool.ts';
import { createGlobTool, createGrepTool } from '../src/tools/search/search-tools.ts';
import { callTool, openBench } from './tool-bench.ts';
import type { Bench } from './tool-bench.ts';

const secret = 'THE-SECRET-OUTSIDE';
const names = ['a', 'b', 'c', 'd'];

const name = fc.constantFrom(...names);
const inner = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const piece = fc.oneof(
  { weight: 4, arbitrary: name },
  fc.constantFrom('..', '.', '', 'secret.txt', '...', 'work'),
);
const relative = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
const target = fc.oneof(
  { weight: 3, arbitrary: relative },
  fc.constantFrom(
    '..',
    '../..',
    '../secret.txt',
    '/',
    '/etc',
    '/proc/self/root',
    '/proc/self/cwd',
    '/proc/self/environ',
  ),
  { weight: 3, arbitrary: fc.constantFrom('OUT', '..', '../..', '../folder', 'OUT/folder', '../secret.txt') },
  fc.constantFrom('OUT', 'OUT/secret.txt', 'OUT/folder', 'ROOT', 'ROOT/a', 'ROOT/../secret.txt'),
);
// What a link that leads out would reveal.
const behind = fc.constantFrom('secret.txt', 'a', 'folder/a', 'new/a', '../secret.txt');
const path = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(inner, behind).map((parts) => parts.join('/')) },
  { weight: 2, arbitrary: inner },
  { weight: 2, arbitrary: relative },
  fc.constantFrom(
    'ROOT',
    'ROOT/a',
    'ROOT/../secret.txt',
    'OUT/secret.txt',
    '/etc/passwd',
    '/proc/self/root/etc/passwd',
  ),
  fc.constantFrom('..\\secret.txt', 'a\0b', 'C:\\x', '//etc/passwd', '~/secret.txt', '%2e%2e/secret.txt', ''),
);
/** A link that leads out, most of the time, and a path through it, whatever else there is. */
const through = fc.record({ at: inner, target, behind });
const node = fc.oneof(
  fc.record({ type: fc.constant('file' as const), at: inner }),
  fc.record({ type: fc.constant('link' as const), at: inner, target }),
  fc.record({ type: fc.constant('folder' as const), at: inner }),
);

function fill(text: string, bench: Bench): string {
  return text.replace(/^ROOT/, () => bench.root).replace(/^OUT/, () => bench.outside);
}

function plant(bench: Bench, nodes: readonly PlantedNode[]): void {
  mkdirSync(join(bench.outside, 'folder'));
  writeFileSync(join(bench.outside, 'secret.txt'), secret);
  writeFileSync(join(bench.outside, 'folder', 'a'), secret);
  for (const one of nodes) {
    const at = join(bench.root, one.at);
    if (!isOurs(at, bench)) continue;
    try {
      mkdirSync(join(at, '..'), { recursive: true });
      if (one.type === 'file') writeFileSync(at, 'inside', { flag: 'wx' });
      else if (one.type === 'link') symlinkSync(fill(one.target, bench), at);
      else mkdirSync(at);
    } catch {
      // taken by an earlier node, or below a file or a link that leads nowhere
    }
  }
}

/** An earlier link may lead anywhere, as to the folder this runs in: nothing is planted behind it. */
function isOurs(at: string, bench: Bench): boolean {
  let folder = dirname(at);
  while (!existsSync(folder)) folder = dirname(folder);
  return `${realpathSync(folder)}/`.startsWith(`${realpathSync(bench.outside)}/`);
}

type PlantedNode =
  | { readonly type: 'file'; readonly at: string }
  | { readonly type: 'folder'; readonly at: string }
  | { readonly type: 'link'; readonly at: string; readonly target: string };

/** Everything beside the workspace, names and contents. Links are not followed. */
function outsideOf(bench: Bench): string {
  const list = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const full = join(folder, entry.name);
      if (full === bench.root) return [];
      if (entry.isDirectory()) return [full, ...list(full)];
      return [`${full} ${entry.isFile() ? readFileSync(full, 'utf8') : ''}`];
    });
  return list(bench.outside).sort().join('\n');
}

describe.each([{ byHandle: true }, { byHandle: false }])(
  'with byHandle $byHandle, whatever tree of folders and links',
  (options) => {
    it('nothing outside the workspace is read or written through any path', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(node, { maxLength: 8 }),
          fc.array(path, { minLength: 2, maxLength: 5 }),
          through,
          async (nodes, others, { at, target: leadsTo, behind: rest }) => {
            const bench = await openBench(options);
            plant(bench, [{ type: 'link', at, target: leadsTo }, ...nodes]);
            const paths = [`${at}/${rest}`, at, ...others];
            const before = outsideOf(bench);
            const { workspace } = bench;
            for (const one of paths.map((text) => fill(text, bench))) {
              const read = await callTool(createReadTool(workspace), { path: one });
              expect(read.text).not.toMatch(/THE-SECRET-OUTSIDE|root:x:0|PATH=/);
              await callTool(createEditTool(workspace), { path: one, oldText: secret, newText: 'edited' });
              await callTool(createWriteTool(workspace), { path: one, content: 'written' });
            }
            expect(outsideOf(bench)).toBe(before);
          },
        ),
        { numRuns: 60, plugins: [everyday(20)] },
      );
    });

    it('searches find nothing outside the workspace', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(node, { maxLength: 8 }), path, async (nodes, text) => {
          const bench = await openBench(options);
          plant(bench, nodes);
          const at = fill(text, bench);
          const grepped = await callTool(createGrepTool(bench.workspace, 20_000), {
            pattern: 'SECRET|root:x',
            path: at,
          });
          expect(grepped.text).not.toMatch(/THE-SECRET|root:x:0/);
          const listed = await callTool(createGlobTool(bench.workspace, 20_000), { pattern: '**', path: at });
          if (listed.state === 'completed') expect(listed.text).not.toMatch(/secret\.txt$|passwd/m);
        }),
        { numRuns: 15, plugins: [everyday(8)] },
      );
    });
  },
);

describe('a workspace', () => {
  it('follows links that stay inside, and writes to what they lead to', async () => {
    const bench = await openBench();
    await bench.put('real/file.txt', 'one\n');
    symlinkSync('real', join(bench.root, 'alias'));
    symlinkSync(join(bench.root, 'real', 'file.txt'), join(bench.root, 'direct'));
    const { workspace } = bench;
    expect((await callTool(createReadTool(workspace), { path: 'alias/file.txt' })).text).toContain('one');
    expect((await callTool(createWriteTool(workspace), { path: 'direct', content: 'two\n' })).state).toBe(
      'completed',
    );
    expect(readFileSync(join(bench.root, 'real', 'file.txt'), 'utf8')).toBe('two\n');
    expect(await workspace.keyOf('alias/new/x')).toBe(await workspace.keyOf('real/new/x'));
    expect(await workspace.keyOf('direct')).toBe(
      await workspace.keyOf(join(bench.root, 'REAL/../real/file.txt')),
    );
  });

  it.each([
    ['../x', 'outside the workspace'],
    ['/etc/passwd', 'outside the workspace'],
    ['a\0b', 'NUL'],
    ['..\\x', 'backslash'],
    ['out', 'outside the workspace'],
    ['round', 'circles'],
    ['missing', 'does not exist'],
    ['pipe', 'no regular file'],
    ['file/below', 'no folder'],
    ['.', 'is a folder'],
    ['', 'is empty'],
  ])('says of %j that it %s', async (asked, words) => {
    const bench = await openBench();
    await bench.put('file', 'x');
    symlinkSync('/etc/passwd', join(bench.root, 'out'));
    symlinkSync('round', join(bench.root, 'round'));
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(bench.root, 'pipe')]);
    const result = await callTool(createReadTool(bench.workspace), { path: asked });
    expect(result.state).toBe('error');
    expect(result.text).toContain(words);
  });

  it('holds while folders are swapped for links under it', async () => {
    const bench = await openBench();
    mkdirSync(join(bench.outside, 'trap'));
    writeFileSync(join(bench.outside, 'trap', 'x'), secret);
    mkdirSync(join(bench.root, 'swap'));
    writeFileSync(join(bench.root, 'swap', 'x'), 'inside');
    const at = join(bench.root, 'swap');
    let isDone = false;
    const swapping = (async () => {
      while (!isDone) {
        renameSync(at, `${at}-kept`);
        try {
          symlinkSync(join(bench.outside, 'trap'), at);
        } catch {
          // the write made the missing folder anew
        }
        await new Promise((resolve) => setImmediate(resolve));
        rmSync(at, { recursive: true });
        renameSync(`${at}-kept`, at);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let round = 0; round < (isDeepRun ? 150 : 50); round += 1) {
      const read = await callTool(createReadTool(bench.workspace), { path: 'swap/x' });
      expect(read.text).not.toContain(secret);
      await callTool(createWriteTool(bench.workspace), { path: 'swap/y', content: 'written' });
    }
    isDone = true;
    await swapping;
    expect(readdirSync(join(bench.outside, 'trap'))).toEqual(['x']);
  });
});
