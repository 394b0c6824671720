import { choosing, ofKind, startEditor, textOf } from './editor.ts';
import { endLeftovers, spawnThroughline, temporaryFolder, writeInto } from '../spawn-throughline.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { once } from 'node:events';
import type { Editor } from './editor.ts';
import type { McpServer, RequestPermissionRequest, SessionUpdate } from '@agentclientprotocol/sdk';

const { session } = methods.agent;

afterAll(endLeftovers);

/** A home and a folder to work in. */
function places(): { readonly home: string; readonly work: string } {
  const home = temporaryFolder();
  const work = join(home, 'work');
  mkdirSync(work);
  return { home, work };
}

let common: Promise<Editor> | undefined;

/**
 * The one process of all tests that ask for nothing of their own, and a folder for a session of this one: a start costs
 * more than all that most of them do.
 */
async function atCommon(): Promise<{ readonly editor: Editor; readonly work: string }> {
  common ??= startEditor({ home: temporaryFolder() });
  return { editor: await common, work: temporaryFolder() };
}

const isText = (update: SessionUpdate): boolean => update.sessionUpdate === 'agent_message_chunk';

// Most of the time the demo model writes at its pace: side by side the tests wait together.
describe.concurrent('a prompt', () => {
  it('is answered in pieces, asks before a tool runs, and ends behind all it has told', async () => {
    const { editor, work } = await atCommon();
    const asked: RequestPermissionRequest[] = [];
    const id = await editor.newSession(
      work,
      (request) => (asked.push(request), choosing('allow-once')(request, AbortSignal.abort())),
    );
    const { stopReason } = await editor.prompt(id, 'write "hello" to sub/a.txt');
    // All of it is here although nothing was waited for.
    const updates = editor.updates(id);
    expect(stopReason).toBe('end_turn');
    expect(readFileSync(join(work, 'sub/a.txt'), 'utf8')).toBe('hello\n');
    const path = join(work, 'sub/a.txt');
    const diff = { type: 'diff', path, oldText: null, newText: 'hello\n' };
    expect(asked).toMatchObject([
      {
        sessionId: id,
        toolCall: { title: 'Write sub/a.txt', kind: 'edit', locations: [{ path }], content: [diff] },
        options: [
          { kind: 'allow_once' },
          { optionId: 'allow-session', kind: 'allow_always' },
          { optionId: 'allow-always', kind: 'allow_always' },
          { kind: 'reject_once' },
        ],
      },
    ]);
    expect(ofKind(updates, 'tool_call')).toMatchObject([
      { toolCallId: asked[0]?.toolCall.toolCallId, name: 'write', status: 'pending', content: [diff] },
    ]);
    expect(ofKind(updates, 'tool_call_update').map(({ status }) => status)).toEqual([
      'in_progress',
      'completed',
    ]);
    expect(textOf(updates, 'agent_thought_chunk')).toBe('A file is to be written.');
    expect(textOf(updates, 'agent_message_chunk')).toMatch(
      /^I write `sub\/a\.txt`\.\(demo\) `write` answered with 1 line:.*```$/s,
    );
    expect(updates.findLast(({ sessionUpdate }) => sessionUpdate !== 'session_info_update')).toMatchObject({
      sessionUpdate: 'usage_update',
      size: 32_000,
    });
    // The session is named when its first turn is over.
    const named = (): readonly SessionUpdate[] => ofKind(editor.updates(id), 'session_info_update');
    await expect.poll(named).toMatchObject([{ title: 'write "hello" to sub/a.txt' }]);
  });

  it('goes on without the tool when the user says no', async () => {
    const { editor, work } = await atCommon();
    const id = await editor.newSession(work, choosing('deny'));
    expect(await editor.prompt(id, 'write "hello" to a.txt')).toEqual({ stopReason: 'end_turn' });
    expect(existsSync(join(work, 'a.txt'))).toBe(false);
    expect(ofKind(editor.updates(id), 'tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
  });

  it('asks once for a tool that is allowed for the session', async () => {
    const { editor, work } = await atCommon();
    let asked = 0;
    const id = await editor.newSession(
      work,
      (request, signal) => ((asked += 1), choosing('allow-session')(request, signal)),
    );
    await editor.prompt(id, 'write "one" to a.txt');
    await editor.prompt(id, 'write "two" to a.txt');
    expect([asked, readFileSync(join(work, 'a.txt'), 'utf8')]).toEqual([1, 'two\n']);
    const diffs = ofKind(editor.updates(id), 'tool_call').map(({ content }) => content?.[0]);
    expect(diffs).toMatchObject([{ oldText: null }, { oldText: 'one\n', newText: 'two\n' }]);
  });

  it('shows the todo list as a plan', async () => {
    const { editor, work } = await atCommon();
    const id = await editor.newSession(work);
    await editor.prompt(id, 'make a plan');
    expect(ofKind(editor.updates(id), 'plan')).toMatchObject([
      {
        entries: [
          { content: 'Look around', status: 'in_progress' },
          { status: 'pending' },
          { status: 'pending' },
        ],
      },
    ]);
  });

  it('takes images, mentions and the content of files', async () => {
    const { editor, work } = await atCommon();
    const id = await editor.newSession(work);
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const { stopReason } = await editor.agent.request(session.prompt, {
      sessionId: id,
      prompt: [
        { type: 'text', text: 'What is in ' },
        { type: 'resource_link', name: 'a.ts', uri: `file://${work}/a.ts` },
        { type: 'text', text: '?' },
        { type: 'resource', resource: { uri: `file://${work}/b.ts`, text: 'const b = 1;' } },
        { type: 'image', data, mimeType: 'image/png' },
      ],
    });
    expect(stopReason).toBe('end_turn');
    await editor.agent.request(session.load, { sessionId: id, cwd: work, mcpServers: [] });
    const said = ofKind(editor.updates(id), 'user_message_chunk').map(({ content }) => content);
    expect(said).toEqual([
      { type: 'text', text: `What is in [@a.ts](${work}/a.ts)?[@b.ts](${work}/b.ts)` },
      { type: 'text', text: `Content of ${work}/b.ts:\n\`\`\`\nconst b = 1;\n\`\`\`` },
      { type: 'image', data, mimeType: 'image/png' },
    ]);
  });
});

