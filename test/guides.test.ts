import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];

/** Targets of the links of a page that lead to files of the tree, from the root. */
function linkedFiles(page: string): string[] {
  const targets = [...read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !target.startsWith('http')).map((target) => join(dirname(page), target));
}

/** What a guide tells its reader to write is not there yet. */
const filesToWrite = ['importers/src/formats/small-talk.ts'];

/** Source files and folders that a page names in code, as `agent/src/turn`, below `packages`. */
function namedSources(page: string): string[] {
  const named = [...read(page).matchAll(/`(?:packages\/)?([a-z]+\/src\/[\w./-]+)`/g)];
  return named.map(([, path = '']) => path).filter((path) => !filesToWrite.includes(path));
}

/** What the guides quote: a block that begins so, and the example that runs it. */
const quotes = [
  ['docs/guides/writing-a-strategy.md', 'const early: Strategy', 'examples/library/own-strategy.ts'],
  ['docs/guides/writing-a-strategy.md', 'const useless: Strategy', 'examples/library/own-strategy.ts'],
  ['docs/guides/writing-a-strategy.md', 'const half: Strategy', 'packages/core/test/own-strategy.test.ts'],
  ['docs/guides/writing-a-codec.md', 'const relayCodec: Codec', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-codec.md', 'const samples = [', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-codec.md', 'function mend(', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-codec.md', 'function rules()', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-codec.md', 'function decode(wire', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-codec.md', 'function decodeSteps', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-codec.md', 'const edits: EditTable', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-codec.md', 'const withoutEmptySteps', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-codec.md', 'function compose(', 'examples/library/own-codec.ts'],
  ['docs/guides/writing-a-profile.md', 'const supportDesk: Profile', 'examples/library/own-profile.ts'],
  ['docs/guides/writing-a-profile.md', 'Use exactly these headings', 'examples/library/support-desk.md'],
  ['docs/guides/writing-a-store.md', 'export async function openMyStore', 'packages/stores/test/my-store.ts'],
  [
    'docs/guides/writing-an-importer.md',
    'export function ownsSmallTalkLine',
    'packages/importers/test/small-talk.ts',
  ],
  ['docs/guides/writing-an-importer.md', 'function convertLog(', 'examples/library/convert-log.ts'],
  ['docs/guides/use-chat.md', 'import { useChat }', 'packages/server/test/guides/chat.tsx'],
  ['docs/guides/use-chat.md', 'interface PartProps', 'packages/server/test/guides/chat.tsx'],
  [
    'docs/guides/model-clients.md',
    'export async function talkAsOpenai',
    'packages/server/test/guides/model-clients.ts',
  ],
  [
    'docs/guides/model-clients.md',
    'export async function talkAsAnthropic',
    'packages/server/test/guides/model-clients.ts',
  ],
  ['docs/library.md', 'function answerRecall(', 'examples/library/keep-fitting.ts'],
  ['docs/library.md', 'function loadFor(', 'examples/library/partly-loaded.ts'],
  ['docs/adapters.md', 'const fitted = await fitResponses', 'examples/openai/responses-loop.ts'],
] as const;

describe('the docs', () => {
  it.each(pages)('%s links to files that are there', (page) => {
    expect(linkedFiles(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(pages.filter((page) => !page.includes('decisions')))('%s names sources that are there', (page) => {
    expect(
      namedSources(page).filter(
        (path) => !existsSync(join(root, path.startsWith('bench/') ? '' : 'packages', path)),
      ),
    ).toEqual([]);
  });

  it.each(quotes)('%s quotes "%s" as %s has it', (guide, beginning, example) => {
    const text = read(guide);
    const from = text.indexOf(beginning);
    const block = text.slice(from, text.indexOf('\n```', from));
    expect(from).toBeGreaterThan(0);
    expect(read(example)).toContain(block);
  });
});
