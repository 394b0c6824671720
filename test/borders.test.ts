import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  fileCircles,
  folderCircles,
  fullFolders,
  layerFaults,
  layersMayImport,
  type Manifest,
  memoryFaults,
  packageFaults,
  packagesMayImport,
  purityFaults,
  undeclaredFaults,
  vendorFaults,
  viewFaults,
} from './borders.ts';
import { readSources, root } from './source.ts';

const files = readSources(['packages/*/{src,test}/**/*.{ts,tsx}', 'bench/**/*.ts']);

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${root}/${folder}/package.json`, 'utf8')) as Manifest;
}

const folders = globSync('packages/*/package.json', { cwd: root }).map(
  (path) => path.split(/[\\/]/)[1] ?? '',
);
const manifests: Record<string, Manifest> = {
  '.': readManifest('.'),
  bench: readManifest('bench'),
  ...Object.fromEntries(folders.map((folder) => [folder, readManifest(`packages/${folder}`)])),
};

describe('packages', () => {
  it('import only what their row allows', () => {
    expect(packageFaults(files)).toEqual([]);
  });

  it('import only what they declare', () => {
    expect(undeclaredFaults(files, manifests)).toEqual([]);
  });

  it('declare only workspace packages their row allows', () => {
    const faults = Object.entries(manifests).flatMap(([folder, { dependencies = {} }]) => {
      const asImports = Object.keys(dependencies).map((name) => `import type {} from '${name}';`);
      return packageFaults({ [`packages/${folder}/src/main.ts`]: asImports.join('\n') });
    });
    expect(faults).toEqual([]);
  });

  it('name vendors and databases only where that is their purpose', () => {
    expect(vendorFaults(files)).toEqual([]);
  });

  it('of the page ask the client only in `data/`', () => {
    expect(viewFaults(files)).toEqual([]);
    const planted = `import type { Client } from '@throughline/client';`;
    expect(viewFaults({ 'packages/web/src/views/a.tsx': planted })).toHaveLength(1);
  });

  it('all have a row', () => {
    expect(folders.filter((folder) => packagesMayImport[folder] === undefined)).toEqual([]);
  });
});

describe('small helpers', () => {
  it('are not written again in every package: whether a value is an object is asked of core', () => {
    const sources = Object.entries(readSources(['packages/*/src/**/*.ts', 'bench/**/*.ts']));
    const writing = sources.filter(([, text]) => /function is(Object|Record)\b/.test(text));
    expect(writing.map(([path]) => path)).toEqual(['packages/core/src/json/json.ts']);
  });
});

describe('folders of a package', () => {
  it('have few enough source files to be kept in mind', () => {
    expect(fullFolders(files)).toEqual([]);
  });

  it('import each other in one direction', () => {
    expect(folderCircles(files)).toEqual([]);
  });
});

describe('files of a package', () => {
  it('form no circle, by what is loaded later neither', () => {
    expect(fileCircles(files)).toEqual([]);
  });
});

describe('layers of core', () => {
  it('import only downwards', () => {
    expect(layerFaults(files)).toEqual([]);
  });

  it('read no clock and roll no dice', () => {
    expect(purityFaults(files)).toEqual([]);
  });

  it('remember through one file', () => {
    expect(memoryFaults(files)).toEqual([]);
  });

  it('form no circle', () => {
    const settled = new Set<string>();
    for (const [layer, below] of Object.entries(layersMayImport)) {
      expect(below.filter((name) => !settled.has(name))).toEqual([]);
      settled.add(layer);
    }
  });
});

describe('the check of packages', () => {
  it.each([
    ['an import upwards', 'packages/core/src/a.ts', `import { x } from '@throughline/ports';`],
    ['a type import upwards', 'packages/core/src/a.ts', `import type { X } from '@throughline/ports';`],
    ['an inline type import', 'packages/agent/src/a.ts', `import { type X } from '@throughline/drivers';`],
    ['a re-export', 'packages/ports/src/a.ts', `export * from '@throughline/drivers';`],
    ['a type in passing', 'packages/ports/src/a.ts', `export type X = import('@throughline/agent').Y;`],
    ['a dynamic import', 'packages/importers/src/a.ts', `await import('@throughline/ports');`],
    ['a subpath', 'packages/agent/src/a.ts', `import '@throughline/drivers/openai';`],
    ['a path into another package', 'packages/agent/src/a.ts', `import '../../drivers/src/index.ts';`],
    ['the testkit in a source', 'packages/agent/src/a.ts', `import '@throughline/testkit';`],
    ['a driver outside the root', 'packages/cli/src/commands/a.ts', `import '@throughline/drivers';`],
    [
      'a value of a types-only package',
      'packages/client/src/a.ts',
      `import { x } from '@throughline/core/internal';`,
    ],
    ['a package without a row', 'packages/novel/src/a.ts', `import '@throughline/core';`],
  ])('finds %s', (_, path, text) => {
    expect(packageFaults({ [path]: text })).toHaveLength(1);
  });

  it.each([
    ['packages/agent/src/a.test.ts', `import '@throughline/testkit';`],
    ['packages/cli/src/main.ts', `import '@throughline/drivers';`],
    ['packages/cli/src/composition/a.ts', `import '@throughline/stores';`],
    ['packages/client/src/a.ts', `import type { X } from '@throughline/core/internal';`],
    [
      'packages/core/src/a.ts',
      `// import '@throughline/ports';\nconst text = "import '@throughline/ports'";`,
    ],
  ])('allows %s %s', (path, text) => {
    expect(packageFaults({ [path]: text })).toEqual([]);
  });
});

