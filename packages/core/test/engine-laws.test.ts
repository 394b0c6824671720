import { afterAll, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  canBeSent,
  everyday,
  findWireFaults,
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
  appendMessages,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openaiResponsesCodec,
  openTranscript,
  prepare,
  recall,
  reconcile,
  redo,
  renderView,
  resume,
  undo,
} from '@throughline/core';
import { charactersEstimator, strategyNames } from '@throughline/core/internal';
import { budgetOf } from '../src/budget/budget.ts';
import { replay } from '../src/changes/replay.ts';
import { seenTokens } from '../src/changes/view.ts';
import { openPass } from '../src/pass/pass.ts';
import { exchangeAt, positionOf } from '../src/transcript/conversation.ts';
import { isRequest } from '../src/transcript/own-words.ts';
import type { View } from '../src/changes/view.ts';
import type {
  CannotFit,
  Checkpoint,
  Codec,
  ContextState,
  ModelRequest,
  Answer,
  Policy,
  Ready,
  Step,
  Transcript,
} from '@throughline/core';

const formats = ['openai-chat', 'anthropic', 'openai-responses', 'ai-sdk'] as const;
type Format = (typeof formats)[number];

const codecs: Record<Format, Codec> = {
  'openai-chat': openaiChatCodec,
  anthropic: anthropicCodec,
  'openai-responses': openaiResponsesCodec,
  'ai-sdk': aiSdkCodec,
};

type Summariser = (request: ModelRequest) => Answer;
const summarisers = Object.entries<Summariser>({ ...hostileSummarisers, honest: honestSummariser });

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

