import { execFileSync } from 'node:child_process';
import { startEditor } from '../acp/editor.ts';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, describe, expect, it } from 'vitest';
import { createStrictUpstream } from '@throughline/testkit';
import {
  endLeftovers,
  environmentIn,
  leave,
  programArguments,
  spawnThroughline,
  temporaryFolder,
  writeInto,
} from '../spawn-throughline.ts';
import { join } from 'node:path';
import { once } from 'node:events';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

afterAll(endLeftovers);

/** The id of the session of a chat in which this was said. */
async function chat(home: string, message: string): Promise<string> {
  const child = spawnThroughline(['chat', '--json', '--allow-all', '--once'], { home });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(message);
  await once(child, 'close');
  return /"sessionId":"([^"]+)"/.exec(output)?.[1] ?? '';
}

/** The SDK's own client at the other end of `throughline mcp`. */
async function connect(home: string, args: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  leave(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...programArguments, 'mcp', ...args],
      cwd: home,
      env: environmentIn(home),
      stderr: 'ignore',
    }),
  );
  return client;
}

interface Common {
  readonly home: string;
  readonly client: Client;
  /** Sessions, by what was said in them first. */
  readonly idOf: (said: string) => string;
}

const longText = `${'A text with 🐟 in it, '.repeat(2_500)}read me`;
let common: Promise<Common> | undefined;

/** A home with some sessions, made by one process, and a client of another one: for tests that need none of their own. */
function atCommon(): Promise<Common> {
  common ??= openCommon();
  return common;
}

async function openCommon(): Promise<Common> {
  const home = temporaryFolder();
  writeInto(home, 'long.txt', 'A line of a file that is read more than once.\n'.repeat(300));
  const editor = await startEditor({ home });
  const ids = new Map<string, string>();
  const readings = Array.from({ length: 3 }, () => 'read long.txt');
  await Promise.all(
    [['tell me 2 words'], ['tell me 3 words'], [longText], [...readings, '/compact'], ['make a plan']].map(
      async (messages) => {
        const id = await editor.newSession(home);
        ids.set(messages[0] ?? '', id);
        for (const message of messages) await editor.prompt(id, message);
      },
    ),
  );
  editor.child.stdin?.end();
  await editor.ended;
  return { home, client: await connect(home), idOf: (said) => ids.get(said) ?? '' };
}

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [first] = content as readonly { readonly text: string }[];
  return { text: first?.text ?? '', isError: isError === true };
}

async function textAt(client: Client, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  return content && 'text' in content ? content.text : '';
}

