import { afterAll } from 'vitest';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  canBeSent,
  everyday,
  historyArbitrary,
  honestReviewer,
  honestSummariser,
  hostileReviewers,
  hostileSummarisers,
  randomReviewer,
} from '@throughline/testkit';
import {
  aiSdkCodec,
  anthropicCodec,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openaiResponsesCodec,
  openTranscript,
  prepare,
  renderView,
  resume,
} from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { budgetOf } from '../../src/budget/budget.ts';
import { replay } from '../../src/changes/replay.ts';
import { isRequest } from '../../src/transcript/own-words.ts';
import type { View } from '../../src/changes/view.ts';
import type {
  CannotFit,
  Codec,
  ContextState,
  ModelRequest,
  Answer,
  Policy,
  Ready,
  Step,
  Transcript,
} from '@throughline/core';

export const formats = ['openai-chat', 'anthropic', 'openai-responses', 'ai-sdk'] as const;
type Format = (typeof formats)[number];

const codecs: Record<Format, Codec> = {
  'openai-chat': openaiChatCodec,
  anthropic: anthropicCodec,
  'openai-responses': openaiResponsesCodec,
  'ai-sdk': aiSdkCodec,
};

type Summariser = (request: ModelRequest) => Answer;
export const summarisers = Object.entries<Summariser>({ ...hostileSummarisers, honest: honestSummariser });

/** Who is asked what can go: models with a fault of their own, models that fail as drivers do, and mere chance. */
const reviewers = Object.entries<Summariser>({
  ...hostileSummarisers,
  ...hostileReviewers,
  honest: honestReviewer,
});
const reviewerArbitrary = fc.oneof(
  fc.constantFrom(...reviewers),
  fc.nat().map((seed): readonly [string, Summariser] => [`random ${seed}`, randomReviewer(seed)]),
);

const leastWindow = 2_000;

/** Mostly a share of the history, so that something has to go, down to where hardly anything fits. */
const windowArbitrary: fc.Arbitrary<(historyTokens: number) => number> = fc.oneof(
  {
    arbitrary: fc
      .integer({ min: 2, max: 130 })
      .map((percent) => (tokens: number) => Math.max(leastWindow, Math.ceil((tokens * percent) / 100))),
    weight: 4,
  },
  {
    arbitrary: fc.constantFrom(leastWindow, 4_000, 10_000, 100_000, 2_000_000).map((tokens) => () => tokens),
    weight: 1,
  },
);

const mostPinned = 120;
/** None, any few, or one message in every few of the history. */
const pinsArbitrary = fc.oneof(fc.constant([]), fc.array(fc.nat(40), { maxLength: 5 }), {
  arbitrary: fc
    .tuple(fc.integer({ min: 2, max: 5 }), fc.nat(4))
    .map(([every, from]) =>
      Array.from({ length: mostPinned }, (_, at) => at).filter((at) => at % every === from % every),
    ),
  weight: 2,
});

export interface Case {
  readonly format: Format;
  readonly messages: unknown[];
  readonly windowTokens: number;
  readonly strategy: string;
  readonly summariser: readonly [string, Summariser];
  /** Who decides what can go; absent: the summariser, which does not know how. */
  readonly reviewer?: readonly [string, Summariser];
  readonly isManual: boolean;
  readonly pins?: readonly number[];
}

export function caseArbitrary(hostility: 'none' | 'some' | 'wild', size = 6): fc.Arbitrary<Case> {
  return fc.constantFrom(...formats).chain((format) =>
    fc
      .record({
        format: fc.constant(format),
        history: historyArbitrary({ format, hostility, size, hasGiants: true }),
        // Work that goes on for long behind a request is what pushes the request into what is compacted.
        requests: fc.option(fc.integer({ min: 1, max: 3 })),
        windowOf: windowArbitrary,
        strategy: fc.oneof(fc.constantFrom(...strategyNames), fc.constant('pruning-agent')),
        summariser: fc.constantFrom(...summarisers),
        reviewer: reviewerArbitrary,
        isManual: fc.boolean(),
        pins: pinsArbitrary,
      })
      .map(({ history, requests, windowOf, ...one }) => {
        const messages = requests === null ? history : withFirstRequests(format, history, requests);
        return {
          ...one,
          messages,
          windowTokens: windowOf(untouched(transcriptOf({ format, messages })).tokens),
        };
      })
      .filter((one) => canBeSent(transcriptOf(one))),
  );
}

