import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assistant,
  call,
  composeWire,
  findWireFaults,
  historyArbitrary,
  pixel,
  reasoning,
  result,
  system,
  toolResult,
  user,
  type WireFormat,
  wireFormats,
  everyday,
} from '@throughline/testkit';
import type { TestMessage } from '@throughline/testkit';
import { aiSdkCodec } from '../codecs/ai-sdk/ai-sdk-codec.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import type { Codec, WireRules } from '../codecs/codec.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openaiResponsesCodec } from '../codecs/openai-responses/openai-responses-codec.ts';
import { sessionCodec } from '../codecs/session/session-codec.ts';
import { applyRepair } from './repaired.ts';
import type { CheckOptions } from './validate.ts';
import { interruptedText } from './lay-out-items.ts';
import { repair } from './repair.ts';
import { validate } from './validate.ts';

const codecs: Record<WireFormat, Codec> = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  'ai-sdk': aiSdkCodec,
  session: sessionCodec,
};
const send: CheckOptions = { ending: 'send' };

function withRules(codec: Codec, rules: Partial<WireRules>): Codec {
  return { ...codec, rules: { ...codec.rules, ...rules } };
}

function decodeAll(messages: readonly unknown[], codec: Codec) {
  return messages.map((message, ordinal) => codec.decode(message, ordinal));
}

function repairMessages(messages: readonly unknown[], codec: Codec, options: CheckOptions = send) {
  const entries = decodeAll(messages, codec);
  const { items, repairs } = repair(entries, codec, options);
  const applied = applyRepair(entries, items, codec);
  return { messages: applied.map(({ message }) => message), applied, items, repairs };
}

function repairTest(format: WireFormat, history: readonly TestMessage[], options: CheckOptions = send) {
  return repairMessages(composeWire(format, history), codecs[format], options);
}

const strict: Partial<WireRules> = {
  firstIsUser: true,
  allowsConsecutiveRoles: false,
  uniqueCallIds: true,
  mediaIn: { user: false, assistant: false, result: false },
};
const variants: readonly [string, WireFormat, Codec][] = wireFormats.flatMap(
  (format): [string, WireFormat, Codec][] => [
    [format, format, codecs[format]],
    [`${format} with strict rules`, format, withRules(codecs[format], strict)],
    [
      `${format} with leading system messages`,
      format,
      withRules(codecs[format], format === 'anthropic' ? {} : { systemMessages: 'leading' }),
    ],
    [
      `${format} with ids of nine letters`,
      format,
      withRules(codecs[format], { callIdPattern: /^[a-zA-Z0-9]{9}$/g, uniqueCallIds: true }),
    ],
  ],
);