describe('the check of declarations', () => {
  it('finds a package that only hoisting provides', () => {
    const faults = undeclaredFaults({ 'packages/ports/src/a.ts': `import { z } from 'zod/v4';` }, manifests);
    expect(faults).toEqual(['packages/ports/src/a.ts: does not declare zod']);
  });

  it('finds a test tool in a source', () => {
    expect(undeclaredFaults({ 'packages/agent/src/a.ts': `import 'vitest';` }, manifests)).toHaveLength(1);
    expect(undeclaredFaults({ 'packages/agent/src/a.test.ts': `import 'vitest';` }, manifests)).toEqual([]);
  });
});

describe('the check of folders', () => {
  const count = (many: number, name: string): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: many }, (_, index) => [`packages/agent/src/a/${name}${index}.ts`, '']),
    );

  it('finds one with more than fifteen source files, tests not counted', () => {
    expect(fullFolders({ ...count(15, 'a'), 'packages/agent/src/a/a1.test.ts': '' })).toEqual([]);
    expect(fullFolders(count(16, 'a'))).toEqual([
      'packages/agent/src/a has 16 source files, and 15 are the most',
    ]);
  });

  it('finds those that reach themselves by way of others, by types too, and not those below them', () => {
    const circle = {
      'packages/agent/src/a/x.ts': `import { y } from '../b/y.ts';`,
      'packages/agent/src/b/y.ts': `import type { Z } from '../c/z.ts';`,
      'packages/agent/src/c/z.ts': `export type { X } from '../a/x.ts'; import { d } from '../d/d.ts';`,
      'packages/agent/src/d/d.ts': `import { e } from './e.ts';`,
    };
    expect(folderCircles(circle)).toEqual([
      'packages/agent/src/a',
      'packages/agent/src/b',
      'packages/agent/src/c',
    ]);
  });

  it('finds files that reach themselves by what is loaded later', () => {
    const circle = {
      'packages/web/src/a/menu.tsx': `const Popup = lazy(() => import('./popup.tsx'));`,
      'packages/web/src/a/popup.tsx': `import type { Props } from './menu.tsx'; import { x } from './x.ts';`,
      'packages/web/src/a/x.ts': `export const x = 1;`,
    };
    expect(fileCircles(circle)).toEqual(['packages/web/src/a/menu.tsx', 'packages/web/src/a/popup.tsx']);
  });

  it('allows what goes down, and an entry that hands on what lies below it', () => {
    const straight = {
      'packages/agent/src/index.ts': `export { x } from './a/x.ts';`,
      'packages/agent/src/a/x.ts': `import { y } from '../b/y.ts'; import { s } from '../shared.ts';`,
      'packages/agent/src/b/y.ts': `import type { Z } from '../shared.ts';`,
    };
    expect(folderCircles(straight)).toEqual([]);
  });
});

