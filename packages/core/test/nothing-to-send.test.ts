import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aiSdkCodec,
  anthropicCodec,
  appendMessages,
  compact,
  ContextError,
  emptyState,
  openaiAgentsCodec,
  openaiChatCodec,
  openaiResponsesCodec,
  openTranscript,
  prepare,
  prune,
  renderView,
  resume,
  rewind,
  sessionCodec,
} from '../src/index.ts';
import { aiSdkPromptCodec } from '../src/internal.ts';
import { agentRun, policyOf } from './chat-history.ts';
import type { Codec, Policy } from '../src/index.ts';

const policy = policyOf(16_000);

const codecs: readonly Codec[] = [
  openaiChatCodec,
  openaiResponsesCodec,
  openaiAgentsCodec,
  anthropicCodec,
  aiSdkCodec,
  aiSdkPromptCodec,
  sessionCodec,
];

type Said = readonly [role: 'user' | 'assistant' | 'system', content: unknown];

function wireOf({ name }: Codec, [role, content]: Said): unknown {
  if (name !== 'session') return { role, content };
  return { id: 'm', role, parts: typeof content === 'string' ? [{ type: 'text', text: content }] : content };
}

/** What would be sent, how often something was repaired, or the error. */
type Outcome =
  | { readonly type: 'sent'; readonly messages: readonly unknown[]; readonly repairs: readonly string[] }
  | { readonly type: 'refused'; readonly code: string; readonly path: string };

function outcomeOf(codec: Codec, messages: readonly unknown[]): Outcome {
  try {
    const transcript = openTranscript({ codec }, messages);
    const step = prepare(transcript, emptyState(), policy);
    if (step.type !== 'ready') throw new Error(step.type);
    const rendered = renderView(transcript, step.view);
    return {
      type: 'sent',
      messages: rendered.messages.map(({ message }) => message),
      repairs: rendered.repairs.map(({ type }) => type),
    };
  } catch (error) {
    if (ContextError.is(error, 'bad-wire-format'))
      return { type: 'refused', code: error.code, path: error.details.path };
    throw error;
  }
}

const nothings: readonly (readonly [what: string, said: readonly Said[]])[] = [
  ['an empty list', []],
  ['a user who says an empty text', [['user', '']]],
  ['a user who says white space', [['user', ' \n']]],
  ['a user who says an empty list', [['user', []]]],
  ['a user who says nothing', [['user', null]]],
  ['a user whose message has no content', [['user', undefined]]],
  ['an answer that is an empty text', [['assistant', '']]],
  ['an answer that is an empty list', [['assistant', []]]],
  ['an answer that is nothing', [['assistant', null]]],
  ['a list of nothing', [['user', [null]]]],
  [
    'empty messages in a row',
    [
      ['user', ''],
      ['assistant', ''],
      ['user', []],
      ['system', ''],
    ],
  ],
];

describe.each(codecs.map((codec) => [codec.name, codec] as const))('%s', (_name, codec) => {
  it.each(nothings)('makes no request of %s, and names the place', (_what, said) => {
    const messages = said.map((one) => wireOf(codec, one));
    expect(outcomeOf(codec, messages)).toMatchObject({
      type: 'refused',
      path: expect.stringMatching(/^messages(\[\d\]\.(content|parts)|$)/) as string,
    });
  });

  it.each(['', ' ', []])('leaves out a message of %j, tells it, and sends the rest', (content) => {
    const user = wireOf(codec, ['user', 'Go on.']);
    for (const role of ['user', 'assistant'] as const) {
      const empty = wireOf(codec, [role, content]);
      const alone = outcomeOf(codec, [user]);
      const beside = outcomeOf(codec, [user, empty]);
      expect(beside).toMatchObject({ messages: alone.type === 'sent' ? alone.messages : [] });
      expect(beside.type === 'sent' ? beside.repairs : []).toContain('message-dropped');
    }
  });

  it('may begin with an empty history that grows', () => {
    const empty = openTranscript({ codec });
    const grown = appendMessages(empty, [wireOf(codec, ['user', 'Go on.'])]);
    expect(prepare(grown, emptyState(), policy).type).toBe('ready');
    expect(() => prepare(rewind(grown, 0), emptyState(), policy)).toThrow(ContextError);
  });

  it('sends at least one message of any list, or names the place', () => {
    const junk = fc.oneof(
      fc.constantFrom<unknown[]>(null, undefined, '', ' ', 0, 7, true, [], {}, [null], [''], [{}]),
      fc.constantFrom([{ type: 'text', text: '' }], [{ type: 'text', text: 'x' }], 'x'),
      fc.anything({ maxDepth: 2 }),
    );
    const message = fc.oneof(
      junk,
      fc.record(
        {
          type: fc.constantFrom('message', 'function_call', 'reasoning', 'x'),
          role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'x'),
          content: junk,
          parts: junk,
          tool_calls: junk,
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
        const outcome = outcomeOf(codec, messages);
        if (outcome.type === 'refused') expect(outcome.path).toMatch(/^messages/);
        else expect(outcome.messages.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a request without a message', () => {
  const empty = openTranscript({ codec: openaiChatCodec, system: 'Be brief.' });

  it.each([
    ['prepare', () => prepare(empty, emptyState(), policy)],
    ['prepare with notes', () => prepare(empty, emptyState(), policy, { notes: ['It is Monday.'] })],
    ['compact', () => compact(empty, policy)],
    ['prune', () => prune(empty, policy)],
    [
      'prepare where not even the system text fits',
      () =>
        prepare(
          openTranscript({ codec: openaiChatCodec, system: 'x '.repeat(90_000) }),
          emptyState(),
          policy,
        ),
    ],
  ])('is refused by %s, in words', (_name, call) => {
    expect(call).toThrow(
      'Expected messages to be a list of at least one message that says something, got an empty list.',
    );
  });

  it('says what became of the messages there were', () => {
    const messages = [
      { role: 'user', content: '' },
      ...Array.from({ length: 3 }, () => ({ role: 'assistant' })),
    ];
    const transcript = openTranscript({ codec: openaiChatCodec }, messages);
    expect(() => prepare(transcript, emptyState(), policy)).toThrow(
      /got nothing else than messages\[0\]: message-dropped \(empty\), .* …\.$/,
    );
  });

  it('is refused where the history goes while a model is asked', () => {
    const asking: Policy = { ...policyOf(4_000), summariser: { type: 'model', windowTokens: 4_000 } };
    const transcript = openTranscript({ codec: openaiChatCodec }, agentRun(60));
    const step = prepare(transcript, emptyState(), asking);
    if (step.type !== 'model-needed') throw new Error(step.type);
    for (const answer of [
      { type: 'text', text: '## Goal\nGo on.', finish: 'stop' },
      { type: 'failed', cause: 'cancelled', message: 'stopped' },
    ] as const)
      expect(() => resume(rewind(transcript, 0), step.paused, asking, answer)).toThrow(/an empty list/);
  });

  it('is none where there is only a system message, which the format takes', () => {
    const outcome = outcomeOf(openaiChatCodec, [{ role: 'system', content: 'Write a poem.' }]);
    expect(outcome).toMatchObject({ type: 'sent', repairs: [] });
  });
});
