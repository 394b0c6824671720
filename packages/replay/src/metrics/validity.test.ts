import { describe, expect, it } from 'vitest';
import { anthropicCodec, openaiChatCodec } from '@throughline/core';
import { brokenRules, collectSigned } from './validity.ts';

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
      { parts: new Set(), callIds: new Set() },
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

  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'abc' };
  const use = (id: string): object => ({ type: 'tool_use', id, name: 'read', input: {} });
  const decode = (role: string, ...content: object[]): ReturnType<typeof anthropicCodec.decode> =>
    anthropicCodec.decode({ role, content }, 1);
  const request = anthropicCodec.decode(user, 0);

  it('notes signed reasoning that is not the recorded one', () => {
    const text = { type: 'text', text: 'Done.' };
    const signed = { parts: new Set<string>(), callIds: new Set<string>() };
    collectSigned(decode('assistant', thinking, text), signed);
    expect([...brokenRules([request, decode('assistant', thinking, text)], signed)]).toEqual([]);
    expect([
      ...brokenRules([request, decode('assistant', { ...thinking, thinking: 'Hm!' }, text)], signed),
    ]).toEqual(['signed-reasoning-unchanged']);
  });

  it('notes a loop that has lost its signed reasoning in part', () => {
    const answer = (id: string): ReturnType<typeof decode> =>
      decode('user', { type: 'tool_result', tool_use_id: id, content: 'ok' });
    const signed = { parts: new Set<string>(), callIds: new Set<string>() };
    const loop = [
      decode('assistant', thinking, use('a')),
      answer('a'),
      decode('assistant', thinking, use('b')),
      answer('b'),
    ];
    for (const entry of loop) collectSigned(entry, signed);
    const stripped = [decode('assistant', use('a')), answer('a')];
    expect([...brokenRules([request, ...loop], signed)]).toEqual([]);
    expect([
      ...brokenRules([request, ...stripped, decode('assistant', use('b')), answer('b')], signed),
    ]).toEqual([]);
    expect([...brokenRules([request, ...stripped, ...loop.slice(2)], signed)]).toEqual([
      'signed-reasoning-whole-loop',
    ]);
    expect([...brokenRules([request, ...stripped, request, ...loop.slice(2)], signed)]).toEqual([]);
  });
});