interface Case {
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

function caseArbitrary(hostility: 'none' | 'some' | 'wild', size = 6): fc.Arbitrary<Case> {
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
function withFirstRequests(format: Format, messages: readonly unknown[], most: number): unknown[] {
  const { entries } = transcriptOf({ format, messages: [...messages] }).conversation;
  let requests = 0;
  return messages.filter((_, index) => {
    const entry = entries.at(index);
    requests += entry && isRequest(entry) ? 1 : 0;
    return !entry || !isRequest(entry) || requests <= most;
  });
}

const untouched = ({ conversation }: Transcript): View => replay(conversation, []).view;

function transcriptOf({ format, messages }: Pick<Case, 'format' | 'messages'>): Transcript {
  return openTranscript({ codec: codecs[format] }, messages);
}

function policyOf({
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
function windowFor(usableTokens: number): number {
  let [low, high] = [0, 4 * usableTokens + 10_000];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (budgetOf({ windowTokens: middle + 1 }).usableTokens < usableTokens) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

/** Runs a step to its end; throws when the engine asks more often than it may. */
function run(
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

const wireOf = (transcript: Transcript, { view }: Pick<Ready, 'view'>): unknown[] =>
  renderView(transcript, view).messages.map(({ message }) => message);

/** What is sent of the messages of the history, by their ordinals: the objects that were handed in, where nothing touched them. */
function sentOf(transcript: Transcript, view: View, isEdited?: false): ReadonlyMap<number, unknown> {
  const { messages } = renderView(transcript, view);
  return new Map(
    messages.flatMap((one) =>
      one.ordinal === undefined || (isEdited === false && one.isEdited) ? [] : [[one.ordinal, one.message]],
    ),
  );
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
function outcomeOf(one: Case): Outcome {
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
const settings = { numRuns: 120, plugins: [everyday(20)] };

describe('the engine, over random histories, windows, strategies and hostile summarisers', () => {
  it('ends in a view that fits, or in one error that names the biggest parts and the numbers', () => {
    fc.assert(
      fc.property(caseArbitrary('wild'), (one) => {
        const { step } = outcomeOf(one);
        if (step.type === 'cannot-fit') {
          expect(step.requestTokens).toBeGreaterThan(step.usableTokens);
          expect(step.canCompact || step.parts.length > 0).toBe(true);
          return;
        }
        expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.usableTokens);
      }),
      settings,
    );
  });

  it('sends what is just as large as the room, and nothing that is larger by a token', () => {
    fc.assert(
      fc.property(caseArbitrary('some', 3), fc.constantFrom(-1, 0), (one, beside) => {
        const transcript = transcriptOf(one);
        const tokens = Math.floor(untouched(transcript).tokens) + beside;
        const windowTokens = windowFor(tokens);
        const policy: Policy = { ...policyOf({ ...one, windowTokens }), auto: false };
        const step = prepare(transcript, emptyState(), policy);
        if (step.type === 'model-needed') throw new Error('a model is asked where nothing may be compacted');
        const size = step.type === 'ready' ? Math.floor(step.view.tokens) : step.requestTokens;
        expect(step.type).toBe(size <= step.report.usableTokens ? 'ready' : 'cannot-fit');
        expect(step.report.tokens.final).toBe(size);
      }),
      settings,
    );
  });

  it('sends what an independent validator accepts', () => {
    fc.assert(
      fc.property(caseArbitrary('wild'), (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type === 'ready') expect(findWireFaults(one.format, wireOf(transcript, step))).toEqual([]);
      }),
      settings,
    );
  });

  it('leaves nothing to mend in what needed no mending before', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type !== 'ready' || renderView(transcript, untouched(transcript)).repairs.length > 0) return;
        expect(renderView(transcript, step.view).repairs).toEqual([]);
      }),
      settings,
    );
  });

  it('sends what is pinned as it is, and task and latest request, of which only their share is sure to be whole', () => {
    fc.assert(
      fc.property(caseArbitrary('none'), (one) => {
        const { transcript, policy, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        const { conversation } = transcript;
        const after = sentOf(transcript, step.view);
        const sound = sentOf(transcript, untouched(transcript), false);
        for (const pin of one.pins ?? []) expect(after.get(pin)).toBe(sound.get(pin));
        const { verbatim } = openPass(transcript, emptyState(), policy).measures;
        for (const position of [conversation.taskAt, conversation.latestAt]) {
          // Words beside results go with them where they must: then the summary tells them.
          if (position < 0 || exchangeAt(conversation, position)?.type !== 'user') continue;
          const item = step.view.items
            .slice()
            .find((each) => each.type === 'entry' && each.position === position);
          if (item?.type !== 'entry') throw new Error(`message ${position} is not shown`);
          const size = conversation.sizes.at(position)?.tokens ?? 0;
          if (size <= verbatim)
            expect(item.changes.filter(({ type }) => type === 'text-truncated')).toEqual([]);
        }
      }),
      { ...settings, plugins: [everyday(40)] },
    );
  });

  it('changes no object of the caller', () => {
    fc.assert(
      fc.property(caseArbitrary('wild', 3), (one) => {
        const before = JSON.stringify(one.messages);
        const transcript = transcriptOf(one);
        const step = run(transcript, emptyState(), policyOf(one), one);
        if (step.type === 'ready') wireOf(transcript, step);
        expect(JSON.stringify(one.messages)).toBe(before);
      }),
      { numRuns: 60, plugins: [everyday(20)] },
    );
  });

  it('tries every ladder step at most once in a step', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const { step } = outcomeOf(one);
        const names = step.report.ladderSteps.map(({ ladderStep, detail }) =>
          ladderStep === 'fit' ? `fit ${detail}` : ladderStep,
        );
        expect(new Set(names).size).toBe(names.length);
      }),
      settings,
    );
  });

  it('replays its changes to the same bytes in another process', () => {
    fc.assert(
      fc.property(caseArbitrary('wild'), (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        const elsewhere = transcriptOf({ ...one, messages: structuredClone(one.messages) });
        const state = JSON.parse(JSON.stringify(step.state)) as ContextState;
        const again = replay(elsewhere.conversation, state.changes);
        expect(again.skipped).toEqual([]);
        expect(JSON.stringify(wireOf(elsewhere, again))).toBe(JSON.stringify(wireOf(transcript, step)));
      }),
      settings,
    );
  });

  it('has nothing left to do right after a step', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const automatic = { ...one, isManual: false };
        const { transcript, policy, step } = outcomeOf(automatic);
        if (step.type !== 'ready') return;
        const again = run(transcript, step.state, policy, automatic);
        expect(again).toMatchObject({ type: 'ready', changes: [] });
      }),
      settings,
    );
  });

  it('brings what the model has seen to the target, or says why not', () => {
    fc.assert(
      fc.property(caseArbitrary('some', 12), (one) => {
        const step = run(transcriptOf(one), emptyState(), policyOf(one), { ...one, isManual: false });
        if (step.type !== 'ready' || !step.checkpoint) return;
        const { targetTokens, warnings } = step.report;
        if (seenTokens(step.view) > targetTokens) expect(warnings.length).toBeGreaterThan(0);
      }),
      settings,
    );
  });

  it('reports changes that add up to what the step saved, over several steps', () => {
    const steps = fc.array(historyArbitrary({ format: 'anthropic', hostility: 'some', size: 5 }), {
      minLength: 2,
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 2_000, max: 12_000 }),
        fc.constantFrom(...strategyNames),
        (chunks, windowTokens, strategy) => {
          const policy: Policy = { ...policyOf({ windowTokens, strategy }), summariser: { type: 'code' } };
          let transcript = transcriptOf({ format: 'anthropic', messages: [] });
          let state = emptyState();
          for (const messages of chunks) {
            transcript = appendMessages(transcript, messages);
            if (!canBeSent(transcript)) continue;
            const before = replay(transcript.conversation, state.changes).view.tokens;
            const step = prepare(transcript, state, policy);
            if (step.type !== 'ready') return;
            const saved = step.changes.reduce(
              (sum, change) => sum + change.beforeTokens - change.afterTokens,
              0,
            );
            expect(saved).toBeCloseTo(before - step.view.tokens, 3);
            state = step.state;
          }
        },
      ),
      settings,
    );
  });

  it('gives the former views back on undo, one compaction after the other, and the later ones on redo', () => {
    const format = fc.constantFrom(...formats);
    const session = format.chain((of) =>
      fc.record({
        format: fc.constant(of),
        chunks: fc.array(historyArbitrary({ format: of, hostility: 'some', size: 3 }), {
          minLength: 2,
          maxLength: 3,
        }),
        strategy: fc.constantFrom(...strategyNames),
      }),
    );
    fc.assert(
      fc.property(session, ({ format: of, chunks, strategy }) => {
        const policy: Policy = {
          ...policyOf({ windowTokens: 2_000_000, strategy }),
          summariser: { type: 'code' },
        };
        let transcript = transcriptOf({ format: of, messages: [] });
        let state = emptyState();
        const done: { readonly before: ContextState; readonly checkpoint: Checkpoint }[] = [];
        for (const messages of chunks) {
          transcript = appendMessages(transcript, messages);
          if (!canBeSent(transcript)) continue;
          const before = state;
          const step = prepare(transcript, state, policy, { reason: 'manual' });
          if (step.type !== 'ready') throw new Error('what is this large fits');
          ({ state } = step);
          if (step.checkpoint) done.push({ before, checkpoint: step.checkpoint });
        }
        const shown = (at: ContextState): string => {
          const step = prepare(transcript, at, { ...policy, auto: false });
          return step.type === 'ready' ? JSON.stringify(wireOf(transcript, step)) : step.type;
        };
        const last = shown(state);
        for (const { before, checkpoint } of done.toReversed()) {
          state = undo(transcript, state, policy, checkpoint);
          expect(shown(state)).toBe(shown(before));
        }
        for (const { checkpoint } of done) state = redo(transcript, state, policy, checkpoint);
        expect(shown(state)).toBe(last);
      }),
      settings,
    );
  });

  it('loses no message: each is shown once, in its order, or stands behind a summary, and can be recalled whole', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const { messages, transcript, step } = outcomeOf(one);
        messages.forEach((message, index) => expect(recall(transcript, `m${index}`)?.message).toBe(message));
        if (step.type !== 'ready') return;
        const { entries } = transcript.conversation;
        const shown: number[] = [];
        const replaced = new Set<number>();
        for (const item of step.view.items) {
          if (item.type === 'entry') shown.push(item.position);
          else {
            const { first, end, lead, kept } = item.change.anchor;
            const stays = new Set([...lead, ...kept]);
            for (let at = first; at < end; at += 1) if (!stays.has(at)) replaced.add(at);
          }
        }
        const gone = [...replaced].map((ordinal) => positionOf(transcript.conversation, ordinal));
        const every = Array.from({ length: entries.length }, (_, index) => index);
        expect([...shown, ...gone].sort((a, b) => a - b)).toEqual(every);
        // The task stands in front of what a summary replaces, the latest request in front of what is pinned.
        const { taskAt, latestAt } = transcript.conversation;
        const others = shown.filter((position) => position !== taskAt && position !== latestAt);
        expect(others).toEqual(others.toSorted((a, b) => a - b));
      }),
      settings,
    );
  });
});