describe.concurrent('MCP servers of the editor', () => {
  const server = join(import.meta.dirname, '../../../agent/test/mcp-server.ts');
  const node = { command: process.execPath, env: [] };

  it('are connected for the session, in its folder', async () => {
    const { home, work } = places();
    // A name that is no tool is refused: the one of the server has to be there.
    const editor = await startEditor({ home, args: ['--tools', 'mcp__editor__echo'] });
    const open = (name: string): Promise<object> =>
      editor.agent.request(session.new, { cwd: work, mcpServers: [{ ...node, name, args: [server] }] });
    await expect(open('other')).rejects.toThrow(/--tools names no tool: mcp__editor__echo/);
    expect(await open('editor')).toMatchObject({ sessionId: expect.any(String) });
  });

  it('are told of where they are not there, and refused where they speak what we do not', async () => {
    const { editor, work } = await atCommon();
    const broken: McpServer = { ...node, name: 'broken', args: [server, 'broken'] };
    const { sessionId } = await editor.agent.request(session.new, { cwd: work, mcpServers: [broken] });
    await editor.prompt(sessionId, 'tell me 2 words');
    expect(ofKind(editor.updates(sessionId), 'notice')).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        title: expect.stringMatching(/^The MCP server broken is not there/),
      }),
    );
    const sse = { type: 'sse', name: 'old', url: 'http://localhost:1/sse', headers: [] } as const;
    await expect(editor.agent.request(session.new, { cwd: work, mcpServers: [sse] })).rejects.toThrow(
      /The MCP server old speaks SSE, which is not supported/,
    );
  });
});

