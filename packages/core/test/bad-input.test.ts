import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aiSdkCodec,
  appendMessages,
  checkOverflow,
  checkToolResult,
  compact,
  ContextError,
  convertMessages,
  countMessages,
  countText,
  createStrategy,
  emptyState,
  estimateTokens,
  findModel,
  formerState,
  learnWindow,
  markForCache,
  modelLimits,
  needsPruning,
  openaiChatCodec,
  openLoadedTranscript,
  openTranscript,
  prepare,
  priceRequest,
  pricingOf,
  prune,
  recall,
  reconcile,
  recordUsage,
  renderView,
  resume,
  rewind,
  searchTranscript,
  shouldCompact,
  stateAt,
  toolsInView,
  undo,
  validate,
} from '../src/index.ts';
import { strategyNames } from '../src/internal.ts';
import { agentRun, policyOf, transcriptOf } from './chat-history.ts';
import type { Policy, Transcript } from '../src/index.ts';

const transcript = transcriptOf(agentRun(3));
const policy = policyOf(16_000);
const state = emptyState();
const pricing = {
  prices: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 },
  cache: { kind: 'none', lifetimeMs: 0 },
} as const;

function errorOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A call with one argument that is something else. */
type Call = (value: never) => unknown;

const calls: Readonly<Record<string, Call>> = {
  'openTranscript, options': (value) => openTranscript(value),
  'openTranscript, codec': (value) => openTranscript({ codec: value }),
  'openTranscript, messages': (value) => openTranscript({ codec: openaiChatCodec }, value),
  'openTranscript, a message': (value) => openTranscript({ codec: openaiChatCodec }, [value]),
  'openLoadedTranscript, history': (value) => openLoadedTranscript({ codec: openaiChatCodec }, value),
  'appendMessages, transcript': (value) => appendMessages(value, []),
  'appendMessages, messages': (value) => appendMessages(transcript, value),
  'rewind, transcript': (value) => rewind(value, 1),
  'stateAt, state': (value) => stateAt(value, [], 1),
  'stateAt, checkpoints': (value) => stateAt(state, value, 1),
  'searchTranscript, transcript': (value) => searchTranscript(value, 'text'),
  'searchTranscript, query': (value) => searchTranscript(transcript, value),
  'checkToolResult, output': (value) => checkToolResult(transcript, policy, value),
  'checkToolResult, text': (value) => checkToolResult(transcript, policy, { text: value }),
  'countText, text': (value) => countText(value, transcript.estimator),
  'countText, estimator': (value) => countText('x', value),
  'modelLimits, input': (value) => modelLimits(value),
  'modelLimits, model': (value) => modelLimits({ model: value, endpoint: 'hosted' }),
  'modelLimits, endpoint': (value) => modelLimits({ endpoint: value }),
  'modelLimits, user': (value) => modelLimits({ endpoint: 'hosted', user: value }),
  'findModel, id': (value) => findModel(value),
  'pricingOf, entry': (value) => pricingOf(value),
  'priceRequest, pricing': (value) => priceRequest(value, { inputTokens: 1 }),
  'priceRequest, tokens': (value) => priceRequest(pricing, value),
  'toolsInView, view': (value) => toolsInView(value, []),
  'validate, entries': (value) => validate(value, openaiChatCodec.rules, { ending: 'send' }),
  'validate, rules': (value) => validate([], value, { ending: 'send' }),
  'validate, options': (value) => validate([], openaiChatCodec.rules, value),
  'markForCache, request': (value) => markForCache(value),
  'markForCache, messages': (value) => markForCache({ messages: value }),
  'markForCache, options': (value) => markForCache({ messages: [] }, value),
  'prepare, transcript': (value) => prepare(value, state, policy),
  'prepare, state': (value) => prepare(transcript, value, policy),
  'prepare, policy': (value) => prepare(transcript, state, value),
  'prepare, options': (value) => prepare(transcript, state, policy, value),
  'prepare, strategy': (value) => prepare(transcript, state, { ...policy, strategy: value }),
  'prepare, budget': (value) => prepare(transcript, state, { ...policy, budget: value }),
  'prepare, summariser': (value) => prepare(transcript, state, { ...policy, summariser: value }),
  'prepare, pricing': (value) => prepare(transcript, state, { ...policy, pricing: value }),
  'prepare, profile': (value) => prepare(transcript, state, { ...policy, profile: value }),
  'prepare, pins': (value) => prepare(transcript, state, { ...policy, pins: value }),
  'resume, paused': (value) => resume(transcript, value, policy, { type: 'text', text: '', finish: 'stop' }),
  'compact, policy': (value) => compact(transcript, value),
  'prune, policy': (value) => prune(transcript, value),
  'prune, options': (value) => prune(transcript, policy, state, value),
  'needsPruning, state': (value) => needsPruning(transcript, policy, value),
  'shouldCompact, policy': (value) => shouldCompact(transcript, value),
  'checkOverflow, transcript': (value) => checkOverflow(value, policy),
  'undo, checkpoint': (value) => undo(transcript, state, policy, value),
  'undo, state': (value) => undo(transcript, value, policy, { id: 'c1' } as never),
  'formerState, checkpoint': (value) => formerState(state, value),
  'renderView, view': (value) => renderView(transcript, value),
  'recordUsage, usage': (value) => recordUsage(transcript, state, value),
  'learnWindow, state': (value) => learnWindow(value, { windowTokens: 1_000 }),
  'reconcile, messages': (value) => reconcile(transcript, value),
  'convertMessages, entries': (value) => convertMessages(value, openaiChatCodec, aiSdkCodec),
  'convertMessages, an entry': (value) => convertMessages([value], openaiChatCodec, aiSdkCodec),
  'convertMessages, from': (value) => convertMessages([], value, aiSdkCodec),
  'convertMessages, to': (value) => convertMessages([], openaiChatCodec, value),
  'recall, transcript': (value) => recall(value, 'm1'),
  'estimateTokens, transcript': (value) => estimateTokens(value),
  'countMessages, transcript': (value) => countMessages(value),
  'createStrategy, name': (value) => createStrategy(value),
  'createStrategy, options': (value) => createStrategy('digest', value),
};