describe('the pruning agent, over random histories and reviewers', () => {
  const reviewed = caseArbitrary('some').map((one): Case => ({ ...one, strategy: 'pruning-agent' }));

  it('touches no word of the user or the system, nothing pinned and none of the newest five', () => {
    fc.assert(
      fc.property(reviewed, (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        const { entries } = transcript.conversation;
        for (const { anchor, reason } of step.changes) {
          if (reason !== 'reviewed' || !('ordinal' in anchor)) continue;
          const entry = entries.at(anchor.ordinal);
          const part = entry?.parts[anchor.part];
          expect(part?.type === 'text' ? entry?.role : 'assistant').toBe('assistant');
          expect(one.pins).not.toContain(anchor.ordinal);
          expect(anchor.ordinal).toBeLessThan(entries.length - 5);
        }
      }),
      settings,
    );
  });

  it('makes every message smaller that it touches, and shows nothing that was invented', () => {
    fc.assert(
      fc.property(reviewed, (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        for (const { reason, beforeTokens, afterTokens, recallId } of step.changes) {
          if (reason !== 'reviewed') continue;
          expect(afterTokens).toBeLessThan(beforeTokens);
          expect(recall(transcript, recallId)).toBeDefined();
        }
        const sent = JSON.stringify(wireOf(transcript, step));
        expect(/424242|ghostValue|invented\/ghost|GHO-4711|651239004711/.exec(sent)).toBeNull();
      }),
      settings,
    );
  });

  it('asks at most twice, and says what became of it', () => {
    fc.assert(
      fc.property(reviewed, (one) => {
        const { step, asked } = outcomeOf(one);
        const reviews = asked.filter(({ request }) => request.purpose === 'prune-decisions');
        const isCancelled = asked.some(
          ({ answer }) => answer.type === 'failed' && answer.cause === 'cancelled',
        );
        const { summariser, ladderSteps } = step.report;
        expect(reviews.length).toBeLessThanOrEqual(2);
        expect(summariser.review === null).toBe(reviews.length === 0 || isCancelled);
        expect(summariser.review === 'used').toBe(
          ladderSteps.some(({ ladderStep }) => ladderStep === 'review'),
        );
      }),
      settings,
    );
  });
});

