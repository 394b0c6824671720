import fc from 'fast-check';
import { canBeSent, historyArbitrary, honestReviewer, honestSummariser } from '@throughline/testkit';
import {
  advanceBackground,
  aiSdkCodec,
  anthropicCodec,
  appendMessages,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openaiResponsesCodec,
  openTranscript,
  prepare,
  recordUsage,
  renderView,
  resume,
} from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { reopened, withoutFingerprints } from './loaded-history.ts';
import type {
  Answer,
  CannotFit,
  Codec,
  ContextState,
  ModelRequest,
  Policy,
  Pricing,
  Ready,
  Step,
  Transcript,
  WrittenSummary,
} from '@throughline/core';
import type { BackgroundJob, PrepareOptions } from '@throughline/core/types';

export const codecs = {
  'openai-chat': openaiChatCodec,
  anthropic: anthropicCodec,
  'openai-responses': openaiResponsesCodec,
  'ai-sdk': aiSdkCodec,
} as const satisfies Record<string, Codec>;
type Format = keyof typeof codecs;
const formats = Object.keys(codecs) as Format[];

const pricing: Pricing = {
  prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  cache: { kind: 'marked', lifetimeMs: 300_000 },
};

interface Turn {
  readonly messages: unknown[];
  readonly isManual: boolean;
  /** Afterwards the part that the view shows is loaded anew. */
  readonly isReopened: boolean;
  /** What the provider counts, as a share of what was estimated. */
  readonly counted: number | undefined;
  /** Shares of the history. */
  readonly pins: readonly number[];
  /** Another model may have another window. */
  readonly windowTokens: number | undefined;
  readonly idleMs: number;
}

export interface Session {
  readonly format: Format;
  readonly turns: readonly Turn[];
  readonly policy: Policy;
}

/** Whole turns, and what is left where a loop was cut at any place: results alone, a request without an answer. */
function messagesArbitrary(format: Format): fc.Arbitrary<unknown[]> {
  const whole = fc
    .constantFrom('some', 'wild')
    .chain((hostility) => historyArbitrary({ format, hostility, size: 4 }));
  const cut = fc
    .tuple(whole, fc.nat({ max: 3 }), fc.integer({ min: 1, max: 6 }))
    .map(([messages, from, count]) => messages.slice(from, from + count));
  if (format !== 'openai-responses') return fc.oneof(whole, cut);
  // What the provider has compacted itself: nothing in front of it reaches the model.
  const behind = whole.map((messages) => [{ type: 'compaction', encrypted_content: 'c2Vh' }, ...messages]);
  return fc.oneof({ arbitrary: whole, weight: 4 }, { arbitrary: cut, weight: 4 }, behind);
}

function turnArbitrary(format: Format): fc.Arbitrary<Turn> {
  return fc.record({
    messages: messagesArbitrary(format),
    isManual: fc.boolean(),
    isReopened: fc.oneof({ arbitrary: fc.constant(true), weight: 3 }, fc.constant(false)),
    counted: fc.option(fc.double({ min: 0.5, max: 2, noNaN: true }), { nil: undefined }),
    pins: fc.oneof(fc.constant([]), fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 })),
    windowTokens: fc.option(fc.integer({ min: 1_500, max: 24_000 }), { nil: undefined, freq: 3 }),
    idleMs: fc.constantFrom(0, 3_600_000),
  });
}

const policyArbitrary: fc.Arbitrary<Policy> = fc
  .record({
    windowTokens: fc.integer({ min: 1_500, max: 24_000 }),
    strategy: fc.oneof(fc.constantFrom(...strategyNames), fc.constant('pruning-agent')),
    isModel: fc.boolean(),
    injection: fc.constantFrom('pair', 'assistant', 'user'),
    hasRecall: fc.boolean(),
    reasoningBinding: fc.constantFrom(undefined, 'prefix', 'content'),
    hasPrices: fc.boolean(),
    wire: fc.constantFrom({}, { maxBytes: 20_000, maxMedia: 2 }),
  })
  .map(({ windowTokens, strategy, isModel, reasoningBinding, hasPrices, ...more }) => ({
    ...more,
    strategy: createStrategy(strategy),
    budget: { windowTokens },
    summariser: isModel
      ? { type: 'model', windowTokens: 16_000, canUseCachedPrefix: hasPrices }
      : { type: 'code' },
    ...(hasPrices ? { pricing } : {}),
    ...(reasoningBinding === undefined ? {} : { reasoningBinding }),
  }));

