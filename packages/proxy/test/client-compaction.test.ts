import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { startProxy } from './start-proxy.ts';
import { talk } from './askers.ts';
import type { Said } from './askers.ts';
import type { StartedProxy } from './start-proxy.ts';

const windowTokens = 4_000;
const filler = 'The account of the customer was moved to the other ledger because it was closed. '.repeat(12);
const history = talk(30, (turn) => `Question ${turn}: why was it moved? ${filler}`);
const order =
  'Answer in text only. Write an <analysis> block and then a <summary> block of the conversation.';

interface Client {
  readonly path: string;
  readonly body: (said: readonly Said[]) => object;
  /** How it asks for a summary of what was said. */
  readonly compaction: (said: readonly Said[]) => object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limit: string;
}

const items = (said: readonly Said[]): object[] => said.map(({ role, text }) => ({ role, content: text }));

const clients: Readonly<Record<string, Client>> = {
  'a text behind the last message': {
    path: '/v1/messages',
    body: (said) => ({ model: 'm', max_tokens: 500, messages: items(said) }),
    compaction: (said) => ({
      model: 'm',
      max_tokens: 32_000,
      messages: [
        ...items(said),
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Go on.' },
            { type: 'text', text: order },
          ],
        },
      ],
    }),
    limit: 'max_tokens',
  },
  'a last item without tools': {
    path: '/v1/responses',
    body: (said) => ({ model: 'm', max_output_tokens: 500, input: items(said) }),
    compaction: (said) => ({
      model: 'm',
      max_output_tokens: 32_000,
      tools: [],
      parallel_tool_calls: false,
      input: [
        ...items(said),
        { role: 'user', content: 'You are performing a CONTEXT CHECKPOINT. Write a hand-off.' },
      ],
    }),
    limit: 'max_output_tokens',
  },
  'a header that says so': {
    path: '/v1/responses',
    body: (said) => ({ model: 'm', max_output_tokens: 500, input: items(said) }),
    compaction: (said) => ({
      model: 'm',
      max_output_tokens: 32_000,
      input: [...items(said), { role: 'user', content: 'Sum it up.' }],
    }),
    headers: { 'x-codex-turn-metadata': JSON.stringify({ request_kind: 'compaction' }) },
    limit: 'max_output_tokens',
  },
  'an order for the sections of a summary': {
    path: '/v1/chat/completions',
    body: (said) => ({ model: 'm', max_tokens: 500, messages: items(said) }),
    compaction: (said) => ({
      model: 'm',
      max_tokens: 32_000,
      messages: [
        ...items(said),
        {
          role: 'user',
          content: '## Goal\n## Constraints & Preferences\n## Progress\n## Key Decisions\n## Next Steps',
        },
      ],
    }),
    limit: 'max_tokens',
  },
};

const post = async (
  { url }: StartedProxy,
  { path, headers }: Pick<Client, 'path' | 'headers'>,
  body: object,
): Promise<Response> => {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(body),
  });
  await answer.clone().text();
  return answer;
};

const actionOf = ({ headers }: Response): string | null => headers.get('x-context-action');
const checkpointOf = ({ headers }: Response): string | null => headers.get('x-context-checkpoint');

describe.each(Object.entries(clients))('a compaction by the client, told by %s', (_name, client) => {
  it('gets the changes of its conversation, starts none, and leaves nothing behind', async () => {
    const upstream = await createStrictUpstream({ windowTokens, countsMaxTokens: true });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const turn = { path: client.path };
    const before = await post(proxy, turn, client.body(history));
    const said: readonly Said[] = [...history, { role: 'assistant', text: 'Because it was closed.' }];
    const compaction = await post(proxy, client, client.compaction(said));
    const after = await post(proxy, turn, client.body([...said, { role: 'user', text: 'And then?' }]));
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([before, compaction, after].map(actionOf)).toEqual(['compacted', 'client-compaction', 'replayed']);
    expect(checkpointOf(after)).toBe(checkpointOf(before));
    const sent = upstream.requests[1]?.json as Readonly<Record<string, number>>;
    const limit = sent[client.limit] ?? 0;
    expect(limit).toBeGreaterThanOrEqual(1_024);
    expect(limit).toBeLessThan(windowTokens);
    expect(proxy.lines.filter((line) => line.includes('compaction:'))).toHaveLength(1);
  });

  it('is answered although its history fits no window, and the history stays as it was', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const compaction = await post(proxy, client, client.compaction(history.slice(0, -1)));
    const after = await post(proxy, { path: client.path }, client.body(history));
    await upstream.stop();
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests.map(({ status }) => status)).toEqual([200, 200]);
    expect([compaction, after].map(actionOf)).toEqual(['client-compaction', 'compacted']);
  });

  it('that the upstream calls too large is made smaller', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`);
    const compaction = await post(proxy, client, client.compaction(history.slice(0, -1)));
    await upstream.stop();
    expect(actionOf(compaction)).toBe('client-compaction');
    expect(upstream.requests.map(({ status }) => status)).toEqual([400, 200]);
  });
});

describe('what follows the compaction of a client', () => {
  it.each([false, true])(
    'comes from the old conversation of its session; a title does not (a tool of ours: %s)',
    async (recall) => {
      const upstream = await createStrictUpstream({ windowTokens });
      await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall });
      const client = clients['a text behind the last message'] as Client;
      const headers = { 'x-claude-code-session-id': 's1' };
      const ask = (body: object): Promise<Response> => post(proxy, { path: client.path, headers }, body);
      const isLinked = (): boolean => proxy.lines.some((line) => line.includes('goes on behind'));
      await ask(client.body(history));
      await ask(client.compaction([...history, { role: 'assistant', text: 'So.' }]));
      await ask(client.body([{ role: 'user', text: 'A title for it, please.' }]));
      expect(isLinked()).toBe(false);
      const short = talk(2, () => 'This session is continued from a previous conversation.');
      const next = await ask(client.body(short));
      await upstream.stop();
      expect(isLinked()).toBe(true);
      expect(actionOf(next)).toBe('none');
    },
  );
});

describe('a question about summaries', () => {
  it('of a client with tools is a turn like any other', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const tools = [{ type: 'function', name: 'read', parameters: {}, strict: false }];
    const question = { role: 'user' as const, text: 'Write a summary of the conversation.' };
    const body = { model: 'm', input: items([...history.slice(0, -1), question]), tools };
    const answer = await post(proxy, { path: '/v1/responses' }, body);
    await upstream.stop();
    expect(actionOf(answer)).toBe('compacted');
  });
});
