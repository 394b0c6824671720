import OpenAI from 'openai';
import { describe, expect, it, vi } from 'vitest';
import { compatibleRoutes } from '../../src/compatible/compatible-routes.ts';
import { seedSession } from '../../src/compatible/conversation/seed-session.ts';
import { look, openBench, serve } from '../support/serve.ts';
import type { Bench, Script } from '../support/serve.ts';

const model = 'throughline';
type Message = OpenAI.ChatCompletionMessageParam;
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

interface Opened extends Bench {
  readonly client: OpenAI;
  /** Asks, and says which session has answered. */
  readonly ask: (
    messages: Message[],
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly text: string; readonly sessionId: string }>;
}

async function open(script: Script, options: Parameters<typeof openBench>[1] = {}): Promise<Opened> {
  const bench = await openBench(script, options);
  const address = await serve(compatibleRoutes(bench.services));
  const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none' });
  const ask: Opened['ask'] = async (messages, headers = {}) => {
    const { data, response } = await client.chat.completions
      .create({ model, messages }, { headers })
      .withResponse();
    return {
      text: data.choices[0]?.message.content ?? '',
      sessionId: response.headers.get('x-session-id') ?? '',
    };
  };
  return { ...bench, client, ask };
}

describe('the session header of a client names what it does, and a history one conversation of it', () => {
  const headers = { 'x-session-id': 'mine' };

  it('keeps side calls out of the session', async () => {
    const { ask, store, driver } = await open([{ text: 'One' }, { text: 'A title' }, { text: 'Two' }]);
    const first = await ask([user('A')], headers);
    const title = await ask([{ role: 'system', content: 'Write a title.' }, user('A')], headers);
    const second = await ask([user('A'), assistant('One'), user('B')], headers);
    expect([first.sessionId, second.sessionId]).toEqual(['mine', 'mine']);
    expect(title.sessionId).not.toBe('mine');
    expect((await store.sessions.read('mine')).messageCount).toBe(4);
    expect(JSON.stringify(driver.requests[2]?.messages)).not.toContain('title');
  });

  it('finds each of its conversations again, whichever came first', async () => {
    const { ask } = await open([{ text: 'A title' }, { text: 'One' }, { text: 'Two' }, { text: 'Another' }]);
    const title = await ask([user('Name this')], headers);
    const main = await ask([user('A')], headers);
    const next = await ask([user('A'), assistant('One'), user('B')], headers);
    const renamed = await ask([user('Name this'), assistant('A title'), user('Shorter')], headers);
    expect([title.sessionId, renamed.sessionId]).toEqual(['mine', 'mine']);
    expect(next.sessionId).toBe(main.sessionId);
    expect(main.sessionId).not.toBe('mine');
  });

  it('keeps conversations of two headers apart, though they are the same', async () => {
    const { ask } = await open([{ text: 'One' }, { text: 'One' }, { text: 'Two' }]);
    await ask([user('A')], headers);
    const other = await ask([user('A')], { 'x-session-id': 'yours' });
    const next = await ask([user('A'), assistant('One'), user('B')], headers);
    expect([other.sessionId, next.sessionId]).toEqual(['yours', 'mine']);
  });

  it('follows a client that has edited its history, into a session of its own', async () => {
    const { ask, store, driver } = await open([{ text: 'One' }, { text: 'Two' }]);
    await ask([user('A')], headers);
    const edited = await ask([user('A'), assistant('Something else'), user('B')], headers);
    expect(edited.sessionId).not.toBe('mine');
    expect((await store.sessions.read('mine')).messageCount).toBe(2);
    expect(driver.requests[1]?.messages).toHaveLength(3);
  });
});

describe('a client that says something else in the place of what it said last', () => {
  const script: Script = [
    { calls: [{ callId: 'c', name: 'look', input: { at: 'the sea' } }] },
    { text: 'Water.' },
    { text: 'Two' },
    { text: 'Other' },
    { text: 'More' },
  ];
  const begun = [user('Look'), assistant('Water.')];

  it('is answered in a fork, which knows what the tools did before', async () => {
    const { ask, store, driver } = await open(script, { tools: [look] });
    await ask([user('Look')]);
    const first = await ask([...begun, user('What now?')]);
    const edited = await ask([...begun, user('Something else')]);
    const info = await store.sessions.read(edited.sessionId);
    expect(info).toMatchObject({ parentSessionId: first.sessionId, forkedAt: 4 });
    const sent = JSON.stringify(driver.requests[3]?.messages);
    expect(sent).toContain('seen the sea');
    expect(sent).not.toContain('What now?');
    const next = await ask([...begun, user('Something else'), assistant('Other'), user('Go on')]);
    expect(next.sessionId).toBe(edited.sessionId);
    expect((await store.sessions.read(first.sessionId)).messageCount).toBe(6);
  });

  it('so is one that asks for the same answer once more, and under the name of its session', async () => {
    const { ask, store } = await open(script, { tools: [look] });
    const headers = { 'x-session-id': 'mine' };
    await ask([user('Look')], headers);
    await ask([...begun, user('What now?')], headers);
    const again = await ask([...begun, user('What now?')], headers);
    expect(again.text).toBe('Other');
    expect((await store.sessions.read(again.sessionId)).parentSessionId).toBe('mine');
    const next = await ask([...begun, user('What now?'), assistant('Other'), user('Go on')], headers);
    expect(next.sessionId).toBe(again.sessionId);
  });
});

