import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { aiSdkCodec } from '../codecs/ai-sdk/ai-sdk-codec.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { longArguments } from './prune-part.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openaiResponsesCodec } from '../codecs/openai-responses/openai-responses-codec.ts';
import { openTranscript } from '../history/transcript.ts';
import { emptyState } from '../pass/state.ts';
import { exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { prune } from '../context/prune.ts';
import { renderView } from '../history/render-view.ts';
import type { CallPart } from '../transcript/entry.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Policy } from '../pass/policy.ts';

type Call = (index: number, input: unknown) => unknown[];

const patch = `*** Begin Patch\n${'+ const answer = 42;\n'.repeat(200)}*** End Patch`;

const forms: Record<string, { readonly codec: Codec; readonly call: Call }> = {
  'a custom tool call of OpenAI Responses': {
    codec: openaiResponsesCodec as Codec,
    call: (index, input) => [
      { type: 'custom_tool_call', call_id: `c${index}`, name: 'apply_patch', input },
      { type: 'custom_tool_call_output', call_id: `c${index}`, output: 'Done' },
    ],
  },
  'a custom tool call of OpenAI Chat': {
    codec: openaiChatCodec as Codec,
    call: (index, input) => [
      {
        role: 'assistant',
        tool_calls: [{ id: `c${index}`, type: 'custom', custom: { name: 'apply_patch', input } }],
      },
      { role: 'tool', tool_call_id: `c${index}`, content: 'Done' },
    ],
  },
  'a call of the AI SDK with a text as its input': {
    codec: aiSdkCodec as Codec,
    call: (index, input) => [
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: `c${index}`, toolName: 'apply_patch', input }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: `c${index}`,
            toolName: 'apply_patch',
            output: { type: 'text', value: 'Done' },
          },
        ],
      },
    ],
  },
};

const functionCall: Call = (index, input) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `c${index}`, type: 'function', function: { name: 'edit', arguments: JSON.stringify(input) } },
    ],
  },
  { role: 'tool', tool_call_id: `c${index}`, content: 'Done' },
];

function pruned(codec: Codec, call: Call, input: unknown): { messages: unknown[]; saved: number } {
  const messages = [
    { role: 'user', content: 'Go.' },
    ...Array.from({ length: 40 }, (_, index) => call(index, input)).flat(),
    { role: 'assistant', content: 'ok' },
    { role: 'user', content: 'next' },
  ];
  const transcript = openTranscript({ codec, estimator: charactersEstimator }, messages);
  const step = prune(transcript, policyOf(40_000));
  const shown = renderView(transcript, step.view).messages.map(({ message }) => message);
  return { messages: shown, saved: step.report.tokens.before - step.report.tokens.final };
}

describe('pruning the arguments of old calls', () => {
  it.each(Object.entries(forms))('puts a placeholder in the place of the whole input of %s', (_, form) => {
    const { messages, saved } = pruned(form.codec, form.call, patch);
    expect(saved).toBeGreaterThan(20_000);
    const text = JSON.stringify(messages[1]);
    expect(text).toContain('"apply_patch"');
    expect(text).toMatch(/"\[cleared argument m1\.0, \d+ tokens\]/);
  });

  it('prunes what is short by itself and long together, and keeps what tells one call from another', () => {
    const edits = Array.from({ length: 30 }, (_, index) => ({
      line: index,
      old: `const before${index} = ${'x'.repeat(150)};`,
      new: `const after${index} = ${'y'.repeat(150)};`,
    }));
    const { messages, saved } = pruned(openaiChatCodec as Codec, functionCall, {
      path: 'src/billing/ledger.ts',
      reason: 'rename',
      edits,
    });
    expect(saved).toBeGreaterThan(20_000);
    const [call] = (messages[1] as { tool_calls: { function: { name: string; arguments: string } }[] })
      .tool_calls;
    const input = JSON.parse(call?.function.arguments ?? '') as {
      path: string;
      reason: string;
      edits: typeof edits;
    };
    expect(input).toMatchObject({ path: 'src/billing/ledger.ts', reason: 'rename' });
    expect(input.edits.map(({ line }) => line)).toEqual(edits.map(({ line }) => line));
    expect(input.edits.every((edit) => typeof edit.old === 'string' && typeof edit.new === 'string')).toBe(
      true,
    );
    expect(JSON.stringify(input.edits).match(/\[cleared argument/g)).toHaveLength(1);
  });

  it('prunes also where an input of Anthropic is an object', () => {
    const call: Call = (index, input) => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `c${index}`, name: 'write', input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${index}`, content: 'Done' }] },
    ];
    const { messages } = pruned(anthropicCodec as Codec, call, { path: 'a.ts', body: patch });
    expect(JSON.stringify(messages[1])).toMatch(/"input":\{"path":"a\.ts","body":"\[cleared argument/);
  });

  it('takes arguments that do not parse as one text', () => {
    const broken = `{"path": "a.ts", "body": "${'x'.repeat(2_000)}`;
    const part: CallPart = {
      type: 'call',
      callId: 'c' as CallPart['callId'],
      name: 'write',
      at: [],
      input: { type: 'text', text: broken, at: ['arguments'] },
    };
    expect(longArguments(part)).toEqual([{ at: [], text: broken, also: [] }]);
  });
});

describe('longArguments', () => {
  it('looks at objects that lie at 2^60 places once', () => {
    let root: unknown = { text: 'x'.repeat(500) };
    for (let level = 0; level < 60; level += 1) root = { a: root, b: root };
    const input = { type: 'value', value: root, at: [] } as const;
    const part: CallPart = { type: 'call', callId: 'c' as CallPart['callId'], name: 'n', at: [], input };
    expect(longArguments(part).length).toBeLessThan(100);
  });

  it('leaves no call with more short text than it may keep', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.array(fc.string({ maxLength: 399 })), (value, texts) => {
        const root = { value, texts } as unknown;
        const input = { type: 'value', value: root, at: [] } as const;
        const part: CallPart = { type: 'call', callId: 'c' as CallPart['callId'], name: 'n', at: [], input };
        const gone = longArguments(part).flatMap(({ also, ...one }) => [one, ...also]);
        const left = lengthOf(root) - gone.reduce((sum, { text }) => sum + text.length, 0);
        expect(left).toBeLessThan(1_200);
        expect(new Set(gone.map(({ at }) => JSON.stringify(at))).size).toBe(gone.length);
      }),
    );
  });
});

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + lengthOf(item), 0);
}

