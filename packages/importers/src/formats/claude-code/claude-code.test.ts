import { editObject } from '@throughline/core/codec';
import { describe, expect, it } from 'vitest';
import { claudeAnswer, claudeLine, jsonl, toolResult, toolUse } from '../../../test/samples.ts';
import { readRecording } from '../../read-recording.ts';
import { writeRecording } from '../../write-recording.ts';
import type { RecordedSession, Recording, ViewMessage } from '../../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(text: string, whole = false): Promise<Recording> {
  return readRecording(once(text), { whole });
}

async function active(...lines: readonly object[]): Promise<RecordedSession> {
  const { sessions } = await read(jsonl(...lines));
  const [session] = sessions;
  if (session === undefined) throw new Error('no session');
  return session;
}

const user = (text: string): object => ({ role: 'user', content: text });
const text = (content: string): object => ({ type: 'text', text: content });
const results = (...ids: readonly string[]): object => ({
  role: 'user',
  content: ids.map((id) => toolResult(id)),
});

/** Two parallel calls: each result hangs on the line of its own call, and the newer call goes on. */
const parallel = [
  claudeLine('u1', null, user('Read both.'), { minute: 1 }),
  claudeLine('a1', 'u1', claudeAnswer('msg_1', toolUse('t1')), { minute: 2 }),
  claudeLine('a2', 'a1', claudeAnswer('msg_1', toolUse('t2')), { minute: 2 }),
  claudeLine('r2', 'a2', results('t2'), { minute: 3 }),
  claudeLine('r1', 'a1', results('t1'), { minute: 4 }),
  claudeLine('a3', 'r2', claudeAnswer('msg_2', text('Both read.')), { minute: 5 }),
];

/** A line of what is not talk, such as what the user typed while the agent worked. */
const attachment = (uuid: string, parentUuid: string, value: object, minute: number): object => {
  const { message: _, ...line } = claudeLine(uuid, parentUuid, { role: 'user' }, { minute }) as {
    message: unknown;
  };
  return { ...line, type: 'attachment', attachment: value };
};
const queued = (prompt: unknown): object => ({
  type: 'queued_command',
  prompt,
  commandMode: 'prompt',
  source_uuid: 'sent-1',
});

/** The user types while the first call runs; a reminder of the tool lies beside it. */
const interrupted = [
  claudeLine('u1', null, user('Read it.'), { minute: 1 }),
  claudeLine('a1', 'u1', claudeAnswer('msg_1', toolUse('t1')), { minute: 2 }),
  { type: 'queue-operation', operation: 'enqueue', content: 'In French, please.', sessionId: 's-1' },
  claudeLine('r1', 'a1', results('t1'), { minute: 3 }),
  attachment('n1', 'r1', { type: 'todo_reminder', content: [], itemCount: 0 }, 3),
  attachment('q1', 'n1', queued('In French, please.'), 3),
  attachment('q2', 'q1', queued([text('Like this:'), { type: 'image', source: { data: 'aGk=' } }]), 3),
  { type: 'queue-operation', operation: 'remove', sessionId: 's-1' },
  claudeLine('a2', 'q2', claudeAnswer('msg_2', text('Lu.')), { minute: 4 }),
];

const boundary = (uuid: string, logicalParentUuid: string, more: object = {}): object => ({
  ...claudeLine(uuid, null, { role: 'user' }),
  type: 'system',
  subtype: 'compact_boundary',
  message: undefined,
  logicalParentUuid,
  compactMetadata: { trigger: 'auto', preTokens: 100_000, ...more },
});

const compacted = [
  ...parallel,
  boundary('b1', 'a3'),
  claudeLine('s1', 'b1', user('Summary: both were read.'), {
    minute: 6,
    isCompactSummary: true,
    isVisibleInTranscriptOnly: true,
  }),
  claudeLine('u2', 's1', user('Now write.'), { minute: 7 }),
  claudeLine('a4', 'u2', claudeAnswer('msg_3', text('Written.')), { minute: 8 }),
];

