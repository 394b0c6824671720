import { describe, expect, it } from 'vitest';
import { anthropicCodec, openaiChatCodec } from '@throughline/core';
import { brokenRules, signedReasoningOf } from './validity.ts';

const user = { role: 'user', content: 'Fix it.' };
const calling = (...ids: string[]): unknown => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
});
const result = (id: string): unknown => ({ role: 'tool', tool_call_id: id, content: 'ok' });

function broken(...messages: unknown[]): string[] {
  return [
    ...brokenRules(
      messages.map((message, index) => openaiChatCodec.decode(message, index)),
      new Set(),
    ),
  ];
}

describe('brokenRules', () => {
  it('accepts parallel calls with their results, and open calls at the end', () => {
    expect(broken(user, calling('a', 'b'), result('b'), result('a'), calling('c'))).toEqual([]);
  });

  it('accepts an id that is used again later', () => {
    expect(broken(user, calling('a'), result('a'), calling('a'), result('a'))).toEqual([]);
  });

  it.each([
    ['result-answers-call-before', [user, result('a')]],
    ['every-call-answered', [user, calling('a', 'b'), result('a'), calling('c')]],
    ['every-call-answered', [user, calling('a'), user]],
    ['no-id-answered-twice', [user, calling('a'), result('a'), result('a')]],
    ['no-empty-message', [user, { role: 'assistant', content: '' }]],
    ['first-is-user', [calling('a'), result('a')]],
  ])('notes a break of %s', (rule, messages) => {
    expect(broken(...messages)).toContain(rule);
  });

  it('notes signed reasoning that is not the recorded one', () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'abc' };
    const decode = (part: object): ReturnType<typeof anthropicCodec.decode> =>
      anthropicCodec.decode({ role: 'assistant', content: [part, { type: 'text', text: 'Done.' }] }, 1);
    const known = new Set(signedReasoningOf(decode(thinking)));
    const first = anthropicCodec.decode(user, 0);
    expect([...brokenRules([first, decode(thinking)], known)]).toEqual([]);
    expect([...brokenRules([first, decode({ ...thinking, thinking: 'Hm!' })], known)]).toEqual([
      'signed-reasoning-unchanged',
    ]);
  });
});
