import { describe, expect, it } from 'vitest';
import { jsonl, samples } from '../../test/samples.ts';
import { readRecording } from '../read-recording.ts';
import type { RecordedSession, Recording } from '../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(text: string, whole = false): Promise<Recording> {
  return readRecording(once(text), { whole });
}

async function sample(name: string, format: string): Promise<RecordedSession> {
  const found = samples.find((one) => one.name === name && one.format === format);
  const { sessions } = await read(found?.text ?? '');
  const [session] = sessions;
  if (session === undefined) throw new Error('no such sample');
  return session;
}

/** Role and part types of each message. */
function outline(session: RecordedSession | undefined): string[] {
  return (session?.messages ?? []).map((message, index) => {
    const entry = session?.codec.decode(message, index);
    return `${entry?.role}: ${entry?.parts.map(({ type }) => type).join(' ')}`;
  });
}

describe('event logs retold as messages', () => {
  it('tells what codex exec did, without the usage of the run, which is a total', async () => {
    const session = await sample('events', 'codex-exec');
    expect(outline(session)).toEqual(['assistant: call', 'tool: result', 'assistant: text']);
    expect(session.usage).toEqual([]);
  });

  it('says which items and events it does not know', async () => {
    const exec = await read(
      jsonl(
        { type: 'item.completed', item: { id: 'i1', type: 'agent_message', text: 'Done.' } },
        { type: 'item.completed', item: { id: 'i2', type: 'novelty' } },
        { type: 'turn.completed', usage: {} },
      ),
    );
    expect(exec.notes).toContainEqual({ line: 2, note: 'an item of type novelty is not read' });
    expect(exec.notes).toHaveLength(2);
    const event = (type: string, data: object): object => ({ type, data, id: type, parentId: null });
    const copilot = await read(
      jsonl(
        event('user.message', { content: 'Hi' }),
        event('hook.start', {}),
        event('novel.message', {}),
        event('novel.message', {}),
      ),
    );
    expect(copilot.notes).toEqual([
      { line: 3, note: '2 events of type novel.message are not read; this is the first' },
    ]);
  });

  it('tells a Copilot CLI session as it was sent, its system prompt apart', async () => {
    const session = await sample('events', 'copilot-cli');
    expect(outline(session)).toEqual(['user: text', 'assistant: text call', 'tool: result']);
    expect(session).toMatchObject({ id: 'c-1', system: 'You are Copilot.', model: 'm-1' });
    expect(JSON.stringify(session.messages[0])).toContain('<now>10:00</now>Hi');
  });

  it('lists each subagent of a Copilot CLI session apart, whatever its events say', async () => {
    const event = (type: string, data: object, more: object = {}): object => {
      return { type, data, id: type, parentId: null, ...more };
    };
    const agent = { agentId: 't1' };
    const { sessions, notes } = await read(
      jsonl(
        event('session.start', { sessionId: 'c-1' }),
        event('user.message', { content: 'Fix it' }),
        event('assistant.message', {
          model: 'm-1',
          content: '',
          toolRequests: [{ toolCallId: 't1', name: 'task', arguments: { prompt: 'You are a car' } }],
        }),
        event('system.message', { content: 'You are an agent.' }, agent),
        event('user.message', { content: 'You are a car', source: 'agent-7' }, agent),
        event(
          'assistant.message',
          { model: 'm-2', content: 'I drive.', parentToolCallId: 't1', toolRequests: [] },
          agent,
        ),
        event(
          'tool.execution_complete',
          { toolCallId: 't9', result: { content: 'driven' }, success: true },
          agent,
        ),
        event('session.compaction_complete', { success: true, summaryContent: 'Driven.' }, agent),
        event('tool.execution_complete', { toolCallId: 't1', result: { content: 'Done' }, success: true }),
      ),
    );
    expect(notes).toEqual([]);
    expect(sessions.map(({ id, kind, model, system }) => [id, kind, model, system])).toEqual([
      ['c-1', 'active', 'm-1', undefined],
      ['c-1#t1', 'subagent', 'm-2', undefined],
    ]);
    expect(sessions.map(outline)).toEqual([
      ['user: text', 'assistant: call', 'tool: result'],
      ['user: text', 'assistant: text', 'tool: result'],
    ]);
  });

  it('starts a Copilot CLI session at its last compaction', async () => {
    const event = (type: string, data: object): object => ({ type, data, id: type, parentId: null });
    const text = jsonl(
      event('user.message', { content: 'Old' }),
      event('session.compaction_complete', { success: true, summaryContent: 'What was done.' }),
      event('user.message', { content: 'New' }),
    );
    const { sessions } = await read(text);
    expect(sessions.map(({ kind, messages }) => [kind, messages.length])).toEqual([
      ['active', 2],
      ['archived', 1],
    ]);
    expect((await read(text, true)).sessions[0]?.messages).toHaveLength(2);
  });

  it('tells a Gemini CLI session with its thoughts, and keeps usage per response', async () => {
    const session = await sample('a session', 'gemini-cli');
    expect(outline(session)).toEqual(['user: text', 'assistant: reasoning text call', 'tool: result']);
    expect(JSON.stringify(session.messages[2])).toContain('"written"');
    expect(session.usage).toEqual([
      {
        messageIndex: 1,
        inputTokens: 100,
        cacheReadTokens: 40,
        cacheWriteTokens: 0,
        outputTokens: 7,
        model: 'gemini-test',
      },
    ]);
  });

  it('has the files that a user of Gemini CLI named as one text beside the words', async () => {
    const parts = [
      'Look at @a.ts',
      '\n--- Content from referenced files ---',
      '\nContent from @a.ts:\n',
      'let a;',
      '\n--- End of content ---',
    ].map((said) => ({ text: said }));
    const { sessions } = await read(
      JSON.stringify({ sessionId: 'g-2', messages: [{ type: 'user', content: parts }] }),
    );
    const entry = sessions[0]?.codec.decode(sessions[0].messages[0], 0);
    expect(entry?.parts.map((part) => part.type === 'text' && part.text)).toEqual([
      'Look at @a.ts',
      '--- Content from referenced files ---\nContent from @a.ts:\nlet a;\n--- End of content ---',
    ]);
  });

  it('reads a chat that Gemini CLI saved as contents', async () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'ls', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'ls', response: { output: 'a' } } }] },
    ];
    const { format, sessions } = await read(JSON.stringify(contents));
    expect(format).toBe('gemini-cli');
    expect(outline(sessions[0])).toEqual(['user: text', 'assistant: call', 'tool: result']);
  });

  it('tells an OpenHands run with the answers that its model really gave', async () => {
    const session = await sample('an evaluation output', 'openhands');
    expect(outline(session)).toEqual(['user: text', 'assistant: text call', 'tool: result']);
    expect(session).toMatchObject({ id: 'repo-1', system: 'You are OpenHands.', holdsWholePrompt: true });
    expect(session.usage).toMatchObject([{ messageIndex: 1, inputTokens: 500, model: 'test-model' }]);
  });

  it('keeps the usage of a logged call behind all of its messages', async () => {
    const session = await sample('the log of one call', 'openhands');
    expect(session.usage).toMatchObject([{ messageIndex: 5, inputTokens: 400, cacheReadTokens: 100 }]);
    expect(session.tools).toHaveLength(1);
  });

  it('joins the actions of one response and carries out condensations of the OpenHands SDK', async () => {
    const action = (id: string): object => ({
      id,
      kind: 'ActionEvent',
      source: 'agent',
      thought: [],
      tool_name: 'bash',
      tool_call_id: id,
      tool_call: { id, name: 'bash', arguments: '{}' },
      llm_response_id: 'gen-1',
    });
    const observed = (id: string): object => ({
      id: `${id}-done`,
      kind: 'ObservationEvent',
      source: 'environment',
      tool_name: 'bash',
      tool_call_id: id,
      observation: { content: [{ type: 'text', text: 'ok' }] },
    });
    const say = (id: string): object => ({
      id,
      kind: 'MessageEvent',
      source: 'user',
      llm_message: { role: 'user', content: id },
    });
    const events = [say('first'), say('old'), action('x'), action('y'), observed('x'), observed('y')];
    const condensation = {
      id: 'k',
      kind: 'Condensation',
      source: 'agent',
      forgotten_event_ids: ['old'],
      summary: 'Sum.',
      summary_offset: 1,
    };
    expect(outline((await read(jsonl(...events))).sessions[0])).toEqual([
      'user: text',
      'user: text',
      'assistant: call call',
      'tool: result',
      'tool: result',
    ]);
    const { sessions } = await read(jsonl(...events, condensation));
    expect(JSON.stringify(sessions[0]?.messages.slice(0, 2))).toMatch(/first.*Sum\./);
    expect(sessions[0]?.messages).toHaveLength(5);
  });

  it('reads the stream of the Claude Agent SDK from its last compaction on, subagents apart', async () => {
    const line = (more: object): object => ({ session_id: 's', parent_tool_use_id: null, ...more });
    const user = (content: string): object => ({ type: 'user', message: { role: 'user', content } });
    const { sessions } = await read(
      jsonl(
        line(user('Old')),
        line({ type: 'system', subtype: 'compact_boundary' }),
        line(user('Summary')),
        line({ ...user('Do it'), parent_tool_use_id: 'toolu_1' }),
      ),
    );
    expect(sessions.map(({ kind, messages }) => [kind, messages])).toEqual([
      ['active', [{ role: 'user', content: 'Summary' }]],
      ['archived', [{ role: 'user', content: 'Old' }]],
      ['subagent', [{ role: 'user', content: 'Do it' }]],
    ]);
  });

  const head = { sessionId: 'g-2', projectHash: 'ff', startTime: 't', kind: 'main' };
  const asked = (id: string, content: unknown): object => ({ id, timestamp: 't', type: 'user', content });
  const answered = (id: string, more: object): object => ({
    id,
    timestamp: 't',
    type: 'gemini',
    content: '',
    ...more,
  });

  it('replays the records of a Gemini CLI session: the newest form of each message, rewinds, replaced histories', async () => {
    const call = { id: 'c1', name: 'read_file', args: { path: 'a' }, status: 'executing' };
    const result = [{ functionResponse: { id: 'c1', name: 'read_file', response: { output: 'text of a' } } }];
    const records = [
      head,
      asked('1', [{ text: 'Read a.' }]),
      answered('2', { toolCalls: [call], tokens: { input: 100, output: 5, cached: 0 } }),
      answered('2', {
        toolCalls: [{ ...call, status: 'success', result }],
        tokens: { input: 100, output: 5 },
      }),
      { $set: { summary: 'Reading' } },
      asked('3', 'Wrong.'),
      { $rewindTo: '3' },
      { id: '4', timestamp: 't', type: 'info', content: 'Shown only.' },
      asked('5', 'Go on.'),
      { type: 'novelty' },
    ];
    const { format, sessions, notes } = await read(jsonl(...records));
    expect(format).toBe('gemini-cli');
    expect(outline(sessions[0])).toEqual(['user: text', 'assistant: call', 'tool: result', 'user: text']);
    expect(sessions[0]).toMatchObject({ id: 'g-2', usage: [{ messageIndex: 1, inputTokens: 100 }] });
    expect(notes).toEqual([{ line: 10, note: 'a line of an unknown type is not read' }]);
    const replaced = await read(jsonl(...records, { $set: { messages: [asked('9', 'Anew.')] } }));
    expect(outline(replaced.sessions[0])).toEqual(['user: text']);
    const emptied = await read(jsonl(...records, { $rewindTo: 'unknown' }, asked('9', 'Anew.')));
    expect(outline(emptied.sessions[0])).toEqual(['user: text']);
  });

  it('keeps what a Gemini message holds beside text, and the media of a result as media', async () => {
    const inlineData = { mimeType: 'image/png', data: 'aGk=' };
    const result = [
      { functionResponse: { id: 'c1', name: 'shot', response: { output: 'taken' } } },
      { inlineData },
    ];
    const messages = [
      asked('1', [
        { fileData: { fileUri: 'https://x/a.pdf', mimeType: 'application/pdf' } },
        { executableCode: { language: 'PYTHON', code: '1+1' } },
      ]),
      answered('2', { toolCalls: [{ id: 'c1', name: 'shot', args: {}, status: 'success', result }] }),
      { id: '3', type: 'novelty', content: 'x' },
    ];
    const { sessions, notes } = await read(JSON.stringify({ ...head, messages }));
    expect(outline(sessions[0])).toEqual(['user: media text', 'assistant: call', 'tool: result']);
    expect(JSON.stringify(sessions[0]?.messages[0])).toContain('1+1');
    expect(sessions[0]?.messages[2]).toMatchObject({
      parts: [
        {
          content: [
            { type: 'text', text: 'taken' },
            { type: 'media', mediaType: 'image/png' },
          ],
        },
      ],
    });
    expect(notes).toEqual([{ note: 'a message of type novelty is not read' }]);
  });
});