describe('reading a Claude Code session', () => {
  it('joins the lines of a message, and the results of its parallel calls in the order of the calls', async () => {
    const { messages } = await active(...parallel);
    expect(messages).toHaveLength(4);
    expect(messages[1]).toMatchObject({
      role: 'assistant',
      id: 'msg_1',
      content: [toolUse('t1'), toolUse('t2')],
    });
    expect(messages[2]).toEqual(results('t1', 't2'));
  });

  it.each([
    [167_000, 'auto', 200_000],
    [966_000, 'auto', 1_000_000],
    [167_000, 'manual', undefined],
  ])(
    'knows the window by a compaction at %d tokens that was %s',
    async (preTokens, trigger, windowTokens) => {
      const [head, ...rest] = compacted.slice(parallel.length);
      const said = { ...head, compactMetadata: { trigger, preTokens } };
      expect((await active(...parallel, said, ...rest)).windowTokens).toBe(windowTokens);
    },
  );

  it('counts usage once per message, the cache once', async () => {
    const { usage } = await active(...parallel);
    const counted = {
      inputTokens: 1_000,
      cacheReadTokens: 900,
      cacheWriteTokens: 90,
      outputTokens: 5,
      model: 'claude-test-1',
    };
    expect(usage).toEqual([
      { messageIndex: 1, ...counted },
      { messageIndex: 3, ...counted },
    ]);
  });

  it('starts at the last compaction, and lists what it replaced apart', async () => {
    const { sessions } = await read(jsonl(...compacted));
    expect(sessions.map(({ kind }) => kind)).toEqual(['active', 'archived']);
    expect(sessions[0]?.messages.map((message) => (message as { content: unknown }).content)).toEqual([
      'Summary: both were read.',
      'Now write.',
      [text('Written.')],
    ]);
    expect(sessions[1]?.messages).toHaveLength(4);
    expect(sessions[0]?.usage).toHaveLength(1);
  });

  it('puts what a partial compaction kept behind its summary, without its usage', async () => {
    const segment = { preservedSegment: { headUuid: 'a3', anchorUuid: 's1', tailUuid: 'a3' } };
    const lines = compacted.map((line) =>
      (line as { uuid: string }).uuid === 'b1' ? boundary('b1', 'a3', segment) : line,
    );
    const { messages, usage } = await active(...lines);
    expect(messages.map((message) => (message as { content: unknown }).content)).toEqual([
      'Summary: both were read.',
      [text('Both read.')],
      'Now write.',
      [text('Written.')],
    ]);
    expect(usage.map(({ messageIndex }) => messageIndex)).toEqual([3]);
  });

  it('reads everything as one conversation when asked to', async () => {
    const { sessions } = await read(jsonl(...compacted), true);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.messages).toHaveLength(7);
  });

  it('follows the newest leaf and not the order of the file', async () => {
    const lines = [
      claudeLine('u1', null, user('Hi'), { minute: 1 }),
      claudeLine('a2', 'u1', claudeAnswer('msg_2', text('second try')), { minute: 9 }),
      claudeLine('a1', 'u1', claudeAnswer('msg_1', text('first try')), { minute: 2 }),
    ];
    const { sessions } = await read(jsonl(...lines));
    expect(sessions.map(({ kind }) => kind)).toEqual(['active', 'branch']);
    expect(sessions[0]?.messages[1]).toMatchObject({ id: 'msg_2' });
    expect(sessions[1]?.messages[1]).toMatchObject({ id: 'msg_1' });
  });

  it('goes on to the end of the conversation where the clock was set back in its midst', async () => {
    const attached = attachment('n1', 'a1', { type: 'todo_reminder', content: [], itemCount: 0 }, 9);
    const lines = [
      claudeLine('u1', null, user('Hi'), { minute: 8 }),
      claudeLine('a1', 'u1', claudeAnswer('msg_1', text('Hello.')), { minute: 9 }),
      attached,
      claudeLine('u2', 'n1', user('Go on.'), { minute: 1 }),
      claudeLine('a2', 'u2', claudeAnswer('msg_2', text('Done.')), { minute: 2 }),
      claudeLine('a3', 'u1', claudeAnswer('msg_3', text('given up')), { minute: 1 }),
    ];
    const { sessions } = await read(jsonl(...lines));
    expect(sessions.map(({ kind, messages }) => [kind, messages.length])).toEqual([
      ['active', 4],
      ['branch', 2],
    ]);
    expect(sessions[0]?.messages.at(-1)).toMatchObject({ id: 'msg_2' });
  });

  it('keeps the copies of a message that a resumed session has repeated apart', async () => {
    const lines = [
      claudeLine('u1', null, user('Hi'), { minute: 1 }),
      claudeLine('a1', 'u1', claudeAnswer('msg_1', text('Hello')), { minute: 1 }),
      claudeLine('v1', null, user('Hi'), { minute: 1 }),
      claudeLine('b1', 'v1', claudeAnswer('msg_1', text('Hello')), { minute: 1 }),
      claudeLine('v2', 'b1', user('More'), { minute: 2 }),
    ];
    const { sessions } = await read(jsonl(...lines));
    expect(sessions[0]?.messages[1]).toMatchObject({ content: [text('Hello')] });
    expect(sessions[1]?.messages).toHaveLength(2);
  });

  it('lists each subagent apart, and reads a file of one subagent as its conversation', async () => {
    const side = { isSidechain: true, agentId: 'agent-7' };
    const task = [
      claudeLine('x1', null, user('Look around.'), { minute: 3, ...side }),
      claudeLine('x2', 'x1', claudeAnswer('msg_9', text('Seen.')), { minute: 4, ...side }),
    ];
    const { sessions } = await read(jsonl(...parallel, ...task));
    expect(sessions.map(({ kind, id }) => [kind, id])).toEqual([
      ['active', 's-1'],
      ['subagent', 's-1#agent-7'],
    ]);
    expect((await active(...task)).kind).toBe('active');
  });

  it('leaves out what Claude Code does not send', async () => {
    const { messages } = await active(
      claudeLine('u1', null, user('Hi'), { minute: 1 }),
      claudeLine('e1', 'u1', claudeAnswer('err_1', text('API Error: 529')), {
        minute: 2,
        isApiErrorMessage: true,
      }),
      claudeLine('v1', 'e1', user('only shown'), { minute: 3, isVisibleInTranscriptOnly: true }),
      claudeLine('u2', 'v1', user('Again'), { minute: 4 }),
    );
    expect(messages).toEqual([user('Hi'), user('Again')]);
  });

  it('ends in a loop of parents, and says where a parent is missing', async () => {
    const loop = await active(
      claudeLine('u1', 'u2', user('a'), { minute: 1 }),
      claudeLine('u2', 'u1', user('b'), { minute: 2 }),
    );
    expect(loop.messages).toEqual([user('a'), user('b')]);
    const { notes } = await read(jsonl(...parallel.slice(1)));
    expect(notes).toEqual([{ line: 1, note: expect.stringContaining('u1 is not in the file') as string }]);
  });

  it('goes on with the line before where a parent was never written down, and says so', async () => {
    const lines = [
      claudeLine('u1', null, user('Read it.'), { minute: 1 }),
      claudeLine('a1', 'u1', claudeAnswer('msg_1', toolUse('t1')), { minute: 2 }),
      claudeLine('x1', 'u0', user('Look.'), { minute: 2, isSidechain: true, agentId: 'agent-7' }),
      claudeLine('r1', 'gone', results('t1'), { minute: 3 }),
      claudeLine('a2', 'r1', claudeAnswer('msg_2', text('Read.')), { minute: 4 }),
    ];
    const { sessions, notes } = await read(jsonl(...lines));
    expect(sessions.map(({ kind, messages }) => [kind, messages.length])).toEqual([
      ['active', 4],
      ['subagent', 1],
    ]);
    const note = 'its parent gone is not in the file; it is read as what follows the line before it';
    expect(notes).toEqual([{ line: 4, note }]);
  });

  it('reads lines that name no parent in the order of the file', async () => {
    const bare = ['user', 'assistant', 'user'].map((role, index) => ({
      type: role,
      uuid: `l${index}`,
      sessionId: 's',
      message: { role, content: `${role} ${index}` },
    }));
    expect((await active(...bare)).messages).toEqual(bare.map(({ message }) => message));
  });

  it('reads lines that hold nothing but the message and its time', async () => {
    const bare = ['user', 'assistant'].map((role) => ({
      type: role,
      timestamp: 't',
      message: { role, content: role },
    }));
    expect((await active(...bare)).messages).toEqual(bare.map(({ message }) => message));
  });

  it('reads lines without ids in the order of the file', async () => {
    const bare = ['user', 'assistant'].map((role) => ({
      type: role,
      sessionId: 's',
      message: { role, content: role },
    }));
    expect((await active(...bare)).messages).toEqual(bare.map(({ message }) => message));
  });

  it('reads what the user typed while the agent worked as his message, in its place', async () => {
    const { sessions, notes } = await read(jsonl(...interrupted));
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.messages.slice(2)).toEqual([
      results('t1'),
      user('In French, please.'),
      { role: 'user', content: [text('Like this:'), { type: 'image', source: { data: 'aGk=' } }] },
      claudeAnswer('msg_2', text('Lu.')),
    ]);
    expect(notes).toEqual([{ line: 5, note: 'a line of type attachment is not read' }]);
  });

  it('reads a queued message that nothing follows yet, and one of a log without ids', async () => {
    const last = await active(...interrupted.slice(0, 6));
    expect(last.messages.at(-1)).toEqual(user('In French, please.'));
    const bare = [
      { type: 'user', sessionId: 's', message: user('Read it.') },
      { type: 'attachment', attachment: queued('In French, please.') },
      { type: 'assistant', sessionId: 's', message: { role: 'assistant', content: 'Lu.' } },
    ];
    expect((await active(...bare)).messages).toHaveLength(3);
  });

  it('leaves out a queued message that says nothing', async () => {
    const { messages } = await active(
      ...interrupted.slice(0, 5),
      attachment('q1', 'n1', queued(''), 3),
      claudeLine('a2', 'q1', claudeAnswer('msg_2', text('Read.')), { minute: 4 }),
    );
    expect(messages.at(-2)).toEqual(results('t1'));
  });

  it('says where Claude Code left out results that the file still holds', async () => {
    const cleared = {
      ...claudeLine('c1', 'a3', { role: 'user' }, { minute: 6 }),
      type: 'system',
      subtype: 'microcompact_boundary',
      message: undefined,
      microcompactMetadata: { trigger: 'auto', compactedToolIds: ['t1', 't2'] },
    };
    const next = claudeLine('u2', 'c1', user('Go on.'), { minute: 7 });
    const { sessions, notes } = await read(jsonl(...parallel, cleared, next));
    expect(sessions[0]?.messages).toHaveLength(5);
    expect(notes).toEqual([{ line: 7, note: expect.stringContaining('2 earlier results') as string }]);
  });

  it('says which lines it does not know', async () => {
    const { notes } = await read(jsonl(...parallel, { type: 'novelty' }, { type: 'novelty' }));
    expect(notes).toEqual([{ line: 7, note: '2 lines of type novelty are not read; this is the first' }]);
  });
});

