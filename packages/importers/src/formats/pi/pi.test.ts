import { describe, expect, it } from 'vitest';
import { jsonl, piAnswer, piCall, piEntry, piHeader, piResult, piUser } from '../../../test/samples.ts';
import { piCodec } from './pi-codec.ts';
import { readRecording } from '../../read-recording.ts';
import { writeRecording } from '../../write-recording.ts';
import type { Recording, ViewMessage } from '../../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(...lines: readonly object[]): Promise<Recording> {
  return readRecording(once(jsonl(...lines)));
}

const timestamp = '2026-03-01T10:00:00.000Z';
const answer = (text: string): object => piAnswer({ type: 'text', text });
const compaction = {
  type: 'compaction',
  id: 'k',
  parentId: 'e4',
  timestamp,
  summary: 'Read it.',
  firstKeptEntryId: 'e3',
  tokensBefore: 9,
};
const compacted = [
  piHeader,
  piEntry('e1', null, piUser('One')),
  piEntry('e2', 'e1', answer('1')),
  piEntry('e3', 'e2', piUser('Two')),
  piEntry('e4', 'e3', answer('2')),
  compaction,
  piEntry('e5', 'k', piUser('Three')),
  piEntry('e6', 'e5', answer('3')),
];

const roles = ({ sessions }: Recording, index = 0): unknown[] =>
  (sessions[index]?.messages ?? []).map((message) => (message as { role: string }).role);

