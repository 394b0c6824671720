import { aroundFound } from '../src/parts/text/around-found.ts';
import { branchesAt } from '../src/data/session/branches.ts';
import { changeOf } from '../src/views/message/edits.ts';
import { describe, expect, it } from 'vitest';
import { transcriptRows, withLive } from '../src/views/chat/transcript-rows.ts';
import { readableText, visibleText } from '../src/parts/visible-text.ts';
import { inCallOrder, writtenMessage } from '../src/data/conversation/history.ts';
import type { HistoryMessage } from '../src/data/types.ts';

const kin = (
  id: string,
  parentSessionId: string | null,
  forkedAt: number | null,
  messageCount: number,
  at = 0,
) => ({
  id,
  parentSessionId,
  forkedAt,
  messageCount,
  createdAtMs: at,
  updatedAtMs: at,
});

describe('versions of a message', () => {
  const family = [
    kin('root', null, null, 8, 1),
    kin('b', 'root', 2, 6, 2),
    kin('c', 'b', 2, 6, 3),
    kin('d', 'c', 4, 6, 4),
    kin('unused fork', 'root', 2, 2, 5),
    kin('other trunk', 'b', 4, 6, 6),
  ];

  it('are those that were written at its place behind the same messages, oldest first', () => {
    expect(branchesAt(family, 'root', 2)).toEqual({
      at: 0,
      count: 3,
      before: undefined,
      after: 'other trunk',
    });
    expect(branchesAt(family, 'c', 2)).toEqual({ at: 2, count: 3, before: 'other trunk', after: undefined });
    expect(branchesAt(family, 'b', 2)).toMatchObject({ at: 1, before: 'root', after: 'd' });
    expect(branchesAt(family, 'c', 4)).toEqual({ at: 0, count: 2, before: undefined, after: 'd' });
    expect(branchesAt(family, 'other trunk', 4)).toEqual({ at: 1, count: 2, before: 'b', after: undefined });
  });

  it('are none where nobody wrote another one', () => {
    expect(branchesAt(family, 'root', 0)).toBeUndefined();
    expect(branchesAt(family, 'root', 4)).toBeUndefined();
    expect(branchesAt([], 'root', 2)).toBeUndefined();
  });

  it('stay apart when the session they come from is deleted', () => {
    const orphans = family.filter(({ id }) => id !== 'root');
    expect(branchesAt(orphans, 'b', 2)).toMatchObject({ at: 0, count: 2 });
  });
});

describe('the change that a call would make', () => {
  it('is found in the arguments of the usual tools', () => {
    const edits = [{ before: 'a', after: 'b' }];
    expect(changeOf({ path: 'x', oldText: 'a', newText: 'b' })).toEqual({ type: 'edits', path: 'x', edits });
    expect(changeOf({ file_path: 'x', edits: [{ old_string: 'a', new_string: 'b' }] })).toEqual({
      type: 'edits',
      path: 'x',
      edits,
    });
    expect(changeOf({ file_path: 'x', content: 'b' })).toMatchObject({ edits: [{ before: '', after: 'b' }] });
    expect(changeOf({ input: '*** Begin Patch\n-a\n+b' })).toMatchObject({ type: 'patch' });
  });

  it('is none where the arguments do not say so', () => {
    for (const input of [null, 'text', [1], { command: 'ls' }, { path: 'x' }, { input: '--- it is ---' }])
      expect(changeOf(input)).toBeUndefined();
  });
});

it('characters that turn text around or are not seen are shown: in prose the former, but for isolates', () => {
  expect(visibleText('a\u202Eb\u2066c\u200Bd\u{E0041}')).toBe('a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+E0041⟩');
  expect(readableText('a\u202Eb\u2066c\u2069d')).toBe('a⟨U+202E⟩b\u2066c\u2069d');
  expect(visibleText('שלום 👨‍👩‍👧 é')).toBe('שלום 👨‍👩‍👧 é');
});

describe('a message that is being written', () => {
  const message = (ordinal: number, isOpen = false): HistoryMessage => ({
    ordinal,
    id: `id${ordinal}`,
    role: 'assistant',
    parts: [{ type: 'text', text: 'said' }],
    marks: [{}],
    isOpen,
    createdAtMs: ordinal,
  });
  const textOf = (row: ReturnType<typeof withLive>[number] | undefined): unknown =>
    row?.type === 'message' && row.message.parts[0]?.type === 'text' ? row.message.parts[0].text : undefined;

  it.each([
    ['behind the last', [message(0), message(1)], 'id2', 2],
    ['in its place', [message(0), message(1, true)], 'id1', 1],
  ])('stands %s, and leaves the rows before it the very same', (_, messages, messageId, at) => {
    const settled = transcriptRows({ messages, compactions: [], endedRuns: [] });
    const answer = {
      messageId,
      parts: { 0: { type: 'text', text: 'said and more', isComplete: false } },
    } as const;
    const rows = withLive(settled, writtenMessage({ messages, answer }), []);
    expect(rows).toHaveLength(at + 1);
    expect(textOf(rows[at])).toBe('said and more');
    for (const [before, row] of settled.slice(0, at).entries()) expect(rows[before]).toBe(row);
  });
});

describe('what was found', () => {
  it.each([
    ['in front', 'Build it, please', 'build', ['', 'Build', ' it, please']],
    [
      'far behind',
      `${'word '.repeat(30)}the (end) of it`,
      '(END)',
      [/^…word( word)* the $/, '(end)', ' of it'],
    ],
    ['over a line', 'a long\n  way to go', ' long way', ['a ', 'long\n  way', ' to go']],
    ['in parts', 'one and then two', 'two one', ['one and then ', 'two', '']],
    ['not as it stands', 'something else', 'nowhere', ['something else', '', '']],
  ] as const)('is seen with little in front of it: %s', (_, excerpt, sought, [before, hit, after]) => {
    expect(aroundFound(excerpt, sought)).toEqual({
      before: typeof before === 'string' ? before : expect.stringMatching(before),
      hit,
      after,
    });
  });
});

describe('questions of tools', () => {
  it('stand in the order of their calls, whichever was asked first; of an id that comes again the newest call counts', () => {
    const ask = (callId: string) => ({
      id: `ask ${callId}`,
      callId,
      toolName: 'write',
      input: {},
      warning: '',
      requestedAtMs: 0,
      grant: { toolName: 'write' },
    });
    const calls = (ordinal: number, callIds: readonly string[]): HistoryMessage => ({
      ordinal,
      id: `id${ordinal}`,
      role: 'assistant',
      marks: [],
      isOpen: false,
      createdAtMs: 0,
      parts: callIds.map((callId) => ({ type: 'call', callId, name: 'write', input: {}, isInvalid: false })),
    });
    const history = [calls(0, ['c', 'b']), calls(1, ['a', 'b', 'c'])];
    const asked = inCallOrder([ask('c'), ask('b'), ask('a')], history);
    expect(asked.map(({ callId }) => callId)).toEqual(['a', 'b', 'c']);
  });
});
