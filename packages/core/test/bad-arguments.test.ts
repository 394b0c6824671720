import { describe, expect, it } from 'vitest';
import {
  checkToolResult,
  ContextError,
  countMessages,
  countText,
  emptyState,
  findModel,
  learnWindow,
  markForCache,
  modelLimits,
  openaiChatCodec,
  prepare,
  priceRequest,
  pricingOf,
  rewind,
  searchTranscript,
  stateAt,
  toolsInView,
  validate,
} from '../src/index.ts';
import { agentRun, policyOf, readyOf, transcriptOf } from './chat-history.ts';
import type { Policy } from '../src/index.ts';

const transcript = transcriptOf(agentRun(3));
const policy = policyOf(16_000);
const state = emptyState();
const { view } = readyOf(prepare(transcript, state, policy));
const pricing = {
  prices: { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 },
  cache: { kind: 'none', lifetimeMs: 0 },
} as const;

/** The option that a call is refused for; anything else that came of it. */
function refusal(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return ContextError.is(error, 'invalid-option') ? error.details.option : error;
  }
}

describe('a length of a history', () => {
  it.each([-1, NaN, 0.5, Infinity, '2', null])('is a whole number, not %s', (length) => {
    expect(refusal(() => rewind(transcript, length as number))).toBe('length');
    expect(refusal(() => stateAt(state, [], length as number))).toBe('end');
  });

  it('may be 0, and more than there is', () => {
    expect(countMessages(rewind(transcript, 0)).total).toBe(0);
    expect(rewind(transcript, 1_000)).toBe(transcript);
  });
});

describe('room for the answer', () => {
  const preparedWith = (outputReserveTokens: number, windowTokens = 10_000): string => {
    const budget = { windowTokens, outputReserveTokens };
    return prepare(transcript, state, { ...policy, budget }).type;
  };

  it.each([8_601, 10_000, 1_000_000])(
    'is refused where it leaves less than a tenth of the window: %d',
    (kept) => {
      expect(() => preparedWith(kept)).toThrow(
        `Expected policy.budget.outputReserveTokens to be at most 8600, so that a tenth of the window of 10000 tokens is left beside what is kept free, got ${kept}.`,
      );
    },
  );

  it('may be all the rest, and stays where an error has taught a smaller window', () => {
    expect(preparedWith(8_600)).toBe('ready');
    const learned = learnWindow(state, { windowTokens: 4_000 });
    const budget = { windowTokens: 10_000, outputReserveTokens: 8_000 };
    expect(() => prepare(transcript, learned, { ...policy, budget })).not.toThrow();
  });
});

describe('the limits of a tool', () => {
  const long = transcriptOf(agentRun(3, 1_000_000));
  const sizes = (limitsOf: unknown): number[] => {
    const step = readyOf(prepare(long, state, { ...policyOf(4_000_000), limitsOf } as Policy));
    return [step.report.tokens.final, step.report.ladderSteps.length];
  };

  it('are the usual ones where the policy says nothing of this tool', () => {
    expect(sizes(() => undefined)).toEqual(sizes(undefined));
    expect(sizes(() => ({ maxOutputChars: 1_000 }))[0]).toBeLessThan(sizes(undefined)[0] ?? 0);
    const { maxTokens } = checkToolResult(long, policy, 'x', state);
    expect(checkToolResult(long, { ...policy, limitsOf: () => undefined }, 'x', state).maxTokens).toBe(
      maxTokens,
    );
  });

  it.each([
    ['policy.limitsOf()', null],
    ['policy.limitsOf()', 2_000],
    ['policy.limitsOf().maxOutputCharacters', { maxOutputCharacters: 2_000 }],
    ['policy.limitsOf().maxLines', { maxLines: '20' }],
    ['policy.limitsOf().maxLines', { maxLines: -1 }],
    ['policy.limitsOf().maxLines', { maxLines: NaN }],
  ])('are refused where they are none: %s', (option, limits) => {
    const own = { ...policy, limitsOf: () => limits } as Policy;
    expect(refusal(() => prepare(transcript, state, own))).toBe(option);
    expect(refusal(() => checkToolResult(transcript, own, 'text'))).toBe(option);
  });
});

describe('an argument of another type', () => {
  const others: readonly (readonly [string, () => unknown])[] = [
    ['query', () => searchTranscript(transcript, null as never)],
    ['transcript', () => searchTranscript({} as never, 'text')],
    ['output', () => checkToolResult(transcript, policy, 5 as never)],
    ['output.text', () => checkToolResult(transcript, policy, {} as never)],
    ['output.text', () => checkToolResult(transcript, policy, { text: 5 } as never)],
    ['checkpoints', () => stateAt(state, null as never, 1)],
    ['text', () => countText(null as never, transcript.estimator)],
    ['estimator', () => countText('x', null as never)],
    ['options', () => modelLimits(null as never)],
    ['endpoint', () => modelLimits({} as never)],
    ['endpoint', () => modelLimits({ endpoint: 'somewhere' } as never)],
    ['endpoints', () => modelLimits({ endpoint: 'local', endpoints: 1 } as never)],
    ['id', () => findModel(null as never)],
    ['entry', () => pricingOf(null as never)],
    ['pricing', () => priceRequest(null as never, null as never)],
    ['tokens', () => priceRequest(pricing, null as never)],
    ['view', () => toolsInView(null as never, [])],
    ['names', () => toolsInView(view, 'read')],
    ['entries', () => validate(null as never, openaiChatCodec.rules, { ending: 'send' })],
    ['entries[0]', () => validate([null] as never, openaiChatCodec.rules, { ending: 'send' })],
    ['rules', () => validate([], {} as never, { ending: 'send' })],
    ['ending', () => validate([], openaiChatCodec.rules, {} as never)],
    ['request', () => markForCache(null as never)],
    ['messages', () => markForCache({ messages: [null] } as never)],
    ['lifetime', () => markForCache({ messages: [] }, { lifetime: '2h' } as never)],
  ];

  it.each(others)('is refused by its name: %s', (option, call) => {
    expect(refusal(call)).toBe(option);
  });
});