describe('the check of layers', () => {
  it.each([
    ['an import upwards', 'stages/prune.ts', `import { x } from '../context/prepare.ts';`],
    ['a type import upwards', 'stages/prune.ts', `import type { X } from '../context/prepare.ts';`],
    ['a codec in a stage', 'stages/prune.ts', `import { x } from '../codecs/anthropic/decode.ts';`],
    ['two codecs meeting', 'codecs/openai-chat/a.ts', `import type { X } from '../anthropic/wire.ts';`],
    ['a folder using its parts', 'codecs/codec.ts', `import { x } from './anthropic/decode.ts';`],
    ['a codec folder in wire', 'wire/validate.ts', `import type { X } from '../codecs/anthropic/wire.ts';`],
    ['codec code in wire', 'wire/validate.ts', `import { x } from '../codecs/codec.ts';`],
    ['the entry', 'context/prepare.ts', `import { x } from '../index.ts';`],
    ['a package', 'json/json.ts', `import { z } from 'zod';`],
    ['a built-in', 'json/json.ts', `import { createHash } from 'node:crypto';`],
    ['a folder without a row', 'utils/a.ts', `import { x } from '../json/json.ts';`],
  ])('finds %s', (_, path, text) => {
    expect(layerFaults({ [`packages/core/src/${path}`]: text })).toHaveLength(1);
  });

  it.each([
    ['codecs/openai-chat/decode.ts', `import { x } from '../codec.ts';`],
    ['codecs/openai-chat/decode.ts', `import { x } from './wire.ts';`],
    ['wire/validate.ts', `import type { X } from '../codecs/codec.ts';`],
    ['index.ts', `export { x } from './context/prepare.ts';`],
  ])('allows %s %s', (path, text) => {
    expect(layerFaults({ [`packages/core/src/${path}`]: text })).toEqual([]);
  });
});

describe('the check of purity', () => {
  it.each([
    'const at = Date.now();',
    'const at = new Date();',
    'const { now } = Date;',
    'const dice = Math.random();',
    'const { random } = Math;',
    'const at = performance.now();',
    'setTimeout(() => 1, 10);',
    'const home = process.env.HOME;',
    "console.log('x');",
    'const all = { process };',
    'const g = globalThis as unknown;',
    "const order = 'a'.localeCompare('b');",
    'const shown = (1).toLocaleString();',
  ])('finds %s', (text) => {
    expect(purityFaults({ 'packages/core/src/json/a.ts': text })).toHaveLength(1);
  });

  it.each([
    '// Date.now() is the clock',
    "const text = 'Math.random() and process.env';",
    'const at = Date.parse(text);',
    'const most = Math.max(1, 2);',
    'const step = { process: 1, console: 2 };',
    'const one = step.process;',
    'interface Row { readonly performance: number }',
    'const from = (at: Date) => at.getTime();',
  ])('allows %s', (text) => {
    expect(purityFaults({ 'packages/core/src/json/a.ts': text })).toEqual([]);
  });
});

describe('a memory of its own', () => {
  const known = 'const known = new WeakMap<Entry, number>();';

  it('is found in any file of core but the one that has them all', () => {
    expect(memoryFaults({ 'packages/core/src/json/a.ts': known })).toHaveLength(1);
    expect(memoryFaults({ 'packages/core/src/transcript/memory.ts': known })).toEqual([]);
  });
});

describe('the check of vendors', () => {
  it.each([
    ['packages/agent/src/turn.ts', `import OpenAI from 'openai';`],
    ['packages/ports/src/a.ts', `import type { X } from '@anthropic-ai/sdk/resources';`],
    ['packages/server/src/routes/a.ts', `import { DatabaseSync } from 'node:sqlite';`],
    ['packages/cli/src/commands/a.ts', `await import('pg');`],
    ['packages/testkit/src/a.ts', `import { generateText } from 'ai';`],
  ])('finds one in %s', (path, text) => {
    expect(vendorFaults({ [path]: text })).toHaveLength(1);
  });

  it.each([
    ['packages/drivers/src/openai/driver.ts', `import OpenAI from 'openai';`],
    ['packages/cli/src/main.ts', `import { DatabaseSync } from 'node:sqlite';`],
    ['packages/cli/src/composition/a.ts', `import pg from 'pg';`],
    ['packages/core/src/codecs/openai-chat/decode.ts', `import { x } from './openai.ts';`],
  ])('allows one in %s', (path, text) => {
    expect(vendorFaults({ [path]: text })).toEqual([]);
  });
});