export const sessionArbitrary: fc.Arbitrary<Session> = fc.constantFrom(...formats).chain((format) =>
  fc.record({
    format: fc.constant(format),
    turns: fc.array(turnArbitrary(format), { minLength: 2, maxLength: 7 }),
    policy: policyArbitrary,
  }),
);

function answerTo(request: ModelRequest): Answer {
  return request.purpose === 'prune-decisions' ? honestReviewer(request) : honestSummariser(request);
}

/** One way to hold a session: the whole of its history, or what the view shows of it. */
export interface Holder {
  readonly transcript: Transcript;
  readonly state: ContextState;
  readonly written: WrittenSummary | undefined;
}

export interface Held extends Holder {
  readonly step: Ready | CannotFit;
  readonly sent: readonly unknown[];
  readonly asked: readonly ModelRequest[];
}

export const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

export function stepOf(
  { transcript, state, written }: Holder,
  policy: Policy,
  options: PrepareOptions,
): Held {
  const told = written ? { ...options, written } : options;
  let step: Step = prepare(transcript, state, policy, told);
  const asked: ModelRequest[] = [];
  while (step.type === 'model-needed') {
    asked.push(step.request);
    step = resume(transcript, throughJson(step.paused), policy, answerTo(step.request));
  }
  const next = throughJson(step.state);
  const sent = step.type === 'ready' ? renderView(transcript, step.view).messages : [];
  const job = step.type === 'ready' ? step.background : undefined;
  return {
    transcript,
    state: next,
    step,
    sent,
    asked,
    written: job ? writtenBy({ transcript, state: next, policy }, job) : written,
  };
}

function writtenBy(from: Parameters<typeof advanceBackground>[0], job: BackgroundJob): WrittenSummary {
  let step = advanceBackground(from, job);
  while (step.type === 'ask') step = advanceBackground(from, throughJson(step.job), answerTo(step.request));
  if (step.type === 'cancelled') throw new Error('nobody has cancelled it');
  return throughJson(step.written);
}

/** All of a step that can be told from outside. */
export function told({ step, sent, asked, state, written }: Held): unknown {
  const { view: _view, ...rest } = step as Ready;
  return withoutFingerprints({ ...rest, sent, asked, state, written });
}

function measured(one: Holder, counted: number | undefined, policy: Policy): ContextState {
  const { windowTokens } = policy.budget;
  const inputTokens = Math.round((one.state.sentTokens ?? 0) * (counted ?? 0));
  return counted === undefined
    ? one.state
    : recordUsage(one.transcript, one.state, { inputTokens, windowTokens });
}

/** Runs a session both ways; `check` sees each step and the policy it was made with. */
export function follow(
  { format, turns, policy: given }: Session,
  check: (whole: Held, loaded: Held, policy: Policy) => void = () => {},
): { readonly history: readonly unknown[]; readonly loaded: Holder; readonly whole: Holder } {
  const options = { codec: codecs[format] };
  let whole: Holder = { transcript: openTranscript(options), state: emptyState(), written: undefined };
  let loaded: Holder = whole;
  const history: unknown[] = [];
  loaded = { ...loaded, transcript: reopened(options, history, []) };
  for (const turn of turns) {
    const { messages, isManual, isReopened, counted, idleMs } = turn;
    for (const message of messages) history.push(message);
    const windowTokens = turn.windowTokens ?? given.budget.windowTokens;
    const pins = turn.pins.map((share) => Math.floor(share * Math.max(0, history.length - 1)));
    const policy = { ...given, budget: { windowTokens }, pins };
    const prepareOptions: PrepareOptions = isManual ? { reason: 'manual', idleMs } : { idleMs };
    const grown = (one: Holder): Holder => ({
      ...one,
      transcript: appendMessages(one.transcript, messages),
    });
    if (!canBeSent(grown(whole).transcript)) {
      [whole, loaded] = [grown(whole), grown(loaded)];
      continue;
    }
    const [one, other] = [
      stepOf(grown(whole), policy, prepareOptions),
      stepOf(grown(loaded), policy, prepareOptions),
    ];
    check(one, other, policy);
    whole = { ...one, state: measured(one, counted, policy) };
    loaded = { ...other, state: measured(other, counted, policy) };
    if (isReopened)
      loaded = { ...loaded, transcript: reopened(options, throughJson(history), loaded.state.changes) };
  }
  return { history, loaded, whole };
}