describe.concurrent('a cancel', () => {
  it('ends an answer in its middle, and the session goes on', async () => {
    const { editor, work } = await atCommon();
    const id = await editor.newSession(work);
    const answer = editor.prompt(id, 'tell me 5000 words');
    await editor.until(id, isText);
    await editor.agent.notify(session.cancel, { sessionId: id });
    expect(await answer).toEqual({ stopReason: 'cancelled' });
    const told = editor.updates(id).length;
    expect(textOf(editor.updates(id), 'agent_message_chunk').split(' ').length).toBeLessThan(5_000);
    expect(await editor.prompt(id, 'tell me 3 words')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.updates(id).slice(told), 'agent_message_chunk')).toBe('(demo) the demo model');
  });

  it('takes a question back, and what was asked for does not happen', async () => {
    const { editor, work } = await atCommon();
    const question = Promise.withResolvers<AbortSignal>();
    const id = await editor.newSession(work, async (_, signal) => {
      question.resolve(signal);
      await once(signal, 'abort');
      return { outcome: { outcome: 'cancelled' } };
    });
    const answer = editor.prompt(id, 'write "hello" to a.txt');
    const signal = await question.promise;
    await editor.agent.notify(session.cancel, { sessionId: id });
    expect(await answer).toEqual({ stopReason: 'cancelled' });
    if (!signal.aborted) await once(signal, 'abort');
    expect(existsSync(join(work, 'a.txt'))).toBe(false);
  });
});

