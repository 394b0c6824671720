import { describe, expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';
import { temporaryFolder, writeInto } from './support.ts';

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

interface Recorded {
  readonly written: string;
  readonly loaded: readonly string[];
}

/** What `throughline chat` on a terminal loads until its second line is complete, started in `folder`. */
function chatIn(folder: string, ...args: readonly string[]): Recorded {
  return recordIn(folder, 'window 32k\n', 'chat', ...args);
}

/** What a command loads until it has written this. */
function recordIn(folder: string, until: string, ...args: readonly string[]): Recorded {
  const { PATH, TMPDIR } = process.env;
  const { stderr } = spawnSync(
    process.execPath,
    [
      '--conditions=throughline-source',
      '--disable-warning=ExperimentalWarning',
      `--import=${new URL('record-modules.ts', import.meta.url).href}`,
      fileOf('../src/main.ts'),
      ...args,
    ],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH, TMPDIR, HOME: folder, TERM: 'xterm', COLUMNS: '200', RECORD_UNTIL: until },
    },
  );
  if (!stderr.startsWith('{')) throw new Error(stderr);
  return JSON.parse(stderr) as Recorded;
}

const packageOf = (url: string): string =>
  /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ??
  /\/packages\/([^/]+)\/src\//.exec(url)?.[1] ??
  url;

const ownOf = ({ loaded }: Recorded): readonly string[] =>
  loaded.filter((url) => /\/packages\/\w+\/src\//.test(url));

/** Of our own. A start that needs more is looked at: each module is a file to find, read and link. */
const mostOwnModules = 70;

describe('the start of a chat', () => {
  const folders = {
    'without a configuration': temporaryFolder,
    'with one': () => {
      const folder = temporaryFolder();
      writeInto(folder, 'throughline.yaml', 'model: demo\nagent: { maxSteps: 5 }\n');
      return folder;
    },
  };
  for (const [name, create] of Object.entries(folders)) {
    it(`shows model and window before the engine, the agent, a driver or a store is loaded, ${name}`, () => {
      const recorded = chatIn(create());
      expect(recorded.written).toMatch(
        /^throughline \S+ · .+ · Ctrl-D leaves · \/help\ndemo:scripted · window 32k\n$/,
      );
      const packages = [...new Set(recorded.loaded.map(packageOf))].toSorted();
      expect(packages).toEqual(['cli', 'commander', 'config', 'core', 'importers', 'yaml', 'zod']);
      const ofImporters = recorded.loaded.filter((url) => packageOf(url) === 'importers');
      expect(ofImporters.map((url) => url.split('/').at(-1))).toEqual(['format-names.ts']);
      const own = ownOf(recorded);
      expect(own.length > mostOwnModules ? own : []).toEqual([]);
    });
  }

  it('has no table of all scripts to load unless the name of the folder needs it', () => {
    const { loaded } = chatIn(temporaryFolder(), '--workspace', 'Äpfel');
    expect(loaded.map(packageOf)).not.toContain('string-width');
    expect(chatIn(temporaryFolder(), '--workspace', '日本').loaded.map(packageOf)).toContain('string-width');
  });
});

/** Of our own, until requests are answered. */
const mostServedModules = 480;

describe('the start of a server', () => {
  it('listens before what nobody has asked for yet is loaded', () => {
    const recorded = recordIn(temporaryFolder(), ' serves at ', 'serve', '--port', '0');
    const packages = new Set(recorded.loaded.map(packageOf));
    for (const late of [
      '@modelcontextprotocol/sdk',
      '@agentclientprotocol/sdk',
      'ajv',
      'openai',
      '@anthropic-ai/sdk',
      'ai',
      'pg',
    ])
      expect(packages, late).not.toContain(late);
    const ofImporters = recorded.loaded.filter((url) => packageOf(url) === 'importers');
    expect(ofImporters.map((url) => url.split('/').at(-1))).toEqual(['format-names.ts']);
    const own = ownOf(recorded);
    expect(own.length > mostServedModules ? own : []).toEqual([]);
  });
});
