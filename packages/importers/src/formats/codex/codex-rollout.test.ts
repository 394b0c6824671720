import { describe, expect, it } from 'vitest';
import { jsonl, rolloutLine, said, tokenCount } from '../../../test/samples.ts';
import { readRecording } from '../../read-recording.ts';
import { writeRecording } from '../../write-recording.ts';
import type { RecordedSession, Recording, ViewMessage } from '../../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(lines: readonly object[], whole = false): Promise<Recording> {
  return readRecording(once(jsonl(...lines)), { whole });
}

const item = (payload: object, second = 0): object => rolloutLine('response_item', payload, second);
const call = (id: string): object => ({ type: 'function_call', name: 'sh', arguments: '{}', call_id: id });
const output = (id: string): object => ({ type: 'function_call_output', call_id: id, output: 'ok' });

const before = [
  rolloutLine('session_meta', { id: 'r-1', base_instructions: 'The prompt.', instructions: 'Mine.' }),
  item(said('user', 'First.')),
  item(call('f1')),
  item(output('f1')),
  tokenCount(1_000),
  tokenCount(1_000),
  item(said('assistant', 'One.')),
  tokenCount(1_100, 1_000),
];
const replacement = [said('user', 'First.'), { type: 'compaction', encrypted_content: 'secret' }];
const compacted = [
  ...before,
  rolloutLine('compacted', { message: '', replacement_history: replacement }),
  tokenCount(300),
  item(said('user', 'Second.')),
  item(said('assistant', 'Two.')),
  tokenCount(400),
];

const types = (session: RecordedSession | undefined): unknown[] =>
  (session?.messages ?? []).map(
    (message) => (message as { type: string; role?: string }).role ?? (message as { type: string }).type,
  );

describe('reading a Codex rollout', () => {
  it('keeps usage per response and takes a repeated count for one', async () => {
    const { sessions } = await read(before);
    expect(sessions[0]?.system).toBe('The prompt.');
    expect(sessions[0]?.usage).toEqual([
      { messageIndex: 1, inputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 7 },
      { messageIndex: 3, inputTokens: 1_100, cacheReadTokens: 1_000, cacheWriteTokens: 0, outputTokens: 7 },
    ]);
  });

  it('takes the window that Codex went by last', async () => {
    const counted = (tokens: number): object =>
      rolloutLine('event_msg', { type: 'token_count', info: { model_context_window: tokens } });
    const [session] = (await read([...before, counted(258_400), counted(121_600)])).sessions;
    expect(session?.windowTokens).toBe(121_600);
    const started = rolloutLine('event_msg', { type: 'task_started', model_context_window: 258_400 });
    expect((await read([...before, started])).sessions[0]?.windowTokens).toBe(258_400);
    expect((await read(before)).sessions[0]?.windowTokens).toBeUndefined();
  });

  it('starts from the replacement history of the last compaction', async () => {
    const { sessions } = await read(compacted);
    expect(sessions.map(({ kind }) => kind)).toEqual(['active', 'archived']);
    expect(types(sessions[0])).toEqual(['user', 'compaction', 'user', 'assistant']);
    expect(types(sessions[1])).toEqual(['user', 'function_call', 'function_call_output', 'assistant']);
    expect(sessions[0]?.usage.map(({ messageIndex, inputTokens }) => [messageIndex, inputTokens])).toEqual([
      [3, 400],
    ]);
    expect(sessions[1]?.usage).toHaveLength(2);
  });

  it('rebuilds the history of a compaction that did not record it: user messages and the summary', async () => {
    const { sessions } = await read([...before, rolloutLine('compacted', { message: 'What was done.' })]);
    expect(sessions[0]?.messages).toEqual([said('user', 'First.'), said('user', 'What was done.')]);
  });

  it('takes rolled-back turns out and lists them as a branch', async () => {
    const rolledBack = [
      ...before,
      item(said('user', 'Wrong.')),
      item(said('user', '<environment_context>cwd</environment_context>')),
      item(said('assistant', 'Oops.')),
      rolloutLine('event_msg', { type: 'thread_rolled_back', num_turns: 1 }),
      item(said('user', 'Right.')),
    ];
    const { sessions } = await read(rolledBack);
    expect(sessions.map(({ kind, messages }) => [kind, messages.length])).toEqual([
      ['active', 5],
      ['branch', 7],
    ]);
  });

  it('reads everything in order as a whole, without the copies that a compaction made', async () => {
    const { sessions } = await read(compacted, true);
    expect(sessions).toHaveLength(1);
    expect(types(sessions[0])).toEqual([
      'user',
      'function_call',
      'function_call_output',
      'assistant',
      'user',
      'assistant',
    ]);
  });
});

