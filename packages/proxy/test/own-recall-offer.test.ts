import { createStrictUpstream } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import {
  askRecalling,
  bodyAt,
  clientTool,
  hear,
  recalls,
  saying,
  secret,
  toolName,
  windowTokens,
} from './recalling.ts';
import { callOf, dialectNames } from './questions.ts';
import { openCall, rawCall } from './raw-call.ts';
import { startProxy } from './start-proxy.ts';
import type { DialectName } from '../src/stream/dialect-streams.ts';
import type { Failure } from '@throughline/testkit';

const forms = dialectNames.flatMap((dialect) => [true, false].map((isStreamed) => ({ dialect, isStreamed })));
const read = { name: 'read', input: { path: 'a.ts' } };

/** A request that is left alone. */
interface Left {
  readonly more?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The tools of a body, as they stand there. */
function toolsIn(
  body: string,
): readonly { readonly name?: string; readonly function?: { readonly name: string } }[] {
  return (JSON.parse(body) as { readonly tools?: readonly object[] }).tools ?? [];
}
const namesIn = (body: string): readonly unknown[] =>
  toolsIn(body).map(({ name, function: called }) => name ?? called?.name);

describe.each(dialectNames)('a route that recalls, over %s', (dialect) => {
  it('offers its tool from the first request on, in the same bytes, behind those of the client', async () => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true });
    const { path, headers, body } = callOf({ dialect, isStreamed: false });
    const odd =
      '[ {"type" : "function","name":"\\u0061", "function":{"name":"a"},"n":1.50,"input_schema":{"type":"object"}} ]';
    const sent = `${body.slice(0, -1)}, "tools":${odd} , "metadata":{}}`;
    await rawCall(proxy.url, { path, headers, body: sent });
    await rawCall(proxy.url, { path, headers, body });
    await rawCall(proxy.url, { path, headers, body: `{"tools":null,${body.slice(1)}` });
    await rawCall(proxy.url, { path, headers, body: `{"tools":[ ],${body.slice(1)}` });
    await upstream.stop();
    const [first = '', ...others] = upstream.requests.map((_, at) => bodyAt(upstream, at));
    const own = JSON.stringify(toolsIn(first).at(-1));
    expect(own).toContain(`"name":"${toolName}"`);
    expect(first).toBe(sent.replace('} ]', `},${own} ]`));
    for (const other of others) expect(other).toContain(`"tools":[${own}]`);
    expect(others[0]).toBe(`{"tools":[${own}],${body.slice(1)}`);
    expect(upstream.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  const structured = {
    chat: {
      response_format: { type: 'json_schema', json_schema: { name: 'it', schema: { type: 'object' } } },
    },
    messages: { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    responses: { text: { format: { type: 'json_schema', name: 'it', schema: { type: 'object' } } } },
  };
  const mcp = clientTool(dialect, 'mcp__throughline__context_recall');
  const own: Readonly<Record<DialectName, readonly (readonly [string, Left])[]>> = {
    chat: [
      ['several answers', { more: { n: 2 } }],
      ['functions of old', { more: { functions: [{ name: 'read', parameters: {} }] } }],
    ],
    messages: [],
    responses: [['a history that the server holds', { more: { previous_response_id: 'r1' } }]],
  };
  const codex = { 'x-codex-turn-metadata': '{"request_kind":"compaction"}' };
  const cases: readonly (readonly [string, Left])[] = [
    ['structured output', { more: structured[dialect] }],
    ['a demand for a call', { more: { tool_choice: dialect === 'messages' ? { type: 'any' } : 'required' } }],
    [
      'a request that forbids calls',
      { more: { tool_choice: dialect === 'messages' ? { type: 'none' } : 'none' } },
    ],
    ['a client that answers such a tool itself', { more: { tools: [mcp, clientTool(dialect)] } }],
    ['a tool of the same name', { more: { tools: [clientTool(dialect, toolName)] } }],
    ['a request whose context is left alone', { headers: { 'x-context': 'off' } }],
    ['the client’s own compaction', { headers: codex }],
    ...own[dialect],
  ];

  it.each(cases)('leaves %s as it came', async (_, { more = {}, headers }) => {
    const upstream = await createStrictUpstream({ windowTokens });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true });
    const call = callOf({ dialect, isStreamed: false, more });
    await rawCall(proxy.url, { ...call, headers: { ...call.headers, ...headers } });
    await upstream.stop();
    expect(bodyAt(upstream, 0)).toBe(call.body);
  });

  it('without it nothing is offered', async () => {
    const { upstream } = await askRecalling({ dialect, isStreamed: false }, saying({ text: 'No.' }), {
      route: { recall: false },
    });
    expect(namesIn(bodyAt(upstream, 0))).toEqual(['read']);
  });

  it('hands a call of the client’s own tool of that name to the client', async () => {
    const more = { tools: [clientTool(dialect, toolName)] };
    const script = saying({ calls: [recalls({ id: 'm0' })] });
    const { upstream, heard } = await askRecalling({ dialect, isStreamed: true, more }, script);
    expect(upstream.requests).toHaveLength(1);
    expect(heard.calls).toEqual([toolName]);
  });

  it('lets nothing of what was recalled into the next request', async () => {
    const script = saying({ text: 'So.', calls: [recalls({ id: 'm0' })] }, { text: 'There.' });
    const upstream = await createStrictUpstream({ windowTokens, answer: script });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true });
    const first = [{ role: 'user', text: 'Where?' }] as const;
    const heard = await hear(proxy.url, { dialect, isStreamed: true, messages: first });
    const next = [
      ...first,
      { role: 'assistant', text: heard.text },
      { role: 'user', text: 'Thanks.' },
    ] as const;
    await hear(proxy.url, { dialect, isStreamed: true, messages: next });
    await upstream.stop();
    const { messages, input } = JSON.parse(bodyAt(upstream, 2)) as Record<string, readonly unknown[]>;
    expect(messages ?? input).toHaveLength(3);
    expect(upstream.faults).toEqual([]);
  });
});