describe('the engine over many steps', () => {
  const task = { role: 'user', content: 'Migrate the billing service to v3. NEVER delete rows from ledger.' };

  it.each(formats)(
    'sends task and latest request as they were said over eight compactions (%s)',
    (format) => {
      fc.assert(
        fc.property(
          fc.array(historyArbitrary({ format, hostility: 'none', size: 3 }), { minLength: 8, maxLength: 8 }),
          // A cancelled compaction leaves the old view, which may be too large to send: that is another law.
          fc.constantFrom(...summarisers.filter(([name]) => name !== 'is cancelled')),
          (chunks, summariser) => {
            const one: Case = {
              format,
              messages: [],
              windowTokens: 30_000,
              strategy: 'reactive-overflow',
              summariser,
              isManual: true,
            };
            const policy = policyOf(one);
            let transcript = transcriptOf({ format, messages: [task] });
            let state = emptyState();
            chunks.forEach((chunk, round) => {
              // The work of the chunk stands behind the request: this is what is compacted, and the request in its midst.
              const latest = { role: 'user', content: `Request ${round}: rename ledger-${round}.ts.` };
              const work = withFirstRequests(format, chunk, 0).filter((message) => !isSystem(message));
              transcript = appendMessages(transcript, [latest, ...work]);
              const step = run(transcript, state, policy, one);
              if (step.type !== 'ready') throw new Error(`does not fit: ${JSON.stringify(step.parts)}`);
              const wire = wireOf(transcript, step);
              expect(wire).toContain(task);
              expect(wire).toContain(latest);
              expect(findWireFaults(format, wire)).toEqual([]);
              state = step.state;
            });
          },
        ),
        { numRuns: 8, plugins: [everyday(3)] },
      );
    },
  );

  it('gives the same edits to a client that hands in everything anew at each step', () => {
    fc.assert(
      fc.property(historyArbitrary({ format: 'openai-chat', hostility: 'some', size: 8 }), (messages) => {
        const policy: Policy = {
          ...policyOf({ windowTokens: 4_000, strategy: 'digest' }),
          summariser: { type: 'code' },
        };
        let appended = transcriptOf({ format: 'openai-chat', messages: [] });
        let resent = appended;
        let states = [emptyState(), emptyState()] as const;
        for (let end = 1; end <= messages.length; end += 1) {
          appended = appendMessages(appended, messages.slice(end - 1, end));
          resent = reconcile(resent, structuredClone(messages.slice(0, end))).transcript;
          if (!canBeSent(appended)) continue;
          const [one, two] = [prepare(appended, states[0], policy), prepare(resent, states[1], policy)];
          if (one.type !== 'ready' || two.type !== 'ready') return;
          expect(JSON.stringify(wireOf(resent, two))).toBe(JSON.stringify(wireOf(appended, one)));
          states = [one.state, two.state];
        }
      }),
      { numRuns: 40, plugins: [everyday(15)] },
    );
  });

  it('is never above the trigger twice in a row without growing, and changes what was sent only at a checkpoint', () => {
    const policy = policyOf({ windowTokens: 8_000, strategy: 'reactive-overflow' });
    fc.assert(
      fc.property(historyArbitrary({ format: 'openai-chat', hostility: 'none', size: 8 }), (messages) => {
        let transcript = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator }, []);
        let state = emptyState();
        let sent: readonly string[] = [];
        for (const message of messages) {
          transcript = appendMessages(transcript, [message]);
          const step = run(
            transcript,
            state,
            { ...policy, summariser: { type: 'code' } },
            {
              format: 'openai-chat',
              messages,
              windowTokens: 8_000,
              strategy: 'reactive-overflow',
              summariser: ['honest', honestSummariser],
              isManual: false,
            },
          );
          if (step.type !== 'ready') return;
          expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.triggerTokens);
          const { messages: rendered } = renderView(transcript, step.view, { ending: 'open' });
          const now = rendered.map((each) => JSON.stringify(each.message));
          if (!step.checkpoint) expect(now.slice(0, sent.length)).toEqual(sent);
          sent = now;
          state = step.state;
        }
      }),
      { numRuns: 60, plugins: [everyday(20)] },
    );
  });
});

function isSystem(message: unknown): boolean {
  return (message as { role?: string }).role === 'system';
}
