import { describe, expect, it } from 'vitest';
import { compatibleRoutes } from '../../src/compatible/compatible-routes.ts';
import { openBench, serve } from '../support/serve.ts';
import type { Bench } from '../support/serve.ts';

interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

interface Api {
  readonly path: string;
  /** A turn, as programs of this API ask for one. */
  readonly turn: (messages: readonly Said[], previous?: string) => object;
  /** A title: the same history and one message more, for a few tokens. */
  readonly title: (messages: readonly Said[], previous?: string) => object;
}

const tools = [{ type: 'function', name: 'read', function: { name: 'read' }, input_schema: {} }];
const model = 'throughline';
const newest = (messages: readonly Said[], previous?: string): object =>
  previous === undefined
    ? { input: messages }
    : { input: messages.slice(-1), previous_response_id: previous };

const apis: Readonly<Record<string, Api>> = {
  'Chat Completions': {
    path: '/v1/chat/completions',
    turn: (messages) => ({ model, messages, tools, temperature: 1 }),
    title: (messages) => ({ model, messages, max_tokens: 20 }),
  },
  Responses: {
    path: '/v1/responses',
    turn: (input) => ({ model, input, tools }),
    title: (input) => ({ model, input, text: { format: { type: 'json_schema' } } }),
  },
  'Responses that name the one before': {
    path: '/v1/responses',
    turn: (messages, previous) => ({ model, tools, ...newest(messages, previous) }),
    title: (messages, previous) => ({ model, max_output_tokens: 32, ...newest(messages, previous) }),
  },
  Messages: {
    path: '/v1/messages',
    turn: (messages) => ({ model, messages, tools, max_tokens: 8_000 }),
    title: (messages) => ({ model, messages, max_tokens: 30 }),
  },
};

const user = (content: string): Said => ({ role: 'user', content });
const assistant = (content: string): Said => ({ role: 'assistant', content });

type Ask = (body: object, headers?: Readonly<Record<string, string>>) => Promise<Asked>;

interface Asked {
  readonly session: string;
  readonly id: string;
}

async function open(api: Api, texts: readonly string[]): Promise<Bench & { readonly ask: Ask }> {
  const bench = await openBench(texts.map((text) => ({ text })));
  const address = await serve(compatibleRoutes(bench.services));
  const ask: Ask = async (body, headers = {}) => {
    const answer = await fetch(address + api.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const { id } = (await answer.json()) as { id: string };
    return { session: answer.headers.get('x-session-id') ?? '', id };
  };
  return { ...bench, ask };
}

async function textsOf({ store }: Bench, sessionId: string): Promise<readonly string[]> {
  const messages = await store.history.messages(sessionId, 0, 100);
  return messages.map(({ message }) =>
    message.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(),
  );
}

describe.each(Object.entries(apis))('a title that is asked for on the side, over %s,', (_, api) => {
  it.each([[{}], [{ 'x-session-id': 'mine' }]])(
    'is a branch, and no message of the session (%j)',
    async (headers) => {
      const bench = await open(api, ['One', 'A title', 'Two', 'Another title', 'Three']);
      const { ask, driver } = bench;
      const first = await ask(api.turn([user('A')]), headers);
      const said = [user('A'), assistant('One')];
      const title = await ask(api.title([...said, user('Name this')], first.id), headers);
      const second = await ask(api.turn([...said, user('B')], first.id), headers);
      const more = [...said, user('B'), assistant('Two')];
      const other = await ask(api.title([...more, user('Name this')], second.id), headers);
      const third = await ask(api.turn([...more, user('C')], second.id), headers);
      expect([second.session, third.session]).toEqual([first.session, first.session]);
      expect(await textsOf(bench, first.session)).toEqual(['A', 'One', 'B', 'Two', 'C', 'Three']);
      expect(await textsOf(bench, title.session)).toEqual(['A', 'One', 'Name this', 'A title']);
      expect(await textsOf(bench, other.session)).toEqual([
        'A',
        'One',
        'B',
        'Two',
        'Name this',
        'Another title',
      ]);
      for (const request of [driver.requests[2], driver.requests[4]])
        expect(JSON.stringify(request?.messages)).not.toContain('itle');
    },
  );

  it('goes on where it was, if that is what the program goes on with', async () => {
    const bench = await open(api, ['One', 'Two', 'Three']);
    const first = await bench.ask(api.turn([user('A')]));
    const said = [user('A'), assistant('One'), user('B')];
    const second = await bench.ask(api.title(said, first.id));
    const third = await bench.ask(api.title([...said, assistant('Two'), user('C')], second.id));
    expect(third.session).toBe(second.session);
    expect(await textsOf(bench, third.session)).toEqual(['A', 'One', 'B', 'Two', 'C', 'Three']);
  });

  it('that is asked for as every turn is leaves the conversation as it was, in a fork', async () => {
    const bench = await open(api, ['One', 'A title', 'Two', 'Three']);
    const first = await bench.ask(api.turn([user('A')]));
    const said = [user('A'), assistant('One')];
    const title = await bench.ask(api.turn([...said, user('Name this')], first.id));
    const second = await bench.ask(api.turn([...said, user('B')], first.id));
    const third = await bench.ask(api.turn([...said, user('B'), assistant('Two'), user('C')], second.id));
    expect(await textsOf(bench, title.session)).toEqual(['A', 'One', 'Name this', 'A title']);
    expect(third.session).toBe(second.session);
    expect(await textsOf(bench, third.session)).toEqual(['A', 'One', 'B', 'Two', 'C', 'Three']);
  });
});
