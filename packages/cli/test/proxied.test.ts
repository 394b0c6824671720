import { codecNamed } from '@throughline/importers/text';
import { createStrategy, openTranscript, parseState, renderView } from '@throughline/core';
import { createStrictUpstream } from '@throughline/testkit';
import { replay } from '@throughline/core/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { historyOf, key, openProxiedServer, output, question } from './proxied-support.ts';
import type { Client, HistoryMessage, ProxyConversation } from '@throughline/client';
import type { Dialect, ProxiedServer } from './proxied-support.ts';
import type { StrictUpstream } from '@throughline/testkit';

const windowTokens = 6_000;
const paths = { chat: 'chat', messages: 'messages', responses: 'responses' };
const dialects: readonly Dialect[] = ['chat', 'messages', 'responses'];

let upstream: StrictUpstream;
beforeAll(async () => {
  upstream = await createStrictUpstream({ windowTokens, answer: () => ({ text: 'It was moved.' }) });
});
afterAll(() => upstream.stop());

/** The conversations, when so many requests are written down: that happens behind the answers. */
async function written(client: Client, requests: number): Promise<readonly ProxyConversation[]> {
  const listed = (): Promise<readonly ProxyConversation[]> =>
    client.listProxyConversations().then(({ items }) => items);
  await vi.waitFor(
    async () =>
      expect((await listed()).reduce((sum, { requestCount }) => sum + requestCount, 0)).toBe(requests),
    { timeout: 60_000 },
  );
  return await listed();
}

async function allMessages(client: Client, id: string): Promise<readonly HistoryMessage[]> {
  const pages: (readonly HistoryMessage[])[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await client.listProxyMessages({ id, limit: 7, ...(cursor !== undefined && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(7);
    pages.push(page.items);
    cursor = page.next;
  }
  return pages.toReversed().flat();
}

const textOf = ({ parts }: HistoryMessage): string =>
  parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'call') return `${part.name} ${JSON.stringify(part.input)}`;
      if (part.type !== 'result') return part.type;
      return `${part.name}: ${part.content.map((one) => (one.type === 'text' ? one.text : '')).join('')}`;
    })
    .join('|');

/** What `textOf` says of the messages of `historyOf`. */
function expectedTexts(count: number): readonly string[] {
  return Array.from({ length: count }, (_, turn) => [
    question(turn),
    `read {"path":"${turn}.txt"}`,
    `read: ${output(turn)}`,
    `Answer ${turn}.`,
  ])
    .flat()
    .slice(0, -1);
}