describe('reading a pi session', () => {
  it('knows that no user wrote the summary of a compaction', async () => {
    const [session] = (await read(...compacted)).sessions;
    const [summary, words] = (session?.messages ?? []).map((message, at) => piCodec.decode(message, at));
    expect(summary?.parts).toMatchObject([{ type: 'text', isInjected: true }]);
    expect(words?.parts).not.toMatchObject([{ isInjected: true }]);
  });

  it('puts the summary first, then what the compaction kept, then the rest', async () => {
    const recording = await read(...compacted);
    expect(roles(recording)).toEqual(['compactionSummary', 'user', 'assistant', 'user', 'assistant']);
    expect(roles(recording, 1)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(recording.sessions.map(({ kind }) => kind)).toEqual(['active', 'archived']);
    // What was kept had been measured behind a longer prompt.
    expect(
      recording.sessions[0]?.usage.map(({ messageIndex, inputTokens }) => [messageIndex, inputTokens]),
    ).toEqual([[4, 100]]);
  });

  it('reads version 1, which counts lines instead of naming entries', async () => {
    const bare = compacted.map((line) => {
      const { id, parentId: _parent, version: _version, ...rest } = line as Record<string, unknown>;
      if (rest['type'] === 'session') return { id, ...rest };
      return rest['type'] === 'compaction'
        ? { ...rest, firstKeptEntryId: undefined, firstKeptEntryIndex: 3 }
        : rest;
    });
    expect(roles(await read(...bare))).toEqual([
      'compactionSummary',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('follows the last entry to the root, other leaves are branches', async () => {
    const lines = [
      piHeader,
      piEntry('e1', null, piUser('One')),
      piEntry('e2', 'e1', answer('a')),
      piEntry('e3', 'e1', answer('b')),
    ];
    const recording = await read(...lines, {
      type: 'branch_summary',
      id: 'e4',
      parentId: 'e3',
      timestamp,
      fromId: 'e2',
      summary: 'Tried a.',
    });
    expect(roles(recording)).toEqual(['user', 'assistant', 'branchSummary']);
    expect(recording.sessions[1]).toMatchObject({ kind: 'branch', messages: [piUser('One'), answer('a')] });
  });

  it('leaves out failed answers and commands that are kept from the model, and counts custom messages in', async () => {
    const bash = {
      role: 'bashExecution',
      command: 'ls',
      output: 'a',
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 1,
    };
    const recording = await read(
      piHeader,
      piEntry('e1', null, piUser('One')),
      piEntry('e2', 'e1', { ...answer('half'), stopReason: 'aborted' }),
      piEntry('e3', 'e2', bash),
      piEntry('e4', 'e3', { ...bash, excludeFromContext: true }),
      {
        type: 'custom_message',
        id: 'e5',
        parentId: 'e4',
        timestamp,
        customType: 'x',
        content: 'Note',
        display: true,
      },
    );
    expect(roles(recording)).toEqual(['user', 'bashExecution', 'custom']);
    // Nobody but the user's own command and a hook has written these.
    const written = (recording.sessions[0]?.messages ?? []).map(
      (message, at) => piCodec.decode(message, at).parts,
    );
    const injected = written.map((parts) => parts.map((part) => part.type === 'text' && part.isInjected));
    expect(injected).toEqual([[undefined], ['aside', 'aside'], ['aside']]);
  });

  it('says where the parent of an entry is missing', async () => {
    const { notes } = await read(piHeader, piEntry('e2', 'e1', piUser('Two')));
    expect(notes).toEqual([{ line: 2, note: expect.stringContaining('e1 is not in the file') as string }]);
  });
});

describe('writing a pi session', () => {
  async function write(change: (view: ViewMessage[]) => ViewMessage[]): Promise<Record<string, unknown>[]> {
    const recording = await read(...compacted);
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const view = session.messages.map((message, index): ViewMessage => ({
      type: 'original',
      index,
      message,
      isEdited: false,
    }));
    const { text } = writeRecording(recording, session, change(view));
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  const written: ViewMessage = {
    type: 'written',
    message: { role: 'assistant', content: [{ type: 'text', text: 'So far.' }] },
  };

  it('makes one chain of what is left', async () => {
    const [header, ...entries] = await write((view) => [...view.slice(0, 2), written, ...view.slice(3)]);
    expect(header).toEqual(piHeader);
    expect(entries.map(({ type }) => type)).toEqual([
      'compaction',
      'message',
      'message',
      'message',
      'message',
    ]);
    entries.forEach(({ parentId }, index) =>
      expect(parentId).toBe(index === 0 ? null : entries[index - 1]?.['id']),
    );
    expect(entries[2]?.['id']).toMatch(/^[0-9a-f]{8}$/);
    expect(entries[2]?.['message']).toMatchObject({
      role: 'assistant',
      api: 'test-api',
      model: 'test-1',
      stopReason: 'stop',
    });
  });

  it('turns a compaction that is not the first message any more into a message, since pi would cut there', async () => {
    const [, first, second] = await write(([summary, ...rest]) => [
      rest[0] as ViewMessage,
      summary as ViewMessage,
      ...rest.slice(1),
    ]);
    expect([first?.['type'], second?.['type']]).toEqual(['message', 'message']);
    expect(JSON.stringify(second)).toContain('<summary>\\nRead it.\\n</summary>');
  });

  describe('of what is no message', () => {
    const other = (id: string, parentId: string, value: object): object => ({
      id,
      parentId,
      timestamp,
      ...value,
    });
    const lines = [
      piHeader,
      piEntry('e1', null, piUser('One')),
      other('x1', 'e1', { type: 'session_info', name: 'Shop' }),
      piEntry('e2', 'x1', answer('1')),
      other('x2', 'e2', { type: 'custom', customType: 'todo', data: { open: 2 } }),
      other('x3', 'x2', { type: 'label', targetId: 'e2', label: 'here' }),
      piEntry('e3', 'x3', piUser('Two')),
      piEntry('f1', 'e3', { ...answer(''), stopReason: 'error' }),
      piEntry('e4', 'f1', answer('2')),
      other('x4', 'e4', { type: 'thinking_level_change', thinkingLevel: 'high' }),
      piEntry('e5', 'x4', piUser('Three')),
      other('x5', 'e5', { type: 'session_info', name: 'The shop' }),
      other('x6', 'x5', { type: 'custom', customType: 'todo', data: { open: 1 } }),
    ];

    async function idsOf(change: (view: ViewMessage[]) => ViewMessage[]): Promise<unknown[]> {
      const recording = await read(...lines);
      const [session] = recording.sessions;
      if (session === undefined) throw new Error('no session');
      const view = session.messages.map((message, index): ViewMessage => {
        return { type: 'original', index, message, isEdited: false };
      });
      const { text } = writeRecording(recording, session, change(view));
      const entries = text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line) as { id: string; parentId: string | null });
      entries.forEach(({ parentId }, index) => expect(parentId).toBe(entries[index - 1]?.id ?? null));
      return entries.map(({ id }) => (/^[a-z]\d$/.test(id) ? id : 'new'));
    }

    it('stays in place beside a new message, behind the last one too', async () => {
      const ids = lines.slice(1).map((line) => (line as { id: string }).id);
      expect(await idsOf((view) => [...view.slice(0, 4), written, ...view.slice(4)])).toEqual(
        ids.flatMap((id) => (id === 'x4' ? ['new', 'x4'] : [id])),
      );
    });

    it('stays where the messages around it are compacted; what is said of them alone goes with them', async () => {
      expect(await idsOf((view) => [...view.slice(0, 1), written, ...view.slice(4)])).toEqual([
        'e1',
        'new',
        'x1',
        'x2',
        'x4',
        'e5',
        'x5',
        'x6',
      ]);
      expect(await idsOf((view) => [...view.slice(0, 2), written])).toEqual([
        'e1',
        'x1',
        'e2',
        'new',
        'x2',
        'x3',
        'x4',
        'x5',
        'x6',
      ]);
    });

    it('stays before the summary of a compaction, or in its place among what that kept', async () => {
      const tail = [
        { ...compaction, id: 'k1', parentId: 'x6', firstKeptEntryId: 'e3' },
        other('x7', 'k1', { type: 'custom', customType: 'todo', data: {} }),
        piEntry('e6', 'x7', answer('3')),
      ];
      lines.push(...tail);
      const ids = await idsOf((view) => [...view, written]);
      lines.splice(-tail.length);
      expect(ids.join(' ')).toBe('x1 x2 k1 e3 f1 e4 x4 e5 x5 x6 x7 e6 new');
    });
  });

  it('leaves a message that is put back as it was', async () => {
    const own = {
      ...piAnswer({ type: 'text', text: 'Put back.' }),
      model: 'test-0',
      usage: { input: 7 },
      stopReason: 'length',
      timestamp: 5,
    };
    const entries = await write((view) => [...view, { type: 'written', message: own }]);
    expect(entries.at(-1)?.['message']).toEqual(own);
  });

  it('writes back a session that uses tools', async () => {
    const lines = [
      piHeader,
      piEntry('e1', null, piUser('Read')),
      piEntry('e2', 'e1', piAnswer(piCall('k1'))),
      piEntry('e3', 'e2', piResult('k1')),
    ];
    const recording = await read(...lines);
    const [session] = recording.sessions;
    const message = { ...piResult('k1'), content: [{ type: 'text', text: '[cleared]' }] };
    const view = [0, 1].map((index): ViewMessage => ({
      type: 'original',
      index,
      message: session?.messages[index],
      isEdited: false,
    }));
    if (session === undefined) throw new Error('no session');
    const { text } = writeRecording(recording, session, [
      ...view,
      { type: 'original', index: 2, message, isEdited: true },
    ]);
    expect(text).toBe(
      jsonl(...lines)
        .split('"content of k1"')
        .join('"[cleared]"'),
    );
  });
});
