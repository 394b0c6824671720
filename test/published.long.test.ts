import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packAll, root } from './install/pack.ts';
import { startScriptedServer } from './install/scripted-server.ts';
import {
  clientFaults,
  createUserProject,
  readSnippets,
  runTogether,
  start,
  typeFaults,
} from './install/user-project.ts';
import type { Tarball } from './install/pack.ts';

/**
 * The packages as they would lie on npm, unpacked into the project of somebody else. What they need from others is
 * taken from here, so that no registry is asked; `npm run test:install` does it with npm and pnpm.
 */
const project = createUserProject();
let tarballs: readonly Tarball[] = [];

beforeAll(async () => {
  for (const script of [['node_modules/typescript/bin/tsc', '-b'], ['tools/build-page.mjs']])
    expect(await start(process.execPath, script, { cwd: root })).toEqual({ code: 0, output: '' });
  tarballs = await packAll(join(project.folder, 'tarballs'));
  const modules = join(project.folder, 'node_modules');
  for (const { name, path } of tarballs) {
    const target = join(modules, name);
    mkdirSync(target, { recursive: true });
    const unpacked = await start('tar', ['-xzf', path, '-C', target, '--strip-components=1'], { cwd: root });
    expect(unpacked).toEqual({ code: 0, output: '' });
  }
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (/^(\.|@throughline$|throughline$)/.test(name)) continue;
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction');
  }
});
afterAll(() => project.remove());

describe('the packages as published', () => {
  it('hold what is built, README and LICENSE, and no sources', () => {
    for (const { name, files } of tarballs) {
      expect(files, name).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']));
      const others = files.filter(
        (path) => !/^(dist\/.*\.(js|d\.ts)|README\.md|LICENSE|package\.json)$/.test(path),
      );
      if (name === '@throughline/web') expect(others.filter((path) => !pageFile.test(path))).toEqual([]);
      else expect(others, name).toEqual(othersOf[name] ?? []);
      expect(files.filter((path) => path.includes('.test.'))).toEqual([]);
    }
  });

  it('keep the engine below 400 kB', () => {
    expect(tarballs.find(({ name }) => name === '@throughline/core')?.sizeBytes).toBeLessThan(400_000);
  });

  it('give a strict compiler the types of what README says', async () => {
    expect(await typeFaults(project.folder, 'nodenext', { isThorough: false })).toEqual([]);
  });

  it('start the command line', async () => {
    const bin = join(project.folder, 'node_modules/throughline/bin/throughline.cjs');
    const example = join(project.folder, 'node_modules/throughline/examples/session.json');
    const { code, output } = await start(process.execPath, [bin, 'inspect', example], {
      cwd: project.folder,
    });
    expect(output).toContain('tokens');
    expect(code).toBe(0);
  });

  it('have the store of several machines in an entry of its own', async () => {
    const program = `
      const { openPostgresStore } = await import('throughline/stores/postgres');
      const url = 'postgres://127.0.0.1:1/none';
      console.log((await openPostgresStore({ url }).catch((error) => error)).details.reason);`;
    const args = ['--input-type=module', '--eval', program];
    expect(await start(process.execPath, args, { cwd: project.folder })).toEqual({
      code: 0,
      output: 'unreachable\n',
    });
  });

  it('run what README says', async () => {
    await using server = await startScriptedServer();
    const { code, output } = await runTogether(project.folder, readSnippets(), server.url);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('all ran') as string });
    const asked = ['/v1/chat/completions', '/v1/messages', '/v1/responses'];
    expect(server.paths).toEqual(expect.arrayContaining(asked));
  });
});

describe('the client alone', () => {
  const alone = mkdtempSync(join(tmpdir(), 'throughline-client-'));
  afterAll(() => rmSync(alone, { recursive: true, force: true }));

  it('has types that a strict compiler takes, and runs', async () => {
    const target = join(alone, 'node_modules/@throughline/client');
    mkdirSync(target, { recursive: true });
    const { path = '' } = tarballs.find(({ name }) => name === '@throughline/client') ?? {};
    await start('tar', ['-xzf', path, '-C', target, '--strip-components=1'], { cwd: root });
    expect(await clientFaults(alone)).toEqual([]);
    const { code, output } = await start(process.execPath, ['program.js'], { cwd: alone });
    expect({ code, output }).toEqual({ code: 0, output: 'function function function function true gone\n' });
  });
});

/** What the page is made of. */
const pageFile = /^dist\/(index\.html|icon\.svg|assets\/[\w.-]+)$/;

/** What a package holds on top. */
const othersOf: Readonly<Record<string, readonly string[]>> = {
  throughline: ['bin/throughline.cjs', 'examples/session.json'],
  '@throughline/config': ['throughline.schema.json'],
};