describe('writing a Codex rollout', () => {
  const note: ViewMessage = { type: 'written', message: said('user', 'Go on.') };

  async function write(change: (view: ViewMessage[]) => ViewMessage[]): Promise<string[]> {
    const recording = await read(compacted);
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const view = session.messages.map((message, index): ViewMessage => ({
      type: 'original',
      index,
      message,
      isEdited: false,
    }));
    return writeRecording(recording, session, change(view)).text.trimEnd().split('\n');
  }

  it('starts with the session and keeps an unchanged compaction in one line', async () => {
    const lines = await write((view) => [...view, note]);
    const source = jsonl(...compacted).split('\n');
    expect(lines.slice(0, 4)).toEqual([source[0], source[8], source[10], source[11]]);
    expect(JSON.parse(lines[4] ?? '')).toMatchObject({
      type: 'response_item',
      payload: said('user', 'Go on.'),
    });
    expect(lines.join()).not.toContain('token_count');
  });

  it('gives each item of a changed compaction a line of its own, with its bytes', async () => {
    const lines = await write((view) => [view[0] as ViewMessage, note, ...view.slice(2)]);
    expect(lines[1]).toContain(`"type":"response_item","payload":${JSON.stringify(replacement[0])}}`);
    expect(lines).toHaveLength(5);
  });
});

describe('an early rollout, whose items stand by themselves', () => {
  const state = { record_type: 'state' };
  const lines = [
    { id: 'r-2', timestamp: 't', instructions: 'Be brief.', git: {} },
    state,
    said('user', '<user_instructions>\n\nBe brief.\n\n</user_instructions>'),
    said('user', 'First.'),
    state,
    call('f1'),
    output('f1'),
    state,
    said('assistant', 'One.'),
  ];

  it('is read without its marks, and its instructions only as the message that they are', async () => {
    const { format, sessions, notes } = await read(lines);
    expect(format).toBe('codex-rollout');
    expect(types(sessions[0])).toEqual([
      'user',
      'user',
      'function_call',
      'function_call_output',
      'assistant',
    ]);
    expect(sessions[0]).toMatchObject({ id: 'r-2', origins: { 0: { line: 2, at: [] } } });
    expect(sessions[0]?.system).toBeUndefined();
    expect(notes).toEqual([]);
  });

  it('is written in its own form', async () => {
    const recording = await read(lines);
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const kept = session.messages.map((message, index): ViewMessage => ({
      type: 'original',
      index,
      message,
      isEdited: false,
    }));
    const note: ViewMessage = { type: 'written', message: { role: 'user', content: 'Go on.' } };
    const { text } = writeRecording(recording, session, [...kept.slice(1), note]);
    expect(text).toBe(
      jsonl(
        lines[0] ?? {},
        ...session.messages.slice(1).map((message) => message as object),
        said('user', 'Go on.'),
      ),
    );
  });
});

describe('a rollout with numbered lines', () => {
  const number = (line: object, ordinal: number): object => ({ ...line, ordinal });
  const usage = {
    input_tokens: 500,
    cached_input_tokens: 100,
    cache_write_input_tokens: 50,
    output_tokens: 7,
  };
  const lines = [
    rolloutLine('session_meta', { id: 'r-3', history_base: { thread_id: 'r-0', end_ordinal_exclusive: 40 } }),
    item(said('user', 'First.')),
    item(call('f1')),
    rolloutLine('token_usage_record', { usage }),
    item(output('f1')),
    rolloutLine('event_msg', { type: 'token_count', info: { last_token_usage: usage } }),
    item(said('assistant', 'One.')),
  ].map((line, index) => number(line, 40 + index));

  it('is read with the usage of each response once, and says what it goes on from', async () => {
    const { sessions, notes } = await read(lines);
    expect(sessions[0]?.usage).toEqual([
      { messageIndex: 1, inputTokens: 500, cacheReadTokens: 100, cacheWriteTokens: 50, outputTokens: 7 },
    ]);
    expect(notes).toEqual([{ note: 'it goes on from another file, that of r-0, which is not read' }]);
  });

  it('is written with the numbers in order', async () => {
    const recording = await read(lines);
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const note: ViewMessage = { type: 'written', message: { role: 'user', content: 'Go on.' } };
    const last = session.messages.length - 1;
    const kept: ViewMessage = {
      type: 'original',
      index: last,
      message: session.messages[last],
      isEdited: false,
    };
    const { text } = writeRecording(recording, session, [note, kept]);
    const written = text.trimEnd().split('\n');
    expect(written.map((line) => (JSON.parse(line) as { ordinal: number }).ordinal)).toEqual([40, 41, 42]);
  });
});