describe.concurrent('a session', () => {
  it('is as it was after the process was killed, goes on, and asks again what was asked', async () => {
    const { home, work } = places();
    const asking = join(home, 'asking');
    mkdirSync(asking);
    const first = await startEditor({ home });
    const question = Promise.withResolvers<void>();
    const asked = await first.newSession(asking, () => (question.resolve(), new Promise(() => {})));
    void first.prompt(asked, 'write "hello" to a.txt').catch(() => undefined);
    const id = await first.newSession(work);
    await first.prompt(id, 'write "hello" to a.txt');
    await first.prompt(id, 'make a plan');
    await question.promise;
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await startEditor({ home });
    const { configOptions } = await second.agent.request(session.load, {
      sessionId: id,
      cwd: work,
      mcpServers: [],
    });
    expect(configOptions).toMatchObject([{ id: 'model', category: 'model', currentValue: 'demo:scripted' }]);
    const updates = second.updates(id);
    expect(textOf(updates, 'user_message_chunk')).toBe('write "hello" to a.txtmake a plan');
    expect(textOf(updates, 'agent_message_chunk')).toBe(textOf(first.updates(id), 'agent_message_chunk'));
    expect(textOf(updates, 'agent_thought_chunk')).toBe(textOf(first.updates(id), 'agent_thought_chunk'));
    const calls = ofKind(updates, 'tool_call');
    expect(calls.map(({ title, kind }) => [title, kind])).toEqual([
      ['Write a.txt', 'edit'],
      ['Plan', 'think'],
    ]);
    expect(ofKind(updates, 'tool_call_update')).toMatchObject(
      calls.map(({ toolCallId }) => ({ toolCallId, status: 'completed' })),
    );
    expect(ofKind(updates, 'plan')).toHaveLength(1);
    expect(ofKind(updates, 'usage_update')).toHaveLength(1);
    expect(await second.prompt(id, 'read a.txt')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(second.updates(id), 'agent_message_chunk')).toContain('hello');
    await second.agent.request(session.load, { sessionId: asked, cwd: asking, mcpServers: [] });
    await second.prompt(asked, 'tell me 2 words');
    expect(existsSync(join(asking, 'a.txt'))).toBe(true);
  });

  it('works in the folder it was opened in, beside another one', async () => {
    const { editor, work } = await atCommon();
    const other = temporaryFolder();
    const [one, two] = await Promise.all([editor.newSession(work), editor.newSession(other)]);
    await Promise.all([
      editor.prompt(one, 'write "one" to a.txt'),
      editor.prompt(two, 'write "two" to a.txt'),
    ]);
    expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('two\n');
    expect(textOf(editor.updates(one), 'agent_message_chunk')).toMatch(/^I write `a\.txt`\.\(demo\)/);
    await expect.poll(() => ofKind(editor.updates(two), 'session_info_update').length).toBeGreaterThan(0);
    const listed = await editor.agent.request(session.list, { cwd: other });
    expect(listed.sessions).toMatchObject([{ sessionId: two, cwd: other, title: 'write "two" to a.txt' }]);
    const all = await editor.agent.request(session.list, {});
    const ours = all.sessions.map(({ sessionId }) => sessionId).filter((id) => [one, two].includes(id));
    expect(ours.toSorted()).toEqual([one, two].toSorted());
  });

  it('is closed, gone on with and deleted', async () => {
    const { editor, work } = await atCommon();
    const id = await editor.newSession(work);
    await editor.prompt(id, 'tell me 3 words');
    await editor.agent.request(session.close, { sessionId: id });
    await expect(editor.prompt(id, 'more')).rejects.toMatchObject({ code: -32_002 });
    const before = editor.updates(id).length;
    await editor.agent.request(session.resume, { sessionId: id, cwd: work, mcpServers: [] });
    await editor.prompt(id, 'tell me 2 words');
    expect(textOf(editor.updates(id).slice(before), 'user_message_chunk')).toBe('');
    await editor.agent.request(session.delete, { sessionId: id });
    expect((await editor.agent.request(session.list, { cwd: work })).sessions).toEqual([]);
    await expect(
      editor.agent.request(session.load, { sessionId: id, cwd: work, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32_002 });
  });

  it('changes its model among those that are configured', async () => {
    const { home, work } = places();
    const config = writeInto(
      home,
      'own.yaml',
      'model: demo\nserver: { models: ["ollama:qwen3"] }\nmcpServers: {}\n',
    );
    const editor = await startEditor({ home, args: ['--config', config] });
    const id = await editor.newSession(work);
    const change = (value: string): Promise<object> =>
      editor.agent.request(session.setConfigOption, { sessionId: id, configId: 'model', value });
    expect(await change('ollama:qwen3')).toMatchObject({
      configOptions: [
        {
          currentValue: 'ollama:qwen3',
          options: [{ value: 'demo:scripted' }, { value: 'ollama:qwen3' }],
        },
      ],
    });
    expect(await change('demo:scripted')).toMatchObject({
      configOptions: [{ currentValue: 'demo:scripted' }],
    });
    await expect(change('openai:gpt-5')).rejects.toThrow(/There is no model openai:gpt-5/);
  });
});

describe.concurrent('a compaction', () => {
  const start = async (editor: Editor, work: string): Promise<string> => {
    const id = await editor.newSession(work);
    writeInto(work, 'long.txt', 'A line of a file that is read more than once.\n'.repeat(300));
    for (const _ of [1, 2, 3]) await editor.prompt(id, 'read long.txt');
    expect(await editor.prompt(id, '/compact the numbers')).toEqual({ stopReason: 'end_turn' });
    return id;
  };

  it('is shown as one, with its summary, by an editor that knows them, and stands where it was made when the session is loaded', async () => {
    const { editor, work } = await atCommon();
    const id = await start(editor, work);
    const [begun, done, ...more] = ofKind(editor.updates(id), 'compaction_update');
    expect(begun).toMatchObject({ status: 'in_progress' });
    expect(done).toMatchObject({
      compactionId: begun?.compactionId,
      status: 'completed',
      summary: [{ type: 'text', text: expect.stringContaining('USER: read long.txt') }],
    });
    expect(more).toEqual([]);

    await editor.prompt(id, 'tell me 3 words');
    const told = editor.updates(id).length;
    await editor.agent.request(session.load, { sessionId: id, cwd: work, mcpServers: [] });
    const kinds = editor
      .updates(id)
      .slice(told)
      .map(({ sessionUpdate }) => sessionUpdate);
    const turn = [
      'user_message_chunk',
      'agent_thought_chunk',
      'agent_message_chunk',
      'tool_call',
      'tool_call_update',
      'agent_message_chunk',
    ];
    expect(kinds).toEqual([
      ...turn,
      ...turn,
      ...turn,
      'compaction_update',
      'user_message_chunk',
      'agent_message_chunk',
      'session_info_update',
      'usage_update',
    ]);
  });

  it('is shown as the work of a tool by any other', async () => {
    const { home, work } = places();
    const editor = await startEditor({ home, abilities: {} });
    const updates = editor.updates(await start(editor, work));
    expect(ofKind(updates, 'compaction_update')).toEqual([]);
    const call = ofKind(updates, 'tool_call').at(-1);
    expect(call).toMatchObject({ title: 'Compacting the context', kind: 'think', status: 'in_progress' });
    expect(ofKind(updates, 'tool_call_update').slice(-1)).toMatchObject([
      {
        toolCallId: call?.toolCallId,
        status: 'completed',
        title: expect.stringMatching(/^Context compacted: \d+ → \d+ tokens$/),
      },
    ]);
    expect(ofKind(updates, 'notice')).toEqual([]);
  });
});

describe.concurrent('the process', () => {
  it('answers what it does not understand with an error each, and stays', async () => {
    const { home, work } = places();
    const child = spawnThroughline(['acp'], { home });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const answers = async (count: number): Promise<readonly { id: unknown; error?: { code: number } }[]> => {
      const lines = (): string[] => output.split('\n').filter((line) => line !== '');
      while (lines().length < count) await once(child.stdout, 'data');
      return lines().map((line) => JSON.parse(line) as { id: unknown; error?: { code: number } });
    };
    const line = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    child.stdin.write('{ this is no JSON\n\n[]\n"text"\n');
    child.stdin.write(line(1, 'session/new', { cwd: work, mcpServers: [] }));
    await answers(4);
    child.stdin.write(line(2, 'initialize', { protocolVersion: 99 }));
    await answers(5);
    child.stdin.write(line(3, 'session/nonsense', {}));
    child.stdin.write(line(4, 'session/new', { cwd: 'relative', mcpServers: [] }));
    child.stdin.write(line(5, 'session/new', { cwd: join(home, 'nowhere'), mcpServers: [] }));
    child.stdin.write(line(6, 'session/new', { cwd: 7 }));
    child.stdin.write(line(7, 'session/prompt', { sessionId: 'no-such', prompt: [] }));
    const told = await answers(10);
    const codes = told.map(({ id, error }) => `${String(id)} ${error?.code ?? 0}`);
    expect(codes.toSorted()).toEqual([
      '1 -32600',
      '2 0',
      '3 -32601',
      '4 -32602',
      '5 -32602',
      '6 -32602',
      '7 -32002',
      'null -32600',
      'null -32600',
      'null -32700',
    ]);
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('ends when the editor goes, in the middle of an answer, and loses nothing of it', async () => {
    const { home, work } = places();
    const first = await startEditor({ home });
    const id = await first.newSession(work);
    const answer = first.prompt(id, 'tell me 5000 words').catch((error: unknown) => error);
    await first.until(id, isText);
    first.child.stdin?.end();
    expect(await first.ended).toBe(0);
    expect(await answer).toBeInstanceOf(Error);
    // Nothing but the protocol stood on standard output.
    for (const line of first.output().trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    const second = await startEditor({ home });
    await second.agent.request(session.load, { sessionId: id, cwd: work, mcpServers: [] });
    const said = textOf(second.updates(id), 'agent_message_chunk');
    expect(said).not.toBe('');
    expect(said.startsWith(textOf(first.updates(id), 'agent_message_chunk'))).toBe(true);
    expect(await second.prompt(id, 'tell me 2 words')).toEqual({ stopReason: 'end_turn' });
  });

  it('refuses a folder whose configuration wants more than it is trusted with', async () => {
    const { home, work } = places();
    writeInto(work, 'throughline.yaml', 'model: demo\nmcpServers: { evil: { command: ./evil } }\n');
    const { editor } = await atCommon();
    await expect(editor.newSession(work)).rejects.toThrow(
      /throughline\.yaml is not trusted, and wants mcpServers\.evil/,
    );
    const careful = await startEditor({ home, args: ['--no-trust'] });
    const id = await careful.newSession(work);
    expect(await careful.prompt(id, 'tell me 2 words')).toEqual({ stopReason: 'end_turn' });
  });
});
