import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { npm, root } from './pack.ts';
import { start } from './user-project.ts';

/** Versions of SDKs at the lower end of our ranges, and the tests that use them; the upper ends are in every other run. */
interface LowerEnd {
  readonly versions: Readonly<Record<string, string>>;
  readonly tests: readonly string[];
  /** Uses of the SDKs that must compile. */
  readonly types: readonly string[];
}

const typesOf = (...names: readonly string[]): string[] =>
  names.map((name) => `packages/adapters/test/sdk-types/${name}.ts`);

const lowerEnds: readonly LowerEnd[] = [
  {
    versions: { openai: '5.0.0', '@anthropic-ai/sdk': '0.60.0', ai: '7.0.0' },
    tests: ['packages/drivers', 'packages/adapters/test/plain-long-run'],
    types: [...typesOf('openai', 'anthropic', 'ai-sdk-7'), 'packages/drivers/src/index.ts'],
  },
  {
    versions: { openai: '6.0.0', ai: '7.0.0', 'ai-v5': 'npm:ai@5.0.0', 'ai-v6': 'npm:ai@6.0.0' },
    tests: ['packages/drivers', 'packages/adapters'],
    types: [...typesOf('openai', 'ai-sdk-5', 'ai-sdk-6'), 'packages/drivers/src/index.ts'],
  },
  {
    versions: { '@openai/agents': '0.12.0' },
    tests: ['packages/adapters/test/agents'],
    types: typesOf('openai-agents'),
  },
  {
    versions: { '@modelcontextprotocol/sdk': '1.25.0', zod: '4.1.8' },
    tests: ['packages/agent/src/mcp', 'packages/agent/src/tools', 'packages/config/src'],
    // No type of the MCP SDK is one of ours; how it is used inside compiles with the newest.
    types: ['packages/agent/src/tools/define-tool.ts', 'packages/config/src/index.ts'],
  },
];

/** This tree once more, with these SDKs in place of ours. */
async function treeWith(versions: LowerEnd['versions']): Promise<string> {
  const tree = realpathSync(mkdtempSync(join(tmpdir(), 'throughline-sdks-')));
  onTestFinished(() => rmSync(tree, { recursive: true, force: true }));
  const isOurs = (path: string): boolean => !/[\\/](node_modules|dist)$/.test(path);
  for (const name of [
    'packages',
    'tools',
    'docs',
    'package.json',
    'tsconfig.base.json',
    'vitest.config.ts',
  ]) {
    cpSync(join(root, name), join(tree, name), { recursive: true, filter: isOurs });
  }
  const link = (name: string, target: string): void => {
    const path = join(tree, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    symlinkSync(target, path, 'junction');
  };
  for (const path of globSync(['*', '@*/*'], { cwd: join(root, 'node_modules') })) {
    if (!/^@[^/\\]*$|^@throughline|^throughline$/.test(path)) link(path, join(root, 'node_modules', path));
  }
  for (const folder of readdirSync(join(tree, 'packages'))) {
    link(folder === 'cli' ? 'throughline' : `@throughline/${folder}`, join(tree, 'packages', folder));
  }
  for (const [index, [name, version]] of Object.entries(versions).entries()) {
    const home = join(tree, `sdk-${index}`);
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{}\n');
    await npm(['install', '--legacy-peer-deps', `${name}@${version}`], home);
    link(name, join(home, 'node_modules', name));
  }
  return tree;
}

const named = lowerEnds.map((end) => ({
  ...end,
  name: Object.entries(end.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', '),
}));

describe.each(named)('with $name', ({ versions, tests, types }) => {
  it('the tests pass, and the types fit', async () => {
    const tree = await treeWith(versions);
    for (const [name, version] of Object.entries(versions)) {
      const manifest = JSON.parse(readFileSync(join(tree, 'node_modules', name, 'package.json'), 'utf8')) as {
        version: string;
      };
      expect(version).toContain(manifest.version);
    }
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const run = await start(process.execPath, [vitest, 'run', ...tests], { cwd: tree });
    expect(run.code, run.output).toBe(0);
    const config = {
      extends: './tsconfig.base.json',
      compilerOptions: {
        lib: ['ES2024', 'esnext.disposable'],
        types: ['node'],
        customConditions: ['throughline-source'],
        composite: false,
        declaration: false,
        noEmit: true,
      },
      files: types,
    };
    writeFileSync(join(tree, 'tsconfig.types.json'), JSON.stringify(config));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const compiled = await start(process.execPath, [compiler, '-p', 'tsconfig.types.json'], { cwd: tree });
    expect(compiled.output).toBe('');
  });
});
