import {
  assistant,
  call,
  composeWire,
  pixel,
  reasoning,
  result,
  system,
  toolResult,
  user,
} from '@throughline/testkit';
import type { TestMessage } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import type { WireRules } from '../codecs/codec.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openaiResponsesCodec } from '../codecs/openai-responses/openai-responses-codec.ts';
import { sessionCodec } from '../codecs/session/session-codec.ts';
import { validate } from './validate.ts';

const codecs = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  session: sessionCodec,
} as const;

function rulesBroken(
  format: keyof typeof codecs,
  history: readonly TestMessage[],
  rules: Partial<WireRules> = {},
) {
  const codec = codecs[format];
  const entries = composeWire(format, history).map((message, ordinal) => codec.decode(message, ordinal));
  return validate(entries, { ...codec.rules, ...rules }, { ending: 'send' }).map(({ rule }) => rule);
}

describe('validate', () => {
  const go = user('go');
  const cases: readonly [
    string,
    readonly string[],
    keyof typeof codecs,
    readonly TestMessage[],
    Partial<WireRules>?,
  ][] = [
    [
      'a plain exchange',
      [],
      'anthropic',
      [go, assistant('', [call('a')]), toolResult('a'), assistant('done')],
    ],
    [
      'parallel calls answered in any order',
      [],
      'openai-chat',
      [go, assistant('', [call('a'), call('b')]), toolResult('b'), toolResult('a')],
    ],
    ['a result without a call', ['orphan-result'], 'openai-chat', [go, toolResult('a')]],
    [
      'two results for a call',
      ['duplicate-result'],
      'openai-chat',
      [go, assistant('', [call('a')]), toolResult('a'), toolResult('a')],
    ],
    ['a call without a result', ['missing-result'], 'openai-chat', [go, assistant('', [call('a')])]],
    [
      'a result behind other messages',
      ['late-result'],
      'openai-chat',
      [go, assistant('', [call('a')]), user('x'), toolResult('a')],
    ],
    [
      'a result behind other items where order is free',
      [],
      'openai-responses',
      [go, assistant('', [call('a')]), user('x'), toolResult('a')],
    ],
    [
      'a result behind text',
      ['results-first'],
      'anthropic',
      [go, assistant('', [call('a')]), { role: 'user', parts: [{ type: 'text', text: 'x' }, result('a')] }],
    ],
    ['a call of the user', ['misplaced-part'], 'anthropic', [user('x', call('a'))]],
    [
      'a repeated id',
      ['duplicate-call-id'],
      'anthropic',
      [go, assistant('', [call('a')]), toolResult('a'), assistant('', [call('a')]), toolResult('a')],
    ],
    [
      'a repeated id in a format that takes it',
      [],
      'openai-chat',
      [go, assistant('', [call('a')]), toolResult('a'), assistant('', [call('a')]), toolResult('a')],
    ],
    [
      'an id outside the pattern',
      ['bad-call-id'],
      'anthropic',
      [go, assistant('', [call('a.b')]), toolResult('a.b')],
    ],
    ['an empty message', ['empty-message'], 'openai-chat', [user('')]],
    ['an empty text beside other content', ['empty-text'], 'anthropic', [user(' ', pixel)]],
    ['only reasoning', ['reasoning-only'], 'anthropic', [go, assistant('', [reasoning('hm', 'c2ln')])]],
    [
      'reasoning without its item',
      ['reasoning-without-item', 'reasoning-only'],
      'openai-responses',
      [go, assistant('', [reasoning('hm', 'c2ln')]), go],
    ],
    [
      'reasoning with its item',
      [],
      'openai-responses',
      [go, assistant('so', [reasoning('hm', 'c2ln'), call('a')]), toolResult('a')],
    ],
    ['media where none is taken', ['media-not-allowed'], 'anthropic', [go, assistant('see', [pixel])]],
    ['a lone surrogate', ['lone-surrogate'], 'openai-chat', [user('x\uD83D')]],
    [
      'half of a provider-executed pair',
      ['split-pair'],
      'anthropic',
      [go, assistant('', [{ ...call('a'), isProviderExecuted: true }]), go],
    ],
    [
      'a system message in the middle',
      ['system-placement'],
      'openai-chat',
      [go, system('x')],
      { systemMessages: 'leading' },
    ],
    ['a first message of the assistant', ['first-not-user'], 'anthropic', [assistant('x')]],
    [
      'two messages of one role',
      ['consecutive-roles'],
      'openai-chat',
      [go, go],
      { allowsConsecutiveRoles: false },
    ],
    ['no message', [], 'anthropic', []],
  ];

  it.each(cases)('judges %s: %j', (_name, expected, format, history, rules) => {
    expect(rulesBroken(format, history, rules)).toEqual(expected);
  });
});