/** Where `undefined` is the same as saying nothing. */
const optional = new Set([
  'modelLimits, model',
  'modelLimits, user',
  'markForCache, options',
  'prepare, options',
  'prepare, summariser',
  'prepare, pricing',
  'prepare, profile',
  'prepare, pins',
  'prune, options',
  'needsPruning, state',
  'createStrategy, options',
]);

/** Where any text is one. */
const takesText = new Set([
  'searchTranscript, query',
  'checkToolResult, output',
  'checkToolResult, text',
  'countText, text',
  'modelLimits, model',
  'findModel, id',
]);

describe.each(Object.entries(calls))('%s', (name, call) => {
  it('refuses what is none with a typed error', () => {
    for (const value of [undefined, null, 7, 'text', true, Symbol('x'), 7n, ['x'], [null]]) {
      if (value === undefined && optional.has(name)) continue;
      if (value === 'text' && takesText.has(name)) continue;
      expect([value, ContextError.is(errorOf(() => call(value as never)))]).toEqual([value, true]);
    }
  });

  it('throws nothing but typed errors, whatever comes', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const error = errorOf(() => call(value as never));
        expect(error === undefined || ContextError.is(error) ? 'typed' : error).toBe('typed');
      }),
      { numRuns: 100 },
    );
  });
});

const refusal = (call: () => unknown): unknown => {
  const error = errorOf(call);
  return ContextError.is(error, 'invalid-option') ? error.details.option : error;
};

describe('an option that there is not', () => {
  const misspelt: readonly (readonly [string, () => unknown])[] = [
    ['tresholdPercent', () => createStrategy('threshold-tail', { tresholdPercent: 60 } as object)],
    ['policy.hasRecal', () => prepare(transcript, state, { ...policy, hasRecal: true } as Policy)],
    [
      'policy.budget.thresholdToken',
      () =>
        prepare(transcript, state, { ...policy, budget: { ...policy.budget, thresholdToken: 1 } } as Policy),
    ],
    [
      'policy.summariser.window',
      () =>
        prepare(transcript, state, {
          ...policy,
          summariser: { type: 'model', windowTokens: 9_000, window: 1 } as Policy['summariser'] & object,
        }),
    ],
    ['reson', () => prepare(transcript, state, policy, { reson: 'manual' } as object)],
    ['sytem', () => openTranscript({ codec: openaiChatCodec, sytem: 'x' } as never, [])],
    ['endings', () => renderView(transcript, {} as never, { endings: 'open' } as object)],
  ];

  it.each(misspelt.slice(0, -1))('is refused by its name: %s', (option, call) => {
    expect(refusal(call)).toBe(option);
  });

  it.each(strategyNames)('is refused by the strategy %s, and so is one of another type', (name) => {
    expect(refusal(() => createStrategy(name, { keepPercents: 5 } as object))).toBe('keepPercents');
    expect(refusal(() => createStrategy(name, { tailShare: '0.5' } as object))).toBe('tailShare');
    expect(refusal(() => createStrategy(name, { preserveLastNTurns: '2' } as object))).toBe(
      'preserveLastNTurns',
    );
    expect(refusal(() => createStrategy(name, { trigger: 'sometimes' } as object))).toBe('trigger');
  });

  it('says which one was meant', () => {
    expect(() => createStrategy('threshold-tail', { tresholdPercent: 60 } as object)).toThrow(
      /did you mean thresholdPercent\?/,
    );
  });
});

