import { describe, expect, it } from 'vitest';
import { jsonl, samples } from '../../test/samples.ts';
import { readRecording } from '../read-recording.ts';
import type { RecordedSession, Recording } from '../recording.ts';

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

  it('tells a Copilot CLI session as it was sent, its system prompt apart', async () => {
    const session = await sample('events', 'copilot-cli');
    expect(outline(session)).toEqual(['user: text', 'assistant: text call', 'tool: result']);
    expect(session).toMatchObject({ id: 'c-1', system: 'You are Copilot.', model: 'm-1' });
    expect(JSON.stringify(session.messages[0])).toContain('<now>10:00</now>Hi');
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
});
