import { describe, expect, it } from 'vitest';
import {
  answeredSystemMessageTokens,
  repeatedSystemMessages,
  appendEntries,
  createConversation,
  positionOf,
  tokensBetween,
  exchangeAt,
} from './conversation.ts';
import type { CallId, Entry, EntryId, Part, Role } from './entry.ts';

const measure = (entry: Entry): { tokens: number; parts: number[] } => ({
  tokens: 10,
  parts: entry.parts.map(() => 10 / entry.parts.length),
});

let nextOrdinal = 0;
function entry(role: Role, ...parts: Part[]): Entry {
  const ordinal = nextOrdinal++;
  return { id: `e${ordinal}` as EntryId, ordinal, role, wire: {}, parts };
}
const text = (value: string): Part => ({ type: 'text', at: [], text: value });
const call = (id: string): Part => ({
  type: 'call',
  at: [],
  callId: id as CallId,
  name: 'read',
  input: { type: 'value', value: {}, at: [] },
});
const result = (id: string): Part => ({
  type: 'result',
  at: [],
  callId: id as CallId,
  isError: false,
  pieces: [],
});

function conversation(
  shape: 'one' | 'many',
  ...build: (() => Entry)[]
): ReturnType<typeof createConversation> {
  nextOrdinal = 0;
  return appendEntries(
    createConversation({ measure, responseShape: shape }),
    build.map((make) => make()),
  );
}

const shapes = (built: ReturnType<typeof createConversation>): string[] =>
  [...built.exchanges, ...(built.lastExchange ? [built.lastExchange] : [])].map(
    ({ type, first, end, openCalls }) => `${type} ${first}-${end}${openCalls.length ? ' open' : ''}`,
  );

describe('appendEntries', () => {
  it('counts the system messages that reach the model: none in front of a compaction of the provider', () => {
    const barrier: Part = { type: 'opaque', at: [], value: {}, isBarrier: true };
    const system = (): Entry => entry('system', text('s'));
    const built = conversation('one', system, () => entry('user', text('u')), system);
    expect(built.systemMessageTokens).toBe(20);
    expect(answeredSystemMessageTokens(built)).toBe(0);
    expect(answeredSystemMessageTokens(appendEntries(built, [entry('assistant', text('a')), system()]))).toBe(
      20,
    );
    const behind = appendEntries(built, [entry('assistant', barrier), system()]);
    expect(behind.systemMessageTokens).toBe(10);
    expect(answeredSystemMessageTokens(behind)).toBe(0);
  });

  it('counts of equal system messages the newest, behind the first messages, and knows the others', () => {
    const mode = (said: string) => (): Entry => entry('system', text(said));
    const user = (): Entry => entry('user', text('u'));
    const assistant = (): Entry => entry('assistant', text('a'));
    const built = conversation('one', mode('s'), user, mode('s'), assistant, mode('t'), mode('s'), assistant);
    expect([...repeatedSystemMessages(built).keys()]).toEqual([2]);
    expect(built.systemMessageTokens).toBe(30);
    expect(answeredSystemMessageTokens(built)).toBe(30);
    const again = appendEntries(built, [mode('t')()]);
    expect([...repeatedSystemMessages(again).keys()]).toEqual([2, 4]);
    expect(answeredSystemMessageTokens(again)).toBe(30);
    expect([...repeatedSystemMessages(built).keys()]).toEqual([2]);
    const barrier: Part = { type: 'opaque', at: [], value: {}, isBarrier: true };
    const behind = appendEntries(again, [entry('assistant', barrier), mode('t')()]);
    expect([...repeatedSystemMessages(behind).keys()]).toEqual([]);
  });

  it('keeps a response with all its results in one exchange', () => {
    const built = conversation(
      'one',
      () => entry('system', text('s')),
      () => entry('user', text('u')),
      () => entry('assistant', call('a'), call('b')),
      () => entry('tool', result('b')),
      () => entry('tool', result('a')),
      () => entry('assistant', text('done')),
    );
    expect(shapes(built)).toEqual(['system 0-1', 'user 1-2', 'response 2-5', 'response 5-6']);
  });

  it('leaves an exchange open until each of its calls is answered', () => {
    const built = conversation(
      'one',
      () => entry('assistant', call('a'), call('a')),
      () => entry('tool', result('a')),
    );
    expect(shapes(built)).toEqual(['response 0-2 open']);
  });

  it('keeps a call and its result in one exchange, also where a message that says nothing stands between', () => {
    const thought: Part = { type: 'reasoning', at: [], text: 'so', opaqueLength: 0 };
    const between = [
      () => entry('assistant', thought),
      () => entry('assistant', text(' ')),
      () => entry('assistant'),
    ];
    const built = conversation(
      'one',
      () => entry('assistant', call('a')),
      ...between,
      () => entry('tool', result('a')),
    );
    expect(shapes(built)).toEqual(['response 0-5']);
    const later = conversation('one', () => entry('assistant', text('hello')), ...between);
    expect(shapes(later)).toEqual(['response 0-1', 'response 1-2', 'response 2-3', 'response 3-4']);
  });

  it('starts an exchange for each chat message, and one for all calls of a response in item formats', () => {
    const calls = [() => entry('assistant', call('a')), () => entry('assistant', call('b'))];
    expect(shapes(conversation('one', ...calls))).toEqual(['response 0-1 open', 'response 1-2 open']);
    expect(shapes(conversation('many', ...calls))).toEqual(['response 0-2 open']);
  });

  it('puts a user message that carries results into the exchange they belong to', () => {
    const built = conversation(
      'one',
      () => entry('user', text('u')),
      () => entry('assistant', call('a')),
      () => entry('user', result('a'), text('and more')),
    );
    expect(shapes(built)).toEqual(['user 0-1', 'response 1-3']);
    expect(built.latestAt).toBe(2);
  });

  it('gives the same exchanges whether messages come at once or one by one', () => {
    const build = [
      () => entry('user', text('u')),
      () => entry('assistant', call('a')),
      () => entry('tool', result('a')),
      () => entry('user', text('v')),
    ];
    const atOnce = conversation('one', ...build);
    nextOrdinal = 0;
    let oneByOne = createConversation({ measure });
    for (const make of build) oneByOne = appendEntries(oneByOne, [make()]);
    expect(shapes(oneByOne)).toEqual(shapes(atOnce));
    expect(tokensBetween(oneByOne, 1, 3)).toBe(20);
    expect([oneByOne.taskAt, oneByOne.latestAt, oneByOne.answeredEnd]).toEqual([0, 3, 2]);
  });
});

describe('exchangeAt and positionOf', () => {
  it('find the exchange of every position and the position of every ordinal, also with unloaded ranges', () => {
    nextOrdinal = 0;
    const first = entry('user', text('u'));
    nextOrdinal = 40;
    const rest = [entry('assistant', call('a')), entry('tool', result('a')), entry('user', text('v'))];
    const built = appendEntries(createConversation({ measure }), [first, ...rest]);
    expect([0, 1, 2, 3].map((position) => exchangeAt(built, position)?.first)).toEqual([0, 1, 1, 3]);
    expect([0, 40, 41, 42, 7].map((ordinal) => positionOf(built, ordinal))).toEqual([0, 1, 2, 3, -1]);
  });
});