describe('writing a Claude Code session', () => {
  const originals = ({ messages }: RecordedSession): ViewMessage[] =>
    messages.map((message, index) => ({ type: 'original', index, message, isEdited: false }));
  const written: ViewMessage = {
    type: 'written',
    message: { role: 'assistant', content: [text('So far: read both.')] },
  };

  async function write(
    lines: readonly object[],
    change: (view: ViewMessage[]) => ViewMessage[],
  ): Promise<string[]> {
    const recording = await read(jsonl(...lines));
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    return writeRecording(recording, session, change(originals(session)))
      .text.trimEnd()
      .split('\n');
  }

  it('links a written message in, and the line after it to it, changing nothing else', async () => {
    const before = jsonl(...parallel)
      .trimEnd()
      .split('\n');
    const lines = await write(parallel, ([first, ...rest]) => [first as ViewMessage, written, ...rest]);
    expect(lines[0]).toBe(before[0]);
    const line = JSON.parse(lines[1] ?? '') as Record<string, unknown>;
    expect(line).toMatchObject({
      parentUuid: 'u1',
      type: 'assistant',
      isSidechain: false,
      userType: 'external',
      version: '2.1.0',
    });
    expect(line['uuid']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(line['message']).toMatchObject({
      model: 'claude-test-1',
      type: 'message',
      content: [text('So far: read both.')],
    });
    expect(lines[2]).toBe(
      before[1]?.split('"parentUuid":"u1"').join(`"parentUuid":"${String(line['uuid'])}"`),
    );
    // The lines of the parallel calls hang on each other as before; results stand in the order of the calls.
    expect(lines.slice(3)).toEqual([before[2], before[4], before[3], before[5]]);
  });

  it('links a line whose parent was never written down to the line before it', async () => {
    const lines = parallel.map((line) =>
      (line as { uuid: string }).uuid === 'a3' ? { ...line, parentUuid: 'gone' } : line,
    );
    const kept = await write(lines, ([first, ...rest]) => [first as ViewMessage, ...rest, written]);
    const parents = kept.map((line) => (JSON.parse(line) as { parentUuid: unknown }).parentUuid);
    expect(parents.slice(0, 5)).toEqual([null, 'u1', 'a1', 'a1', 'a2']);
    expect(parents).not.toContain('gone');
  });

  it('leaves an answer that is put back as it was', async () => {
    const own = claudeAnswer('msg_9', text('Put back.'));
    const lines = await write(parallel, (view) => [...view, { type: 'written', message: own }]);
    expect((JSON.parse(lines.at(-1) ?? '') as { message: unknown }).message).toEqual(own);
  });

  it('changes only the edited value of an edited message, in the line that holds it', async () => {
    const before = jsonl(...parallel)
      .trimEnd()
      .split('\n');
    const lines = await write(parallel, (view) =>
      view.map((item) => {
        if (item.type !== 'original' || item.index !== 2) return item;
        const message = editObject(item.message, [{ at: ['content', 1, 'content'], set: '[cleared]' }]);
        return { ...item, message, isEdited: true };
      }),
    );
    expect(lines).toContain(before[3]?.split('"content of t2"').join('"[cleared]"'));
    expect(lines).toContain(before[4]);
    expect(lines).toHaveLength(6);
  });

  it('writes a queued message back as it was, and an edited one into its prompt', async () => {
    const before = jsonl(...interrupted)
      .trimEnd()
      .split('\n');
    const kept = await write(interrupted, (view) => [...view, written]);
    const inChain = before.filter((line) => !line.includes('queue-operation'));
    expect(kept.slice(0, -1)).toEqual(inChain);
    const edited = await write(interrupted, (view) =>
      view.map((item) => {
        if (item.type !== 'original') return item;
        if (item.index === 3) return { ...item, message: user('Français.'), isEdited: true };
        if (item.index !== 4) return item;
        const at = ['content', 0, 'text'];
        return { ...item, message: editObject(item.message, [{ at, set: 'So:' }]), isEdited: true };
      }),
    );
    expect(edited).toEqual(
      inChain.map((line) =>
        line
          .split('"prompt":"In French, please."')
          .join('"prompt":"Français."')
          .split('"text":"Like this:"')
          .join('"text":"So:"'),
      ),
    );
  });

  it('drops the line of a block that an edit removes', async () => {
    const lines = await write(parallel, (view) =>
      view.map((item) => {
        if (item.type !== 'original' || item.index !== 2) return item;
        return {
          ...item,
          message: editObject(item.message, [{ at: ['content', 0], remove: true }]),
          isEdited: true,
        };
      }),
    );
    expect(lines).toHaveLength(5);
  });

  it('keeps the boundary of a compaction before its summary only', async () => {
    const kept = await write(compacted, (view) => [...view, written]);
    expect(kept.map((line) => (JSON.parse(line) as { uuid: string }).uuid).slice(0, 2)).toEqual(['b1', 's1']);
    const compactedView = await write(compacted, (view) => [written, ...view.slice(1)]);
    expect(compactedView.join()).not.toContain('compact_boundary');
  });
});
