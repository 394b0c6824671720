import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeWire, wireFormats } from './compose-wire.ts';
import { historyArbitrary } from './history-arbitrary.ts';
import { findWireFaults, type JudgedFormat } from './independent-validator.ts';
import { assistant, call, reasoning, result, type TestMessage, toolResult, user } from './test-message.ts';

const judged = wireFormats.filter((format): format is JudgedFormat => format !== 'session');

describe.each(judged)('the judge of %s', (format) => {
  const faultsOf = (...history: TestMessage[]): readonly string[] =>
    findWireFaults(format, composeWire(format, history));
  const go = user('go');
  const step = [assistant('', [call('a'), call('b')]), toolResult(result('a'), result('b'))];

  it('accepts valid histories', () => {
    fc.assert(
      fc.property(historyArbitrary({ format, hostility: 'none' }), (messages) => {
        expect(findWireFaults(format, messages, { ending: 'send', wantsUserFirst: true })).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  const planted: readonly [string, readonly TestMessage[]][] = [
    ['an orphan', [go, toolResult('x'), ...step]],
    ['a second result', [go, ...step, toolResult('a')]],
    ['a missing result', [go, assistant('', [call('a'), call('b')]), toolResult('a'), user('x')]],
    ['a missing result at the end', [go, assistant('', [call('a')])]],
    [
      'a repeated id in one message',
      [go, assistant('', [call('a'), call('a')]), toolResult(result('a'), result('a'))],
    ],
    ['an empty message', [go, { role: 'user', parts: [] }]],
    ['a blank message', [user(' ')]],
    ['only reasoning', [go, assistant('', [reasoning('hm', 'c2ln')]), go]],
    ['a lone surrogate', [user('x \uD83D')]],
  ];

  it.each(planted)('finds %s', (_name, history) => {
    expect(faultsOf(...history)).not.toEqual([]);
  });

  it('finds a result that comes too late where results must be adjacent', () => {
    const faults = faultsOf(go, assistant('', [call('a')]), user('x'), toolResult('a'));
    expect(faults.length > 0).toBe(format !== 'openai-responses');
  });

  it('lets a trailing response wait for its results when asked to', () => {
    const messages = composeWire(format, [go, assistant('', [call('a'), call('b')]), toolResult('a')]);
    expect(findWireFaults(format, messages, { ending: 'open' })).toEqual([]);
  });

  it('wants the user first when asked to', () => {
    const messages = composeWire(format, [assistant('hello'), go]);
    expect(findWireFaults(format, messages, { ending: 'send', wantsUserFirst: true })).not.toEqual([]);
  });
});

describe('the judge of anthropic', () => {
  it('finds white space at the end of a last answer, and nowhere else', () => {
    const faultsOf = (...contents: string[]): readonly string[] =>
      findWireFaults(
        'anthropic',
        contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
      );
    expect(faultsOf('go ', 'yes ', 'on ')).toEqual([]);
    expect(faultsOf('go', 'yes ')).not.toEqual([]);
  });
});

describe('the judge of openai-chat, on calls of custom tools', () => {
  const answered = (call: object): readonly string[] =>
    findWireFaults('openai-chat', [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ]);

  it('accepts one with a name and a text as its input', () => {
    expect(answered({ id: 'c1', type: 'custom', custom: { name: 'patch', input: '*** Begin' } })).toEqual([]);
  });

  it('finds one without its input, and one that is neither', () => {
    expect(answered({ id: 'c1', type: 'custom', custom: { name: 'patch' } })).not.toEqual([]);
    expect(answered({ id: 'c1', type: 'custom', function: { name: 'a', arguments: '{}' } })).not.toEqual([]);
    expect(answered({ id: 'c1', type: 'other' })).not.toEqual([]);
  });
});