describe.each(variants)('repair in %s', (_name, format, codec) => {
  const options = fc.record({ ending: fc.constantFrom('send' as const, 'open' as const) });
  const wild = fc.oneof(
    historyArbitrary({ format, hostility: 'wild', size: 4 }),
    historyArbitrary({ format, hostility: 'some', size: 8 }),
  );

  it('leaves nothing that validate finds, and a second repair changes nothing', () => {
    fc.assert(
      fc.property(wild, options, (messages, checkOptions) => {
        const before = JSON.stringify(messages);
        const first = repairMessages(messages, codec, checkOptions);
        const entries = decodeAll(first.messages, codec);
        expect(validate(entries, codec.rules, checkOptions)).toEqual([]);
        const second = repairMessages(first.messages, codec, checkOptions);
        expect(second.repairs).toEqual([]);
        expect(second.messages.every((message, index) => message === first.messages[index])).toBe(true);
        expect(JSON.stringify(messages)).toBe(before);
        expect(repairMessages(messages, codec, checkOptions).messages).toEqual(first.messages);
        if (first.repairs.length === 0)
          expect(first.messages.every((message, index) => message === messages[index])).toBe(true);
        else expect(validate(decodeAll(messages, codec), codec.rules, checkOptions)).not.toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('satisfies the independent judge', () => {
    if (format === 'session') return;
    fc.assert(
      fc.property(wild, options, (messages, checkOptions) => {
        const repaired = repairMessages(messages, codec, checkOptions);
        expect(findWireFaults(format, repaired.messages, checkOptions)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe.each(wireFormats)('a valid history in %s', (format) => {
  it('comes back as the same objects', () => {
    fc.assert(
      fc.property(historyArbitrary({ format, hostility: 'none', hasGiants: true }), (messages) => {
        if (format !== 'session') expect(findWireFaults(format, messages)).toEqual([]);
        const { applied, repairs } = repairMessages(messages, codecs[format]);
        expect(repairs).toEqual([]);
        expect(applied).toHaveLength(messages.length);
        expect(
          applied.every(
            ({ message, index, isEdited }, at) => message === messages[at] && index === at && !isEdited,
          ),
        ).toBe(true);
      }),
      { numRuns: 60, plugins: [everyday(20)] },
    );
  });
});

describe.each(wireFormats)('any JSON in %s', (format) => {
  const word = fc.constantFrom(
    'user',
    'assistant',
    'tool',
    'system',
    'a',
    '',
    'tool_use',
    'tool_result',
    'text',
    'tool-call',
  );
  const kind = fc.constantFrom(
    'text',
    'tool_use',
    'tool_result',
    'tool-call',
    'tool-result',
    'call',
    'result',
    'thinking',
    'reasoning',
    'image',
  );
  const block = fc.record(
    {
      type: kind,
      text: word,
      id: word,
      tool_use_id: word,
      toolCallId: word,
      callId: word,
      toolName: word,
      name: word,
      content: fc.jsonValue(),
    },
    { requiredKeys: ['type'] },
  );
  const list = fc.oneof(
    fc.array(fc.oneof(block, fc.jsonValue({ maxDepth: 1 })), { maxLength: 4 }),
    word,
    fc.constant(null),
  );
  const message = fc.record(
    {
      role: word,
      type: fc.constantFrom('message', 'function_call', 'function_call_output', 'reasoning'),
      call_id: word,
      tool_call_id: word,
      tool_calls: list,
      content: list,
      parts: list,
      summary: list,
    },
    { requiredKeys: [] },
  );

  it('is repaired without throwing, losing the input or leaving a fault', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(message, fc.jsonValue()), { maxLength: 6 }), (messages) => {
        const before = JSON.stringify(messages);
        const codec = codecs[format];
        const repaired = repairMessages(messages, codec);
        expect(validate(decodeAll(repaired.messages, codec), codec.rules, send)).toEqual([]);
        expect(JSON.stringify(messages)).toBe(before);
      }),
      { numRuns: 240, plugins: [everyday(40)] },
    );
  });
});

describe('repair', () => {
  it('answers a call without a result by an error right after it', () => {
    const history = [user('go'), assistant('', [call('a'), call('b')]), toolResult('b'), user('next')];
    const { messages, repairs } = repairTest('openai-chat', history);
    expect(messages[2]).toMatchObject({
      role: 'tool',
      tool_call_id: 'a',
      content: expect.stringContaining(interruptedText) as string,
    });
    expect(messages.slice(3)).toEqual(composeWire('openai-chat', history.slice(2)));
    expect(repairs).toEqual([{ type: 'result-added', entry: 1, part: 0, callId: 'a' }]);
  });

  it('puts the error result into the user message that carries the other results', () => {
    const answer: TestMessage = { role: 'user', parts: [result('b'), { type: 'text', text: 'and now?' }] };
    const { messages } = repairTest('anthropic', [user('go'), assistant('', [call('a'), call('b')]), answer]);
    expect(messages).toHaveLength(3);
    expect(messages[2]).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', is_error: true },
        { type: 'tool_result', tool_use_id: 'b' },
        { type: 'text', text: 'and now?' },
      ],
    });
  });

  it('leaves a trailing response open when its caller is about to answer, and closes it before a send', () => {
    const history = [user('go'), assistant('', [call('a'), call('b')]), toolResult('a')];
    for (const format of wireFormats) {
      expect(repairTest(format, history, { ending: 'open' }).repairs).toEqual([]);
      expect(repairTest(format, history).repairs).toMatchObject([{ type: 'result-added', callId: 'b' }]);
    }
  });

  it('drops orphans and second results and says so', () => {
    const history = [
      user('go'),
      toolResult('x'),
      assistant('', [call('a')]),
      toolResult('a'),
      toolResult('a'),
    ];
    for (const format of ['openai-chat', 'openai-responses', 'ai-sdk', 'session'] as const) {
      const { messages, repairs } = repairTest(format, history);
      expect(messages).toHaveLength(3);
      expect(repairs.filter(({ type }) => type === 'result-dropped')).toMatchObject([
        { because: 'orphan' },
        { because: 'duplicate' },
      ]);
    }
  });

  it('moves a late result up to its call without rewriting it', () => {
    const history = [user('go'), assistant('', [call('a')]), user('hurry'), toolResult(result('a', 'late'))];
    const chat = composeWire('openai-chat', history);
    const { messages, repairs } = repairMessages(chat, openaiChatCodec);
    expect(messages).toEqual([chat[0], chat[1], chat[3], chat[2]]);
    expect(messages[2]).toBe(chat[3]);
    expect(repairs).toEqual([{ type: 'result-moved', entry: 3, part: 0, callId: 'a', to: 1 }]);
  });

  it('trims the last answer where the result that stood behind it has moved up to its call', () => {
    const calling = [user('go'), assistant('', [call('a')]), user('hurry')];
    const history = [...calling, assistant('Done. \n'), toolResult(result('a', 'late'))];
    const { messages, repairs } = repairTest('anthropic', history);
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Done.' });
    expect(findWireFaults('anthropic', messages)).toEqual([]);
    expect(repairs.map(({ type }) => type)).toEqual(['result-moved', 'end-trimmed']);
  });

  it('gives results that answered two responses back to each, in place', () => {
    const history = [
      user('go'),
      assistant('', [call('a')]),
      assistant('', [call('b')]),
      toolResult(result('a'), result('b')),
    ];
    expect(repairTest('anthropic', history).messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ id: 'a' }, { id: 'b' }] },
      { role: 'user', content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }] },
    ]);
    expect(repairTest('ai-sdk', history).messages).toMatchObject([
      { role: 'user' },
      { content: [{ toolCallId: 'a' }] },
      { role: 'tool', content: [{ toolCallId: 'a' }] },
      { content: [{ toolCallId: 'b' }] },
      { role: 'tool', content: [{ toolCallId: 'b' }] },
    ]);
  });

  it('renames repeated ids where they must be unique, with their results, by what came before alone', () => {
    const turn = [assistant('', [call('a')]), toolResult('a')];
    const history = [user('go'), ...turn, ...turn, ...turn];
    const ids = (messages: readonly unknown[]) =>
      JSON.stringify(messages).match(/"(?:id|tool_use_id)":"[^"]*"/g);
    const three = repairTest('anthropic', history);
    expect(ids(three.messages)).toEqual(
      ['a', 'a', 'a_2', 'a_2', 'a_3', 'a_3'].map((id, i) => `"${i % 2 ? 'tool_use_id' : 'id'}":"${id}"`),
    );
    expect(
      repairTest('anthropic', [...history, assistant('', [call('a_2')])], { ending: 'open' }).messages.slice(
        0,
        7,
      ),
    ).toEqual(three.messages);
    expect(repairTest('openai-chat', history).repairs).toEqual([]);
  });

  it('drops what the model cannot read and replaces media where none is taken', () => {
    const image = { ...result('b', 'shot', 'look'), image: pixel };
    const history = [
      user('go'),
      { role: 'assistant', parts: [] },
      assistant('', [reasoning('hm', 'c2ln')]),
      assistant('', [call('b', {}, 'look')]),
      toolResult(image),
      assistant('look at', [pixel]),
    ] satisfies TestMessage[];
    const { messages, repairs } = repairTest('anthropic', history);
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'thinking' }, { type: 'tool_use' }] },
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ type: 'text' }, { type: 'text', text: expect.stringContaining('image/png') as string }],
      },
    ]);
    expect(repairs.map(({ type }) => type)).toEqual(['message-dropped', 'media-replaced', 'messages-joined']);
  });

  it('cleans lone surrogates everywhere, also in arguments and names', () => {
    const history = [
      user('cut \uD83D'),
      assistant('', [call('a', { 'k\uDC00': 'v\uD800' })]),
      toolResult(result('a', '\uDE00')),
    ];
    for (const format of wireFormats) {
      const { messages } = repairTest(format, history);
      expect(JSON.stringify(messages)).toContain('cut \uFFFD');
      expect(
        decodeAll(messages, codecs[format])
          .flatMap((entry) => validate([entry], codecs[format].rules, send))
          .filter(({ rule }) => rule === 'lone-surrogate'),
      ).toEqual([]);
    }
  });

  it('says a misplaced system message as the user’s and keeps the order of roles with constant notes', () => {
    const codec = withRules(aiSdkCodec, { ...strict, systemMessages: 'leading' });
    const history = [assistant('hello'), user('one'), user('two'), system('be brief'), assistant('ok')];
    const { messages } = repairMessages(composeWire('ai-sdk', history), codec);
    expect(messages.map((message) => (message as { role: string }).role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('judges a continuation by what went before it', () => {
    const codec = anthropicCodec;
    const entries = decodeAll(composeWire('anthropic', [assistant('', [call('a')]), toolResult('a')]), codec);
    const continues = {
      callIds: new Set(['b']),
      answeredCallIds: new Set(['b']),
      lastRole: 'user' as const,
    };
    expect(validate(entries, codec.rules, { ending: 'send', continues })).toEqual([]);
    expect(validate(entries, codec.rules, send)).toEqual([{ rule: 'first-not-user', entry: 0 }]);
    const taken = { ...continues, callIds: new Set(['a']) };
    expect(validate(entries, codec.rules, { ending: 'send', continues: taken })).toMatchObject([
      { rule: 'duplicate-call-id' },
    ]);
    const later = decodeAll(composeWire('anthropic', [toolResult('b'), toolResult('c')]), codec);
    expect(repair(later, codec, { ending: 'send', continues }).repairs.slice(0, 2)).toMatchObject([
      { type: 'result-dropped', callId: 'b', because: 'duplicate' },
      { type: 'result-dropped', callId: 'c', because: 'orphan' },
    ]);
  });

  it.each<[Exclude<WireFormat, 'session'>, unknown]>([
    ['anthropic', { role: 'assistant', content: [{ type: 'tool_use', name: 'read', input: {} }] }],
    ['openai-responses', { type: 'function_call', name: 'read', arguments: '{}' }],
    ['ai-sdk', { role: 'assistant', content: [{ type: 'tool-call', toolName: 'read', input: {} }] }],
  ])('gives a call without an id one, and the result that it lacks the same: %s', (format, wire) => {
    const { messages, repairs } = repairMessages(
      [...composeWire(format, [user('go')]), wire],
      codecs[format],
    );
    expect(findWireFaults(format, messages)).toEqual([]);
    expect(repairs.map(({ type }) => type)).toEqual(['call-renamed', 'result-added']);
    const found = decodeAll(messages, codecs[format]).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'call' || part.type === 'result' ? [part.callId] : [])),
    );
    expect(found).toEqual(['call', 'call']);
  });

  it('keeps the result of a call where both have an empty id', () => {
    const { messages } = repairMessages(
      [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: '', name: 'read', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: '', content: 'found' }] },
      ],
      anthropicCodec,
    );
    expect(findWireFaults('anthropic', messages)).toEqual([]);
    expect(JSON.stringify(messages)).toContain('found');
  });

  it('gets through tens of thousands of broken messages', () => {
    const turn = [assistant('', [call('a')]), user('x'), toolResult('a'), toolResult('a')];
    const history = Array.from({ length: 16_000 }, () => turn).flat();
    const entries = decodeAll(composeWire('anthropic', [user('go'), ...history]), anthropicCodec);
    const { items, repairs } = repair(entries, anthropicCodec, send);
    expect(repairs.length).toBeGreaterThan(16_000);
    expect(applyRepair(entries, items, anthropicCodec).length).toBeGreaterThan(16_000);
  });
});