describe('requests that go on with the same history at the same moment', () => {
  const questions = ['Red?', 'Green?', 'Blue?', 'Grey?'];
  const script: Script = [{ text: 'One' }, ...questions.map(() => ({ text: 'An answer' }))];

  /** What was asked last in each request to the model but the first, without the notes of the runtime. */
  const askedOf = ({ driver }: Opened): readonly (readonly string[])[] =>
    driver.requests
      .slice(1)
      .map(({ messages }) => questions.filter((question) => JSON.stringify(messages).includes(question)));

  it.each([
    ['of one name', { 'x-session-id': 'mine' }],
    ['without a name', {}],
  ] as const)('are answered each by itself: %s', async (_, headers) => {
    const opened = await open(script);
    await opened.ask([user('A')], headers);
    const history = [user('A'), assistant('One')];
    const answers = await Promise.all(
      questions.map((question) => opened.ask([...history, user(question)], headers)),
    );
    expect(askedOf(opened).map(String).toSorted()).toEqual(questions.toSorted());
    expect(new Set(answers.map(({ sessionId }) => sessionId)).size).toBe(questions.length);
  });

  it('so are the first ones of a name', async () => {
    const opened = await open(script);
    const headers = { 'x-session-id': 'mine' };
    await Promise.all(['A', ...questions].map((question) => opened.ask([user(question)], headers)));
    expect(opened.driver.requests.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1, 1]);
    expect(askedOf(opened).every((asked) => asked.length === 1)).toBe(true);
  });

  it('so are those that name the same response', async () => {
    const opened = await open(script);
    const { client } = opened;
    const { id } = await client.responses.create({ model, input: 'A' });
    await Promise.all(
      questions.map((input) => client.responses.create({ model, input, previous_response_id: id })),
    );
    expect(askedOf(opened).map(String).toSorted()).toEqual(questions.toSorted());
  });
});

describe('a long conversation', () => {
  /** As a client has it, and as a session that was made of it. */
  async function openLong(turns: number): Promise<Opened & { readonly messages: Message[] }> {
    const opened = await open(Array.from({ length: 3 }, (_, n) => ({ text: `Answer ${n}` })));
    const messages = Array.from({ length: turns }, (_, n) => [
      user(`Question ${n}`),
      assistant(`Said ${n}`),
    ]).flat();
    const session = await opened.agent.create({ id: 'long' });
    await seedSession(
      opened.agent,
      session,
      Array.from({ length: turns }, (_, n) => [
        { role: 'user', parts: [{ type: 'text', text: `Question ${n}` }] } as const,
        { role: 'assistant', parts: [{ type: 'text', text: `Said ${n}` }] } as const,
      ]).flat(),
    );
    return { ...opened, messages };
  }

  it('is read once: after that only what is new', async () => {
    const { ask, store, messages } = await openLong(300);
    const headers = { 'x-session-id': 'long' };
    const read = vi.spyOn(store.history, 'messages');
    const earliest = (): number => Math.min(...read.mock.calls.map(([, first]) => first));
    expect((await ask([...messages, user('Next')], headers)).sessionId).toBe('long');
    expect(earliest()).toBe(0);
    read.mockClear();
    const next = [...messages, user('Next'), assistant('Answer 0'), user('And next')];
    expect((await ask(next, headers)).sessionId).toBe('long');
    expect(earliest()).toBeGreaterThan(590);
  });

  it('that was changed far back is another one, though it was read before', async () => {
    const { ask, messages } = await openLong(300);
    const headers = { 'x-session-id': 'long' };
    await ask([...messages, user('Next')], headers);
    const changed = messages.with(10, user('Changed'));
    const next = [...changed, user('Next'), assistant('Answer 0'), user('And next')];
    expect((await ask(next, headers)).sessionId).not.toBe('long');
  });

  it('that was deleted is not taken for the one that is made of its id', async () => {
    const { ask, store, messages } = await openLong(3);
    const headers = { 'x-session-id': 'long' };
    await ask([...messages, user('Next')], headers);
    await store.sessions.delete('long');
    const again = await ask([user('Hello')], headers);
    expect([again.sessionId, (await store.sessions.read('long')).messageCount]).toEqual(['long', 2]);
    expect((await ask([user('Hello'), assistant(again.text), user('More')], headers)).sessionId).toBe('long');
  });

  it('of nothing but messages of the user is read in a time that grows as it does', async () => {
    const { client } = await open([{ text: 'One' }]);
    const messages = Array.from({ length: 150_000 }, () => user('x'));
    // Whatever becomes of it: where each message copied those before it, it would never come to an end.
    await client.chat.completions.create({ model: 'nobody', messages }).catch((error: unknown) => {
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    });
    expect.assertions(1);
  });
});

it('a branch off an earlier response knows what the tools did until then', async () => {
  const { client, driver } = await open(
    [
      { calls: [{ callId: 'c', name: 'look', input: { at: 'the sea' } }] },
      { text: 'Water.' },
      { text: 'Two' },
      { text: 'Three' },
    ],
    { tools: [look] },
  );
  const first = await client.responses.create({ model, input: 'Look' });
  const previous = { model, previous_response_id: first.id };
  await client.responses.create({ ...previous, input: 'What now?' });
  await client.responses.create({ ...previous, input: 'Something else' });
  const branched = JSON.stringify(driver.requests[3]?.messages);
  expect(branched).toContain('seen the sea');
  expect(branched).toContain('Something else');
  expect(branched).not.toContain('What now?');
});