describe('a failed result that is pruned', () => {
  it.each(['Error: exit code 2', 'Process exited with code 2'])(
    'keeps the line that says what went wrong (%s)',
    (head) => {
      const log = `${'compiling a module of the project\n'.repeat(200)}error TS2304: Cannot find name 'fooBar'.\n`;
      const history = [
        { role: 'user', content: 'Build it.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'b', type: 'function', function: { name: 'bash', arguments: '{"command":"make"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'b', content: `${head}\n${log}` },
        ...Array.from({ length: 12 }, (_, index) => exchange(index, 8_000)).flat(),
      ];
      const step = prepare(transcriptOf(history), emptyState(), policyOf(24_000, 'pruning-agent'));
      const pruned = step.type === 'ready' ? step.changes.filter(({ type }) => type === 'result-pruned') : [];
      expect(JSON.stringify(pruned[0])).toContain("It failed: error TS2304: Cannot find name 'fooBar'.");
      expect(pruned.slice(1).every((change) => !JSON.stringify(change).includes('It failed'))).toBe(true);
    },
  );
});

describe('what pruning leaves alone', () => {
  // Four turns of five results each, of some 1 000 tokens.
  const turns = Array.from({ length: 4 }, (_, turn) => [
    { role: 'user', content: `Turn ${turn}` },
    ...Array.from({ length: 5 }, (_, index) => exchange(turn * 5 + index, 4_000)).flat(),
    { role: 'assistant', content: 'Done.' },
  ]).flat();

  /** Turns of which a result is pruned. */
  function pruned(budget: Partial<Policy['budget']>): number[] {
    const policy = policyOf(400_000);
    const step = prune(transcriptOf(turns), {
      ...policy,
      budget: { ...policy.budget, leastGainTokens: 1, ...budget },
    });
    const found = step.changes.map((change) => ('ordinal' in change.anchor ? change.anchor.ordinal : -1));
    return [...new Set(found.map((ordinal) => Math.floor(ordinal / 12)))].toSorted((a, b) => a - b);
  }

  it('is the output of the newest turns, whatever is asked to stay beyond them', () => {
    expect(pruned({ keepTokens: 0 })).toEqual([0, 1]);
    expect(pruned({ keepTokens: 0, keepTurns: 1 })).toEqual([0, 1, 2]);
    expect(pruned({ keepTokens: 0, keepTurns: 0 })).toEqual([0, 1, 2, 3]);
  });

  it('is the newest output before those turns, as much as is asked for', () => {
    expect(pruned({ keepTokens: 6_000 })).toEqual([0]);
    expect(pruned({ keepTokens: 40_000 })).toEqual([]);
  });

  it('is never more than a quarter of the trigger, unless more is asked for', () => {
    expect(pruned({ thresholdTokens: 24_000, keepTokens: 0 })).toEqual([0, 1, 2]);
    expect(pruned({ thresholdTokens: 24_000, keepTokens: 12_000 })).toEqual([0, 1]);
  });
});