describe('a value of another type', () => {
  it.each([
    ['windowTokens', '8k', 'a finite number ≥ 1, got "8k".'],
    ['windowTokens', undefined, 'a finite number ≥ 1, got undefined.'],
    ['thresholdTokens', '6k', 'a whole number ≥ 1, got "6k".'],
    ['target', 55, 'a number in (0, 1], got 55.'],
  ])('is refused with the path of the option and what came: %s, %s', (name, value, sentence) => {
    const budget = { windowTokens: 8_000, [name]: value } as unknown as Policy['budget'];
    const learned = learnWindow(state, { windowTokens: 4_000 });
    for (const known of [state, learned])
      expect(() => prepare(transcript, known, { ...policy, budget })).toThrow(
        `Expected policy.budget.${name} to be ${sentence}`,
      );
  });

  it('is said of messages that were not decoded, and of what is no codec', () => {
    const message = { role: 'user', content: 'go' };
    expect(() => convertMessages([message] as never, openaiChatCodec, aiSdkCodec)).toThrow(
      'Expected entries[0] to be a decoded message, from.decode(message, index), got an object.',
    );
    expect(() => convertMessages([], openaiChatCodec, 'anthropic' as never)).toThrow(
      /^Expected to to be a codec, as openaiChatCodec: .+, got "anthropic"\.$/,
    );
  });
});

describe('a message that is none', () => {
  const places: readonly (readonly [string, unknown])[] = [
    ['messages[1]', null],
    ['messages[1]', 'hello'],
    ['messages[1].role', { content: 'hello' }],
    ['messages[1].role', { role: 'usr', content: 'hello' }],
    ['messages[1].content', { role: 'user' }],
    ['messages[1].content', { role: 'user', content: null }],
    ['messages[1].content[0]', { role: 'user', content: [7] }],
    ['messages[1].tool_calls', { role: 'assistant', content: null, tool_calls: 'read' }],
    ['messages[1].tool_call_id', { role: 'tool', content: 'x' }],
  ];

  it.each(places)('is refused with its place: %s', (path, message) => {
    const error = errorOf(() =>
      openTranscript({ codec: openaiChatCodec }, [{ role: 'user', content: 'go' }, message]),
    );
    expect(error).toMatchObject({ code: 'bad-wire-format', details: { path, format: 'openai-chat' } });
  });
});

const throwing = (key: string, holder: object): object =>
  Object.defineProperty({ ...holder }, key, {
    enumerable: true,
    get: () => {
      throw new TypeError(`${key} is not to be read`);
    },
  });

describe('a message that throws when it is read', () => {
  const user = { role: 'user', content: 'go' };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const messages: readonly (readonly [string, unknown])[] = [
    ['its role', throwing('role', user)],
    ['its content', throwing('content', user)],
    ['a block', { ...user, content: [throwing('text', { type: 'text' })] }],
    ['a call', { role: 'assistant', tool_calls: [throwing('function', { id: 'c' })] }],
    ['all of it', revoked.proxy],
  ];

  it.each(messages)('is refused with its place: %s', (_what, message) => {
    const opened = openTranscript({ codec: openaiChatCodec }, [user]);
    const list = Object.defineProperty([user], 1, { enumerable: true, get: () => message }) as unknown[];
    for (const call of [
      () => openTranscript({ codec: openaiChatCodec }, list),
      () => reconcile(opened, list),
      () => reconcile(openTranscript({ codec: openaiChatCodec }, [user, user]), list),
      () => reconcile(opened, list, [user, user]),
    ]) {
      const error = errorOf(call);
      expect(error).toMatchObject({ code: 'bad-wire-format', details: { path: 'messages[1]' } });
    }
  });

  it('is sent as it came where the member is none of the format', () => {
    const message = throwing('other', user);
    expect(sent(openTranscript({ codec: openaiChatCodec }, [message])).messages[0]).toBe(message);
  });

  it.each([[new Uint8Array(4)], [new Uint8Array(4).buffer]])(
    'has no bytes where they were handed on',
    (data) => {
      const bytes = ArrayBuffer.isView(data) ? data.buffer : data;
      structuredClone(bytes, { transfer: [bytes] });
      const image = { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] };
      const { messages: found } = sent(openTranscript({ codec: aiSdkCodec }, [image]));
      expect(found).toEqual([image]);
    },
  );
});

