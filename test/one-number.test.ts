import { captureCli, temporaryFolder, writeInto } from '../packages/cli/test/support.ts';
import { describe, expect, it } from 'vitest';
import { forecast } from '../packages/web/src/inspect/forecast.ts';
import { fromFile, readFile } from '../packages/web/src/inspect/source/from-file.ts';
import { inspect } from '../packages/cli/src/commands/inspect.ts';
import { requestAt } from '../packages/web/src/inspect/request-at.ts';
import { samples } from '../packages/importers/test/samples.ts';
import type { Inspection } from '../packages/cli/src/inspect/inspection.ts';

async function ofCommand(text: string): Promise<Inspection> {
  const cli = captureCli();
  expect(await inspect([writeInto(temporaryFolder(), 'session.json', text)], { json: true }, cli)).toBe(0);
  const { files } = JSON.parse(cli.stdout()) as { readonly files: readonly [Inspection] };
  return files[0];
}

async function ofPage(text: string): Promise<{ readonly shown: number; readonly next: number }> {
  const inspected = fromFile(await readFile(new Blob([text]), 'session.json'));
  return {
    shown: requestAt(inspected, 'next').estimatedTokens,
    next: forecast(inspected).currentTokens,
  };
}

const user = (content: string): object => ({ role: 'user', content });
const answer = (content: string): object => ({ role: 'assistant', content });

/** The kinds of history of which less or more reaches a model than they hold. */
const odd = {
  'that ends with a call without a result': JSON.stringify([
    user('Look at it.'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }],
    },
    user('And now?'),
    answer('Nothing.'),
  ]),
  'that the provider has compacted': JSON.stringify([
    user('Count the words of every file. '.repeat(200)),
    answer('There are many. '.repeat(200)),
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA'.repeat(40) },
    user('Go on.'),
    answer('Done.'),
  ]),
};

describe('the command and the page say one number', () => {
  it.each(samples)('of $format, $name', async ({ text }) => {
    const { tokens } = await ofCommand(text);
    expect(await ofPage(text)).toEqual({ shown: tokens.total, next: tokens.total });
  });

  it.each(Object.entries(odd))('of a history %s', async (_, text) => {
    const { tokens, byRole, turns, wouldFree } = await ofCommand(text);
    expect(await ofPage(text)).toEqual({ shown: tokens.total, next: tokens.total });
    expect(wouldFree.compact.beforeTokens).toBe(tokens.total);
    for (const [parts, whole] of [
      [byRole, tokens.total],
      [turns, tokens.messages],
    ] as const) {
      const sum = parts.reduce((all, part) => all + part.tokens, 0);
      // Each part, and the whole, is rounded.
      expect(Math.abs(sum - whole)).toBeLessThanOrEqual(parts.length + 1);
    }
  });

  it('and the command says what is in a file and reaches no model', async () => {
    const { notes } = await ofCommand(odd['that the provider has compacted']);
    expect(notes.map(({ note }) => note).join(' ')).toMatch(/^[\d,.]+ tokens stand before a compaction/);
  });
});
