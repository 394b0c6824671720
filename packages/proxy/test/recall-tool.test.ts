import { createStrictUpstream } from '@throughline/testkit';
import { expect, it } from 'vitest';
import { startProxy } from './start-proxy.ts';

const windowTokens = 4_000;
const schema = { type: 'object', properties: { id: { type: 'string' } } };

/** A request whose results do not all fit, with the tools that a client offers. */
function bodyWith(tools: readonly string[]): string {
  const messages = Array.from({ length: 20 }, (_, turn) => [
    { role: 'user', content: `Question ${turn}` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${turn}`, type: 'function', function: { name: tools[0], arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `c${turn}`, content: 'The account was moved to the ledger. '.repeat(40) },
    { role: 'assistant', content: `Answer ${turn}` },
  ]).flat();
  return JSON.stringify({
    model: 'm',
    max_tokens: 300,
    messages: [...messages, { role: 'user', content: 'And now?' }],
    tools: tools.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
  });
}

async function sentWith(tools: readonly string[]): Promise<string> {
  const upstream = await createStrictUpstream({ windowTokens });
  await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
  const { status } = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: bodyWith(tools),
  });
  await upstream.stop();
  expect([status, upstream.faults]).toEqual([200, []]);
  return upstream.requests.at(-1)?.bytes.toString() ?? '';
}

const offer = 'The recall tool returns any of them by its id';

it.each(['context_recall', 'mcp__throughline__context_recall', 'throughline_context_recall'])(
  'a model whose client offers %s is told that it can recall what is out of view',
  async (name) => {
    expect(await sentWith(['read', name])).toContain(offer);
  },
);

it.each([['read'], ['read', 'recall'], ['read', 'mycontext_recall'], ['read', 'context_recall_all']])(
  'one with %s and %s alone is not: nobody would answer it',
  async (...names) => {
    const sent = await sentWith(names.filter((name) => name !== undefined));
    expect(sent).toContain('Record kept by the context manager');
    expect(sent).not.toContain('ecall tool');
    expect(sent).not.toContain('; recall ');
  },
);