const streams: readonly Failure[] = [
  { packets: 'byte' },
  { packets: 'together' },
  { lineEnd: '\r\n' },
  { pingEvery: 2 },
  { hasWholeArguments: true },
  { firstCallIndex: 3 },
  { hasEarlyHead: true },
];

function formsOf(isStreamed: boolean): readonly (readonly [string, Failure])[] {
  return (isStreamed ? streams : [{}]).map((failure) => [JSON.stringify(failure), failure]);
}

describe.each(forms)(
  'an answer over $dialect, streamed: $isStreamed, on a route that recalls',
  ({ dialect, isStreamed }) => {
    const answers = {
      'text alone': { text: 'Under the third stone.' },
      'a thought, text and calls of the client': { reasoning: 'Well.', text: 'I read.', calls: [read, read] },
      'calls alone': { calls: [read] },
    };

    it.each(Object.entries(answers))(
      'goes out byte for byte where nothing is recalled: %s',
      async (_, reply) => {
        for (const failure of isStreamed ? [{}, ...streams] : [{}]) {
          const failures = (): Failure => failure;
          const upstream = await createStrictUpstream({
            windowTokens,
            answer: () => withIds(reply),
            failures,
          });
          await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true });
          const call = callOf({ dialect, isStreamed, more: { tools: [clientTool(dialect)] } });
          const proxied = await rawCall(proxy.url, call);
          const direct = await rawCall(upstream.url, { ...call, body: bodyAt(upstream, 0) });
          await upstream.stop();
          expect(plain(proxied.text)).toBe(plain(direct.text));
          expect(proxied.isBroken).toBe(false);
        }
      },
    );

    it.each(formsOf(isStreamed))('is recalled from in whatever pieces it comes: %s', async (_, failure) => {
      // The SDK itself reads no calls whose numbers begin elsewhere.
      const lastCalls = failure.firstCallIndex === undefined ? [read] : [];
      const script = saying(
        { text: 'So.', calls: [read, recalls({ query: 'third stone' })] },
        { text: 'There.', calls: lastCalls },
      );
      const { upstream, heard } = await askRecalling({ dialect, isStreamed }, script, {
        upstream: { failures: () => failure },
      });
      expect(upstream.faults).toEqual([]);
      expect(bodyAt(upstream, 1).split(secret)).toHaveLength(3);
      expect([heard.text, heard.calls]).toEqual(['So.\n\nThere.', lastCalls.map(({ name }) => name)]);
      expect(heard.raw).not.toContain(toolName);
    });
  },
);

describe.each(dialectNames)('a stream over %s that is held for its calls', (dialect) => {
  it('keeps its client awake, which has the text already', async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const answer = saying({ text: 'I read it.', calls: [read] });
    const packets = { chat: 7, messages: 9, responses: 11 }[dialect];
    const failures = [{ waitAfter: { packets, until } }];
    const upstream = await createStrictUpstream({ windowTokens, answer, failures });
    await using proxy = await startProxy(`${upstream.url}/v1`, {
      windowTokens,
      recall: true,
      options: { holdHeadMs: 10, pingMs: 10 },
    });
    const call = openCall(
      proxy.url,
      callOf({ dialect, isStreamed: true, more: { tools: [clientTool(dialect)] } }),
    );
    await call.heard(' it.');
    const ping = ': ping\n\n';
    // On a busy machine some have come before the text.
    const earlier = call.text().split(ping).length - 1;
    await call.heard(ping, earlier + 3);
    expect(call.text()).not.toContain('"read"');
    resolve();
    await call.ended;
    await upstream.stop();
    expect(call.text()).toContain('"read"');
  });
});

function withIds<Reply extends object>(reply: Reply): Reply {
  const { calls = [] } = reply as { calls?: readonly object[] };
  return { ...reply, calls: calls.map((call, at) => ({ ...call, id: `call_${at}` })) };
}

/** Without what is another with every answer. */
function plain(text: string): string {
  return text
    .replaceAll(/"(?:created|created_at|completed_at)":\d+/g, '"at":0')
    .replaceAll(
      /"(?:prompt_tokens|completion_tokens|input_tokens|cache_\w+|cached_tokens|total_tokens|output_tokens)":\d+/g,
      '"n":0',
    )
    .replaceAll(/(?:chatcmpl|msg|resp|rs|fc)[_-][\w-]+/g, 'id');
}
