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
  renderView,
  resume,
  undo,
} from '@throughline/core';
import { charactersEstimator, strategyNames } from '@throughline/core/internal';
import { replay } from '../src/changes/replay.ts';
import { seenTokens } from '../src/changes/view.ts';
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

const windowArbitrary = fc.oneof(
  fc.integer({ min: 2_000, max: 20_000 }),
  fc.integer({ min: 20_000, max: 200_000 }),
  fc.constantFrom(1_000_000, 2_000_000),
);

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

function caseArbitrary(hostility: 'some' | 'wild', size = 6): fc.Arbitrary<Case> {
  return fc.constantFrom(...formats).chain((format) =>
    fc
      .record({
        format: fc.constant(format),
        messages: historyArbitrary({ format, hostility, size, hasGiants: true }),
        windowTokens: windowArbitrary,
        strategy: fc.oneof(fc.constantFrom(...strategyNames), fc.constant('pruning-agent')),
        summariser: fc.constantFrom(...summarisers),
        reviewer: reviewerArbitrary,
        isManual: fc.boolean(),
      })
      .filter((one) => canBeSent(transcriptOf(one))),
  );
}

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

const wireOf = (transcript: Transcript, step: Ready): unknown[] =>
  renderView(transcript, step.view).messages.map(({ message }) => message);

interface Outcome {
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
  const outcome: Outcome = { transcript, policy, step, asked };
  outcomes.set(key, outcome);
  return outcome;
}

/** The first cases find the faults that were planted for these laws; `npm run test:deep` tries all of them. */
const settings = { numRuns: 120, plugins: [everyday(30)] };

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

  it('sends what an independent validator accepts', () => {
    fc.assert(
      fc.property(caseArbitrary('wild'), (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type === 'ready') expect(findWireFaults(one.format, wireOf(transcript, step))).toEqual([]);
      }),
      settings,
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
      fc.property(caseArbitrary('wild', 4), (one) => {
        const transcript = transcriptOf(one);
        const policy = policyOf(one);
        const step = run(transcript, emptyState(), policy, one);
        if (step.type !== 'ready') return;
        const elsewhere = transcriptOf({ ...one, messages: structuredClone(one.messages) });
        const state = JSON.parse(JSON.stringify(step.state)) as ContextState;
        const again = run(elsewhere, state, policy, { ...one, isManual: false });
        if (again.type !== 'ready' || again.checkpoint) return;
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

  it('gives the former view back on undo, or refuses with the numbers', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const transcript = transcriptOf(one);
        const policy = policyOf({ ...one, windowTokens: 2_000_000 });
        const before = run(transcript, emptyState(), policy, { ...one, isManual: false });
        const step = run(transcript, emptyState(), policy, { ...one, isManual: true });
        if (step.type !== 'ready' || before.type !== 'ready' || !step.checkpoint) return;
        const state = undo(transcript, step.state, policy, step.checkpoint);
        const again = run(transcript, state, policy, { ...one, isManual: false });
        if (again.type !== 'ready') throw new Error('the former view does not fit');
        expect(JSON.stringify(wireOf(transcript, again))).toBe(JSON.stringify(wireOf(transcript, before)));
      }),
      settings,
    );
  });

  it('loses no message: every one that the view does not show can be recalled whole', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const transcript = transcriptOf(one);
        run(transcript, emptyState(), policyOf(one), one);
        one.messages.forEach((message, index) =>
          expect(recall(transcript, `m${index}`)?.message).toBe(message),
        );
      }),
      { numRuns: 40, plugins: [everyday(15)] },
    );
  });
});

describe('the pruning agent, over random histories and reviewers', () => {
  const reviewed = fc
    .tuple(caseArbitrary('some', 12), fc.array(fc.nat(40), { maxLength: 5 }))
    .map(([one, pins]): Case => ({ ...one, strategy: 'pruning-agent', pins }));

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
  const task = 'Migrate the billing service to v3. NEVER delete rows from ledger_entries.';

  function growing(format: Format, parts: readonly unknown[][]): unknown[][] {
    const user =
      format === 'openai-responses' ||
      format === 'openai-chat' ||
      format === 'ai-sdk' ||
      format === 'anthropic';
    return user ? [[{ role: 'user', content: task }], ...parts] : [...parts];
  }

  it.each(formats)('keeps task and latest request byte for byte over ten compactions (%s)', (format) => {
    fc.assert(
      fc.property(
        fc.array(historyArbitrary({ format, hostility: 'none', size: 3 }), { minLength: 10, maxLength: 10 }),
        // A cancelled compaction leaves the old view, which may be too large to send: that is another law.
        fc.constantFrom(...summarisers.filter(([name]) => name !== 'is cancelled')),
        (chunks, summariser) => {
          const policy = policyOf({ windowTokens: 30_000, strategy: 'reactive-overflow' });
          let transcript = transcriptOf({ format, messages: [] });
          let state = emptyState();
          const latest = { role: 'user', content: 'And now the very last request: rename ledger.ts.' };
          for (const messages of growing(format, chunks)) {
            transcript = appendMessages(
              transcript,
              messages.filter((message) => !isSystem(message)),
            );
            transcript = appendMessages(transcript, [latest]);
            const one: Case = {
              format,
              messages,
              windowTokens: 30_000,
              strategy: '',
              summariser,
              isManual: true,
            };
            const step = run(transcript, state, policy, one);
            if (step.type !== 'ready') throw new Error(`does not fit: ${JSON.stringify(step.parts)}`);
            const wire = wireOf(transcript, step);
            expect(JSON.stringify(wire)).toContain(JSON.stringify(task).slice(1, -1));
            expect(JSON.stringify(wire)).toContain(latest.content);
            expect(findWireFaults(format, wire)).toEqual([]);
            state = step.state;
          }
        },
      ),
      { numRuns: 8, plugins: [everyday(3)] },
    );
  });

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

  it('is never above the trigger twice in a row without growing', () => {
    const policy = policyOf({ windowTokens: 8_000, strategy: 'reactive-overflow' });
    fc.assert(
      fc.property(historyArbitrary({ format: 'openai-chat', hostility: 'none', size: 8 }), (messages) => {
        let transcript = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator }, []);
        let state = emptyState();
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