/** What would be sent, and what was mended. */
function sent(opened: Transcript): { readonly messages: unknown[]; readonly repairs: readonly string[] } {
  const step = prepare(opened, emptyState(), policy);
  if (step.type !== 'ready') throw new Error(step.type);
  const { messages, repairs } = renderView(opened, step.view);
  return { messages: messages.map(({ message }) => message), repairs: repairs.map(({ type }) => type) };
}

describe('a call in the shape of Ollama', () => {
  const history = [
    { role: 'user', content: 'weather?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ function: { name: 'weather', arguments: { at: 'Oslo' } } }],
    },
    { role: 'tool', tool_name: 'weather', content: 'rain' },
  ];

  it('gets its id, type and text, keeps its result, and every mend is told', () => {
    const { messages, repairs } = sent(openTranscript({ codec: openaiChatCodec }, history));
    expect(messages).toEqual([
      history[0],
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'weather', type: 'function', function: { name: 'weather', arguments: '{"at":"Oslo"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'weather', content: 'rain' },
    ]);
    expect(new Set(repairs)).toEqual(new Set(['shape-mended']));
  });

  it('is the same where the messages come one by one, and where they are handed in again', () => {
    let grown = openTranscript({ codec: openaiChatCodec });
    for (const message of history) grown = appendMessages(grown, [message]);
    expect(sent(grown)).toEqual(sent(openTranscript({ codec: openaiChatCodec }, history)));
    expect(reconcile(grown, structuredClone(history)).transcript.conversation).toBe(grown.conversation);
  });

  it.each([
    [7, 7],
    [7, '7'],
    [undefined, 'call_1'],
    [null, null],
    ['call_1', 1],
  ])('keeps the result of a call %s that says it answers %s', (id, answered) => {
    const call = { id, type: 'function', function: { name: 'weather', arguments: '{}' } };
    const { messages } = sent(
      openTranscript({ codec: openaiChatCodec }, [
        { role: 'user', content: 'weather?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: answered, content: 'rain' },
      ]),
    );
    const [, asked, told] = messages as {
      tool_calls: { id: string }[];
      tool_call_id: string;
      content: string;
    }[];
    expect(told?.content).toBe('rain');
    expect(told?.tool_call_id).toBe(asked?.tool_calls[0]?.id);
  });
});

describe('a result in the form of the AI SDK', () => {
  const asking = [
    { role: 'user', content: 'when?' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'when', input: {} }] },
  ];
  const result = (output: unknown): object => ({
    type: 'tool-result',
    toolCallId: 'a',
    toolName: 'when',
    output,
  });
  const answered = (...content: unknown[]): ReturnType<typeof sent> =>
    sent(openTranscript({ codec: aiSdkCodec }, [...asking, { role: 'tool', content }]));

  it.each([
    [
      [undefined, new Date(0), Number.NaN],
      [null, '1970-01-01T00:00:00.000Z', null],
    ],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [{ at: new Map([[1, 2]]) }, { at: {} }],
  ])('says its value as JSON does: %j', (value, said) => {
    const { messages, repairs } = answered(result({ type: 'json', value }));
    expect(messages.at(-1)).toMatchObject({ content: [{ output: { value: said } }] });
    expect(repairs).toEqual(['shape-mended']);
  });

  it('keeps the very object where its value is JSON, with members that hold nothing', () => {
    const told = result({ type: 'json', value: { list: [1, [null]], none: undefined } });
    const { messages, repairs } = answered(told);
    expect((messages.at(-1) as { content: unknown[] }).content[0]).toBe(told);
    expect(repairs).toEqual([]);
  });

  it('is named where JSON cannot say its value, and where a text stands in its place', () => {
    const path = 'messages[2].content[0]';
    const bad = { code: 'bad-wire-format' };
    expect(errorOf(() => answered(result({ type: 'json', value: [7n] })))).toMatchObject({
      ...bad,
      details: { path: `${path}.output.value` },
    });
    expect(errorOf(() => answered('now'))).toMatchObject({ ...bad, details: { path } });
    const itself: Record<string, unknown> = { at: 1 };
    itself['itself'] = [itself];
    expect(errorOf(() => answered(result({ type: 'json', value: itself })))).toMatchObject({
      ...bad,
      details: { path: `${path}.output.value` },
    });
  });

  it('stays alone where a text beside it says nothing', () => {
    const told = result({ type: 'text', value: 'now' });
    const { messages, repairs } = answered(' ', told, { type: 'text', text: '' });
    expect(messages.at(-1)).toEqual({ role: 'tool', content: [told] });
    expect(new Set(repairs)).toEqual(new Set(['shape-mended']));
  });
});