describe.each(dialects)('a conversation of several windows over %s', (dialect) => {
  const turns = 40;
  const asked = [5, 12, 20, 21, 30, turns];
  let opened: ProxiedServer;
  let client: Client;
  let conversation: ProxyConversation;

  beforeAll(async () => {
    opened = await openProxiedServer([{ name: 'it', upstream: `${upstream.url}/v1`, windowTokens }]);
    client = opened.client();
    for (const count of asked)
      expect(await opened.ask({ dialect, history: historyOf(dialect, count) })).toBe(200);
    const list = await written(client, asked.length);
    expect(list).toHaveLength(1);
    [conversation] = list as [ProxyConversation];
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  it('is listed with what is known of it, and found by its id', async () => {
    expect(conversation).toMatchObject({
      route: 'it',
      model: 'm',
      title: question(0),
      label: null,
      parentId: null,
      messageCount: 4 * turns - 1,
      requestCount: asked.length,
    });
    expect(conversation.compactionCount).toBeGreaterThan(2);
    const { id } = conversation;
    expect(await client.getProxyConversation({ id })).toEqual(conversation);
    expect((await client.listProxyConversations({ route: 'another' })).items).toEqual([]);
  });

  it('has its whole history, whatever the model still sees of it', async () => {
    const messages = await allMessages(client, conversation.id);
    expect(messages.map(({ ordinal }) => ordinal)).toEqual(messages.map((_, index) => index));
    expect(messages.map(textOf)).toEqual(expectedTexts(turns));
    expect(new Set(messages.flatMap(({ marks }) => marks).map((mark) => Object.keys(mark).join()))).toContain(
      'isTruncated',
    );
  });

  it('has the passes that were made, and what each has changed can be recalled', async () => {
    const { items } = await client.listProxyCompactions({ id: conversation.id });
    expect(items.length).toBeGreaterThan(2);
    expect(items.map(({ isInForce }) => isInForce)).toEqual(
      items.map((_, index) => index === items.length - 1),
    );
    expect(items.every(({ tokensBefore, tokensAfter }) => tokensAfter < tokensBefore)).toBe(true);
    const last = items.findLast(({ summary }) => summary !== null);
    expect(last?.range?.end).toBeGreaterThan(20);
    expect(last?.summary).toContain('Question');
    const changed = items
      .flatMap(({ changes }) => changes)
      .filter(({ type }) => type === 'result-pruned' || type === 'result-truncated');
    expect(changed.length).toBeGreaterThan(0);
    const messages = await allMessages(client, conversation.id);
    for (const { recallId } of changed) {
      const ordinal = Number(/^m(\d+)/.exec(recallId)?.[1]);
      const recalled = await client.recallFromProxy({ id: conversation.id, recallId });
      expect(textOf(messages[ordinal] as HistoryMessage)).toBe(`read: ${recalled.text}`);
    }
  });

  it('tells what it takes to make its last request anew, as the upstream got it', async () => {
    const { items } = await client.listProxyChanges({ id: conversation.id });
    const made = await client.listProxyCompactions({ id: conversation.id });
    expect(items.map((pass) => ({ ...pass, state: undefined }))).toEqual(made.items);
    const { format, messages, timesMs, instructions } = await client.getProxyHistory({ id: conversation.id });
    expect(timesMs).toHaveLength(conversation.messageCount);
    const state = parseState(items.at(-1)?.state);
    const transcript = openTranscript({ codec: codecNamed(format)! }, messages);
    const { view, skipped } = replay(transcript.conversation, state.changes);
    expect(skipped).toEqual([]);
    const sent = upstream.requests.findLast(({ path }) => path.includes(paths[dialect]))?.json;
    expect(instructions?.tools).toEqual((sent as Record<string, unknown>)['tools'] ?? []);
    // Where they stand in front of the messages they are instructions all the same.
    const inFront = dialect === 'chat' ? [{ role: 'system', content: instructions?.system }] : [];
    expect([...inFront, ...renderView(transcript, view).messages.map(({ message }) => message)]).toEqual(
      (sent as Record<string, unknown>)[dialect === 'responses' ? 'input' : 'messages'],
    );
  });

  it('tells how full the context of its last request was, as the upstream counted it', async () => {
    const context = await client.getProxyContext({ id: conversation.id });
    expect(context.windowTokens).toBe(windowTokens);
    expect(context.currentTokens).toBe(conversation.lastUsage?.inputTokens);
    expect(context.estimated).toBe(false);
    expect(context.byCategory.summary).toBeGreaterThan(0);
    expect(context.byCategory.toolResults).toBeGreaterThan(0);
    const sum = Object.values(context.byCategory).reduce((all, tokens) => all + tokens, 0);
    expect(Math.round(sum)).toBe(context.currentTokens);
    expect(context.currentTokens).toBeLessThan(context.limit);
  });

  it('is searched, also what was taken out of view', async () => {
    const { id } = conversation;
    const { items } = await client.searchProxyConversation({ id, query: 'HARBOUR-3 ' });
    expect(items.map((hit) => hit.id)).toEqual([`m${4 * 3 + 2}`]);
    expect(items[0]?.excerpt).toContain('harbour-3 is open');
    const found = await client.searchProxyConversations({ query: 'harbour-3 ' });
    expect(found.items.map((one) => [one.conversation.id, one.hits.map((hit) => hit.id)])).toEqual([
      [id, items.map((hit) => hit.id)],
    ]);
    await expect(client.recallFromProxy({ id, recallId: 'm9999' })).rejects.toMatchObject({
      problem: { status: 404 },
    });
  });

  it('is not there any more when it is deleted, and there again when its client goes on', async () => {
    const { id } = conversation;
    expect(await client.deleteProxyConversation({ id })).toEqual({ ok: true });
    await expect(client.getProxyConversation({ id })).rejects.toMatchObject({ problem: { status: 404 } });
    await expect(client.listProxyMessages({ id })).rejects.toMatchObject({ problem: { status: 404 } });
    await expect(client.deleteProxyConversation({ id })).rejects.toMatchObject({ problem: { status: 404 } });
    expect((await client.listProxyConversations()).items).toEqual([]);
    await opened.ask({ dialect, history: historyOf(dialect, turns + 1) });
    const [again] = await written(client, 1);
    expect(again?.messageCount).toBe(4 * (turns + 1) - 1);
    const messages = await allMessages(client, again?.id ?? '');
    expect(messages.map(textOf)).toEqual(expectedTexts(turns + 1));
  });
});

describe('routes', () => {
  it('are told with what went through them, and without anything secret', async () => {
    const small = await createStrictUpstream({ windowTokens: 8_000 });
    const secret = `${small.url.replace('http://', 'http://name:password@')}/v1?key=secret`;
    const policy = { strategy: createStrategy('reactive-overflow') };
    await using opened = await openProxiedServer([
      { name: 'it', upstream: `${small.url}/v1`, apiKey: key, policy },
      { name: 'other', upstream: secret, windowTokens: 9_000, onFailure: 'closed' },
    ]);
    await opened.ask({ dialect: 'messages', history: historyOf('messages', 2) });
    small.setWindow(3_000);
    await opened.ask({ dialect: 'chat', history: historyOf('chat', 12) });
    const { items } = await opened.client().listProxyRoutes();
    await small.stop();
    expect(items).toMatchObject([
      {
        name: 'it',
        upstream: `${small.url}/v1`,
        strategy: 'reactive-overflow',
        windowTokens: null,
        onFailure: 'open',
        models: [{ model: 'm', windowTokens: 3_000, source: 'learned' }],
        traffic: { requests: 2, changed: 1, overflows: 1, restarts: 0, dialects: ['chat', 'messages'] },
      },
      {
        name: 'other',
        upstream: `${small.url}/v1`,
        windowTokens: 9_000,
        onFailure: 'closed',
        models: [],
        traffic: { requests: 0, dialects: [] },
      },
    ]);
    expect(JSON.stringify(items)).not.toMatch(/password|secret|the-key/);
  });

  it('count answers that were continued', async () => {
    const small = await createStrictUpstream({ windowTokens: 4_000 });
    await using opened = await openProxiedServer([
      { name: 'it', upstream: `${small.url}/v1`, windowTokens: 4_000 },
    ]);
    const history = [
      { role: 'user', content: `Hello. ${'The account was moved to the other ledger. '.repeat(220)}` },
      { role: 'assistant', content: 'It was.' },
      { role: 'user', content: 'Answer with 2400 tokens.' },
    ];
    expect(
      await opened.ask({ dialect: 'chat', history, more: { max_tokens: 6_000, tools: undefined } }),
    ).toBe(200);
    const { items } = await opened.client().listProxyRoutes();
    await small.stop();
    expect(items[0]?.traffic?.restarts).toBeGreaterThan(0);
  });
});

describe('conversations of several people', () => {
  const tokens = [
    { owner: 'ann', token: 'the-token-of-ann-0000' },
    { owner: 'bob', token: 'the-token-of-bob-1111' },
    { owner: '', token: 'the-token-of-nobody-2' },
  ] as const;
  const [ann, bob, nobody] = tokens;

  it('are those of their own token alone, under all of its keys', async () => {
    await using opened = await openProxiedServer(
      [{ name: 'it', upstream: `${upstream.url}/v1`, windowTokens }],
      { tokens },
    );
    const history = historyOf('chat', 20);
    const credentials = [
      [ann.token, 'key-one'],
      [ann.token, 'key-two'],
      [nobody.token, 'key-one'],
    ] as const;
    for (const [token, own] of credentials) {
      const headers = { 'x-throughline-token': token, authorization: `Bearer ${own}`, 'x-api-key': own };
      expect(await opened.ask({ dialect: 'chat', history, headers })).toBe(200);
    }
    const ofAnn = await written(opened.client(ann.token), 2);
    const ofNobody = await written(opened.client(nobody.token), 1);
    expect(ofAnn).toHaveLength(2);
    expect((await opened.client(bob.token).listProxyConversations()).items).toEqual([]);
    expect((await opened.client(bob.token).searchProxyConversations({ query: 'harbour' })).items).toEqual([]);
    const [one] = ofAnn as [ProxyConversation];
    for (const { token } of [bob, nobody]) {
      const { id } = one;
      const client = opened.client(token);
      const refused = [
        client.getProxyConversation({ id }),
        client.listProxyMessages({ id }),
        client.listProxyCompactions({ id }),
        client.getProxyContext({ id }),
        client.searchProxyConversation({ id, query: 'harbour' }),
        client.recallFromProxy({ id, recallId: 'm0' }),
        client.deleteProxyConversation({ id }),
      ];
      const answers = await Promise.allSettled(refused);
      expect(answers).toMatchObject(
        refused.map(() => ({ status: 'rejected', reason: { problem: { status: 404 } } })),
      );
    }
    // What one deletes stays with the others, though they have said the same.
    await opened.client(ann.token).deleteProxyConversation({ id: one.id });
    const [other] = ofAnn.filter(({ id }) => id !== one.id) as [ProxyConversation];
    expect(await allMessages(opened.client(ann.token), other.id)).toHaveLength(history.length);
    expect(await allMessages(opened.client(nobody.token), ofNobody[0]?.id ?? '')).toHaveLength(
      history.length,
    );
    expect(JSON.stringify([ofAnn, ofNobody])).not.toMatch(/key-one|key-two|the-token|scope/);
  });

  it('have no numbers of others: a route has its traffic only for the owner without a name', async () => {
    await using opened = await openProxiedServer(
      [{ name: 'it', upstream: `${upstream.url}/v1`, windowTokens }],
      { tokens },
    );
    const of = (token: string): Promise<unknown> =>
      opened
        .client(token)
        .listProxyRoutes()
        .then(({ items }) => items[0]?.traffic);
    expect(await of(ann.token)).toBeNull();
    expect(await of(nobody.token)).toMatchObject({ requests: 0 });
  });
});