/** The history as if the user had asked no more than the first few times. */
export function withFirstRequests(format: Format, messages: readonly unknown[], most: number): unknown[] {
  const { entries } = transcriptOf({ format, messages: [...messages] }).conversation;
  let requests = 0;
  return messages.filter((_, index) => {
    const entry = entries.at(index);
    requests += entry && isRequest(entry) ? 1 : 0;
    return !entry || !isRequest(entry) || requests <= most;
  });
}

export const untouched = ({ conversation }: Transcript): View => replay(conversation, []).view;

export function transcriptOf({ format, messages }: Pick<Case, 'format' | 'messages'>): Transcript {
  return openTranscript({ codec: codecs[format] }, messages);
}

export function policyOf({
  windowTokens,
  strategy,
  pins = [],
}: Pick<Case, 'windowTokens' | 'strategy' | 'pins'>): Policy {
  return {
    strategy: createStrategy(strategy),
    budget: { windowTokens },
    pins,
    summariser: { type: 'model', windowTokens: Math.max(4_000, windowTokens / 2) },
  };
}

/** The smallest window of which this much is usable. */
export function windowFor(usableTokens: number): number {
  let [low, high] = [0, 4 * usableTokens + 10_000];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (budgetOf({ windowTokens: middle + 1 }).usableTokens < usableTokens) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

/** Runs a step to its end; throws when the engine asks more often than it may. */
export function run(
  transcript: Transcript,
  state: ContextState,
  policy: Policy,
  one: Case,
  told: (request: ModelRequest, answer: Answer) => void = () => {},
): Ready | CannotFit {
  let step: Step = prepare(transcript, state, policy, one.isManual ? { reason: 'manual' } : {});
  for (let calls = 0; step.type === 'model-needed'; calls += 1) {
    if (calls > 16) throw new Error('the summariser is asked without end');
    const answer = answerOf(one, step.request);
    told(step.request, answer);
    step = resume(transcript, JSON.parse(JSON.stringify(step.paused)) as typeof step.paused, policy, answer);
  }
  return step;
}

function answerOf({ summariser, reviewer = summariser }: Case, request: ModelRequest): Answer {
  return (request.purpose === 'prune-decisions' ? reviewer : summariser)[1](request);
}

export const wireOf = (transcript: Transcript, { view }: Pick<Ready, 'view'>): unknown[] =>
  renderView(transcript, view).messages.map(({ message }) => message);

/** What is sent of the messages of the history, by their ordinals: the objects that were handed in, where nothing touched them. */
export function sentOf(transcript: Transcript, view: View, isEdited?: false): ReadonlyMap<number, unknown> {
  const { messages } = renderView(transcript, view);
  return new Map(
    messages.flatMap((one) =>
      one.ordinal === undefined || (isEdited === false && one.isEdited) ? [] : [[one.ordinal, one.message]],
    ),
  );
}

/** Whether a message is sent as a piece of another one: two responses in a row are one where the server reads them so. */
export function isJoinedIn(sent: readonly unknown[], message: unknown): boolean {
  const said = blocksOf(message);
  return said.length > 0 && sent.some((one) => said.every((block) => blocksOf(one).includes(block)));
}

function blocksOf(message: unknown): string[] {
  const { content } = message as { readonly content?: unknown };
  if (typeof content === 'string') return [JSON.stringify({ type: 'text', text: content })];
  return Array.isArray(content) ? content.map((block) => JSON.stringify(block)) : [];
}

interface Outcome {
  readonly messages: readonly unknown[];
  readonly transcript: Transcript;
  readonly policy: Policy;
  readonly step: Ready | CannotFit;
  readonly asked: readonly { readonly request: ModelRequest; readonly answer: Answer }[];
}

const outcomes = new Map<string, Outcome>();
afterAll(() => outcomes.clear());

/** A first step on a case. Laws that draw their cases alike see the same ones: the engine runs once for all of them. */
export function outcomeOf(one: Case): Outcome {
  const key = createHash('sha1').update(JSON.stringify(one)).digest('base64');
  const known = outcomes.get(key);
  if (known) return known;
  const transcript = transcriptOf(one);
  const policy = policyOf(one);
  const asked: Outcome['asked'][number][] = [];
  const step = run(transcript, emptyState(), policy, one, (request, answer) =>
    asked.push({ request, answer }),
  );
  const outcome: Outcome = { messages: one.messages, transcript, policy, step, asked };
  outcomes.set(key, outcome);
  return outcome;
}

/** The first cases find the faults that were planted for these laws; `npm run test:deep` tries all of them. */
export const settings = { numRuns: 120, plugins: [everyday(20)] };