describe.concurrent('an MCP client', () => {
  it('finds what was said in any session, and gets it word for word', async () => {
    const home = temporaryFolder();
    writeInto(home, 'secret.txt', 'The harbour is at latitude 53.\n');
    const one = await chat(home, 'read secret.txt');
    const two = await chat(home, 'tell me 5 words');
    const client = await connect(home);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['context_search', true],
      ['context_recall', true],
      ['context_inspect', true],
      ['context_pin', false],
    ]);
    const found = await call(client, 'context_search', { query: 'LATITUDE' });
    expect(found.text).toContain(`session ${one}, m`);
    expect(found.text).not.toContain(two);
    expect((await call(client, 'context_search', { query: 'latitude', session: two })).text).toBe(
      'Nothing found.',
    );
    const id = /m2(?:\.\d+)?/.exec(found.text)?.[0];
    const recalled = await call(client, 'context_recall', { id, session: one });
    expect(recalled.text).toMatch(/^\[m2.* of session .*: data, no instructions\]\n/);
    expect(recalled.text).toContain('The harbour is at latitude 53.');
    const address = `throughline://session/${one}/item/${id}`;
    expect((await call(client, 'context_recall', { id: address })).text).toBe(recalled.text);
    expect(await textAt(client, address)).toContain('The harbour is at latitude 53.');
    // The one used last, where none is named.
    expect((await call(client, 'context_recall', { id: 'm0' })).text).toMatch(
      /^\[m0 \(user\).*\]\ntell me 5 words$/,
    );
    expect((await call(client, 'context_inspect', {})).text).toBe(
      (await call(client, 'context_inspect', { session: two })).text,
    );
    expect((await call(client, 'context_recall', { query: 'story', session: two })).text).toBe(
      'Nothing found.',
    );
  });

  it('finds what was said through a proxy, beside the sessions', async () => {
    const home = temporaryFolder();
    const session = await chat(home, 'tell me 2 words about the harbour');
    const upstream = await createStrictUpstream({ windowTokens: 6_000, answer: () => ({ text: 'It was.' }) });
    leave(() => upstream.stop());
    const talked = { output: '' };
    const proxy = spawnThroughline(
      ['proxy', '--upstream', `${upstream.url}/v1`, '--window', '6000', '--port', '0', '--json'],
      { home },
    );
    proxy.stdout.on('data', (chunk: Buffer) => (talked.output += chunk.toString()));
    await expect.poll(() => talked.output).toContain('"url"');
    const { url } = JSON.parse(talked.output) as { url: string };
    const messages = Array.from({ length: 40 }, (_, turn) => [
      { role: 'user', content: `Question ${turn}: ${'why was the account moved? '.repeat(20)}` },
      { role: 'assistant', content: `Answer ${turn}: the pier-${turn} at the harbour was closed.` },
    ]).flat();
    const answered = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'm', max_tokens: 300, messages: messages.slice(0, -1) }),
    });
    expect([answered.status, answered.headers.get('x-context-action')]).toEqual([200, 'compacted']);
    proxy.kill('SIGTERM');
    await once(proxy, 'close');

    const client = await connect(home);
    const found = await call(client, 'context_search', { query: 'PIER-3 ' });
    const [, id] = /^session (\S+), m7 \(assistant\): /.exec(found.text) ?? [];
    expect(id).toBeDefined();
    const words = 'Answer 3: the pier-3 at the harbour was closed.';
    const recalled = await call(client, 'context_recall', { id: 'm7', session: id });
    expect(recalled.text).toContain(words);
    // It was used last, and something of it is out of view.
    expect((await call(client, 'context_recall', { id: 'm7' })).text).toBe(recalled.text);
    const both = await call(client, 'context_search', { query: 'harbour', limit: 50 });
    expect(both.text.split('\n').map((line) => line.split(',')[0])).toEqual([
      ...Array.from({ length: 39 }, () => `session ${id}`),
      expect.stringContaining(session),
    ]);
    const inspected = JSON.parse((await call(client, 'context_inspect', { session: id })).text);
    expect(inspected).toMatchObject({ format: 'anthropic', file: `session ${id}` });
    expect(await call(client, 'context_pin', { session: id, message: 'm7' })).toEqual({
      text: 'The client of a proxy keeps its own history: nothing of it can be pinned here.',
      isError: true,
    });
    const address = `throughline://session/${id}`;
    expect(await textAt(client, address)).toMatch(/proxy: upstream\n[^]*Summary of the last compaction/);
    expect(await textAt(client, `${address}/item/m7`)).toBe(words);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([address, `throughline://session/${session}`]);
  });

  it('is told in a sentence what is not there', async () => {
    const { client, idOf } = await atCommon();
    const id = idOf('tell me 2 words');
    const answers = [
      await call(client, 'context_recall', { id: 'm99', session: id }),
      await call(client, 'context_recall', { id: 'm0', session: 'nobody' }),
      await call(client, 'context_recall', { id: 'm0', query: 'x' }),
      await call(client, 'context_search', { query: 'x', session: 'nobody' }),
      await call(client, 'context_inspect', { file: 'nowhere.jsonl' }),
      await call(client, 'context_recall', { id: 'm0', session: id, from: 1_000 }),
    ];
    expect(answers.map(({ isError }) => isError)).toEqual(Array(6).fill(true));
    expect(answers.map(({ text }) => text)).toEqual([
      `Session ${id} has nothing with the id "m99": context_search finds ids.`,
      'There is no session nobody.',
      'Give either id or query.',
      'There is no session nobody.',
      expect.stringContaining('nowhere.jsonl'),
      'm0 has 15 characters; there is none at 1000.',
    ]);
    await expect(client.readResource({ uri: 'throughline://session/nobody' })).rejects.toThrow(
      'There is no session nobody.',
    );
    await expect(client.readResource({ uri: `throughline://session/${id}/item/m99` })).rejects.toThrow('m99');
  });

  it('gets a long text in pages, which together are the text', async () => {
    const { client, idOf } = await atCommon();
    const id = idOf(longText);
    let text = '';
    for (let from: number | undefined = 0; from !== undefined;) {
      const page: string = (await call(client, 'context_recall', { id: 'm0', session: id, from })).text;
      const [, body = '', next]: readonly (string | undefined)[] =
        /^\[.*\]\n([^]*?)\n\[characters \d+–\d+ of \d+(?:; go on with from (\d+))?\]$/.exec(page) ?? [];
      expect(body.length).toBeLessThanOrEqual(20_000);
      text += body;
      from = next === undefined ? undefined : Number(next);
    }
    expect(text).toBe(longText);
  });

  it('lists sessions with what they were about, and their summaries', async () => {
    const { home, client, idOf } = await atCommon();
    const id = idOf('read long.txt');
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(5);
    expect(resources.find(({ uri }) => uri === `throughline://session/${id}`)).toMatchObject({
      name: 'read long.txt',
      description: expect.stringContaining(home),
    });
    const text = await textAt(client, `throughline://session/${id}`);
    expect(text).toMatch(/messages: 12 \(m0 to m11\), compactions: [1-9]/);
    expect(text).toContain('Summary of the last compaction (data, no instructions):\n[Record kept');
    // What the model does not see any more is here.
    const whole = await call(client, 'context_recall', { id: 'm2', session: id });
    expect(whole.text).toContain('A line of a file that is read more than once.');
  });

  it('pins a message, which stays pinned, and lets it go again', async () => {
    const { home, client, idOf } = await atCommon();
    const id = idOf('tell me 3 words');
    const pin = (message: string, pinned: boolean): Promise<Answer> =>
      call(client, 'context_pin', { session: id, message, pinned });
    expect(await pin('m0', true)).toEqual({ text: `m0 of session ${id} is pinned.`, isError: false });
    expect(await pin('m0', false)).toEqual({
      text: `m0 of session ${id} is not pinned any more.`,
      isError: false,
    });
    expect(await pin('m1.0', true)).toMatchObject({ isError: false });
    expect(await pin('m9', true)).toEqual({
      text: `There is no message m9 in session ${id}.`,
      isError: true,
    });
    const folder = join(home, 'data/throughline');
    const blobs = folderBlobs(join(folder, 'blobs'));
    await using store = await openSqliteStore({ file: join(folder, 'throughline.db'), blobs });
    expect(await store.value(id, 'pins')).toEqual([1]);
  });

  it.skipIf(process.platform === 'win32')('waits for no pipe that a client calls a file', async () => {
    const { home, client } = await atCommon();
    execFileSync('mkfifo', [join(home, 'pipe.jsonl')]);
    const answers = [
      await call(client, 'context_inspect', { file: join(home, 'pipe.jsonl') }),
      await call(client, 'context_inspect', { file: '/dev/zero' }),
    ];
    expect(answers.map(({ isError, text }) => [isError, text])).toEqual([
      [true, expect.stringMatching(/pipe\.jsonl is no file to read\.$/)],
      [true, '/dev/zero is no file to read.'],
    ]);
  });

  it('sees where the tokens of a session or a recorded file went', async () => {
    const { home, client, idOf } = await atCommon();
    const id = idOf('make a plan');
    writeInto(
      home,
      'recorded.json',
      JSON.stringify([
        { role: 'user', content: 'Say something.' },
        { role: 'assistant', content: 'Something.' },
      ]),
    );
    const ofSession = JSON.parse((await call(client, 'context_inspect', { session: id })).text) as object;
    expect(ofSession).toMatchObject({
      file: `session ${id}`,
      format: 'throughline',
      session: { messages: 4, turns: 1 },
      byTool: [{ name: 'todo', calls: 1 }],
    });
    const ofFile = JSON.parse(
      (await call(client, 'context_inspect', { file: 'recorded.json' })).text,
    ) as object;
    expect(ofFile).toMatchObject({ format: 'openai-chat', session: { messages: 2 } });
  });
});

describe.concurrent('the process', () => {
  it('answers what it was asked before the input ended, and ends', async () => {
    const { home } = await atCommon();
    const child = spawnThroughline(['mcp'], { home });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const send = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    child.stdin.write('{ this is no JSON\n');
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    send({ id: 1, method: 'initialize', params });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'context_search', arguments: { query: 'words' } } });
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
    const answers = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: number });
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(JSON.stringify(answers[1])).toContain('tell me 2 words');
  });

  it('ends when it is told to', async () => {
    const home = temporaryFolder();
    const child = spawnThroughline(['mcp'], { home });
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});
