import { agentCodec } from '@throughline/core/internal';
import { captureCli, temporaryFolder, writeInto } from '../packages/cli/test/support.ts';
import { createStrategy, emptyState, openTranscript, prepare, recordUsage } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { forecast } from '../packages/web/src/inspect/forecast.ts';
import { fromFile, readFile } from '../packages/web/src/inspect/source/from-file.ts';
import { inspect } from '../packages/cli/src/commands/inspect.ts';
import { requestAt } from '../packages/web/src/inspect/request-at.ts';
import { samples } from '../packages/importers/test/samples.ts';
import type { SessionMessage } from '@throughline/core/codec';
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

/** As our own store writes it. */
function compactedExport(): string {
  const messages = Array.from({ length: 40 }, (_, at) => ({
    id: `i${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    parts: [
      ...(at % 2 === 0 ? [] : [{ type: 'reasoning', text: 'Never sent. '.repeat(20) }]),
      { type: 'text', text: `${at}: what is in it? `.repeat(40) },
    ],
  })) as unknown as readonly SessionMessage[];
  const transcript = openTranscript({ codec: agentCodec }, messages.slice(0, 39));
  const policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 6_000 } };
  const step = prepare(transcript, emptyState(), policy);
  if (step.type !== 'ready') throw new Error(step.type);
  const counted = recordUsage(transcript, step.state, { inputTokens: 3_500, windowTokens: 6_000 });
  const { changes, ...state } = counted;
  const lines = [
    { line: 'session', id: 's', state },
    ...messages.map((message) => ({ line: 'message', message })),
    ...changes.map((change) => ({ line: 'change', change })),
  ];
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

describe('the command and the page say one number', () => {
  it.each(samples)('of $format, $name', async ({ text }) => {
    const { tokens, nextRequest } = await ofCommand(text);
    const counted = nextRequest?.countedTokens ?? tokens.total;
    expect(await ofPage(text)).toEqual({ shown: tokens.total, next: counted });
  });

  it('of a session of our own that was compacted: what is sent, and what was said', async () => {
    const { tokens, nextRequest } = await ofCommand(compactedExport());
    expect(nextRequest).toMatchObject({ isCompacted: true });
    expect(nextRequest?.tokens).toBeLessThan(tokens.total);
    const { tokens: shown = 0, countedTokens } = nextRequest ?? {};
    expect(await ofPage(compactedExport())).toEqual({ shown, next: countedTokens ?? shown });
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
