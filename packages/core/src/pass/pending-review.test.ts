import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { askedIndexes, completeText, honestSummariser, hostileReviewers } from '@throughline/testkit';
import { createStrategy } from '../strategies/create-strategy.ts';
import { emptyState } from './state.ts';
import { prepare } from '../context/prepare.ts';
import { recall } from '../history/recall.ts';
import { renderView } from '../history/render-view.ts';
import { resume } from '../context/resume.ts';
import { undo } from '../context/undo.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';
import type { ModelNeeded, Ready, Step } from '../context/step.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from '../history/transcript.ts';

const policy = policyOf(16_000, 'pruning-agent', { summariser: { type: 'model', windowTokens: 200_000 } });
const messages = agentRun(32, 1_500);
const transcript = transcriptOf(messages);

type Reply = (request: ModelRequest) => Answer;

const costing =
  (reply: Reply, inputTokens: number, outputTokens: number): Reply =>
  (request) =>
    ({ ...reply(request), usage: { inputTokens, outputTokens } }) as Answer;
const dropAll: Reply = hostileReviewers['drops everything'];
const prose = completeText(
  `## Completed Work\n${'- read a module, found that login checks the wrong field\n'.repeat(8)}## Current State\n- fixing it`,
);

function asks(step: Step): ModelNeeded {
  if (step.type !== 'model-needed') throw new Error(`expected a question, got ${step.type}`);
  return step;
}

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

interface Run {
  readonly step: Step;
  readonly requests: readonly ModelRequest[];
}

/** Runs a step to its end with these answers in turn, each step through JSON. */
function run(history: Transcript, replies: readonly Reply[], first: Step, told: Policy = policy): Run {
  const requests: ModelRequest[] = [];
  let step = first;
  while (step.type === 'model-needed') {
    const reply = replies[requests.length];
    if (!reply) throw new Error(`asked ${requests.length + 1} times`);
    requests.push(step.request);
    const paused = JSON.parse(JSON.stringify(step.paused)) as typeof step.paused;
    step = resume(history, paused, told, reply(step.request));
  }
  return { step, requests };
}

const begun = (told: Policy = policy): Step => prepare(transcript, emptyState(), told);
const purposes = ({ requests }: Run): string[] => requests.map(({ purpose }) => purpose);
const ladderStepsOf = ({ step }: Run): string[] =>
  ready(step).report.ladderSteps.map(({ ladderStep }) => ladderStep);
const thought = { role: 'assistant', content: 'so we think on. '.repeat(100) };
/** Prose of the agent, which pruning cannot take away. */
const talking = transcriptOf([
  ...messages.slice(0, 2),
  ...Array.from({ length: 40 }, () => thought),
  ...messages.slice(2, 10),
]);
const wireOf = (history: Transcript, { view }: Ready): unknown[] =>
  renderView(history, view).messages.map(({ message }) => message);

describe('a pass with the pruning agent', () => {
  it('asks for decisions first, and is done where they free enough', () => {
    const done = run(transcript, [dropAll], begun());
    expect(purposes(done)).toEqual(['prune-decisions']);
    expect(ladderStepsOf(done)).toEqual(['review']);
    const { report, changes, checkpoint } = ready(done.step);
    expect(report).toMatchObject({ wasPruned: true, wasCompacted: false });
    expect(report.tokens.final).toBeLessThanOrEqual(report.targetTokens);
    expect(report.tokens.afterPrune).toBe(report.tokens.final);
    expect(report.summariser).toMatchObject({ calls: 1, fallback: null, review: 'used' });
    expect(new Set(changes.map(({ reason }) => reason))).toEqual(new Set(['reviewed']));
    expect(checkpoint).toMatchObject({ strategy: 'pruning-agent', changes });
  });

  it('leaves every message but those the decisions name exactly as it is', () => {
    const done = run(transcript, [dropAll], begun());
    const sent = wireOf(transcript, ready(done.step));
    expect(sent).toHaveLength(messages.length);
    sent.forEach((message, index) => {
      const isResult = (message as { role: string }).role === 'tool';
      if (!isResult || index >= messages.length - 5) expect(message).toBe(messages[index]);
      else expect((message as { content: string }).content).toMatch(/^\[cleared result m\d+\.0, /);
    });
  });

  it('goes on with pruning and a summary where they do not free enough', () => {
    const one: Reply = () => completeText('[{"index": 1, "action": "drop"}]');
    const done = run(talking, [one, () => prose], prepare(talking, emptyState(), policy));
    expect(purposes(done)).toEqual(['prune-decisions', 'summary']);
    expect(ladderStepsOf(done)).toEqual(['review', 'compact']);
    expect(ready(done.step).report.summariser).toMatchObject({ calls: 2, fallback: null, review: 'used' });
  });

  it('adds up what its questions cost', () => {
    const done = run(
      talking,
      [
        costing(hostileReviewers['says nothing'], 20, 2),
        costing(hostileReviewers['keeps everything'], 1_000, 50),
        costing(() => prose, 300, 30),
      ],
      prepare(talking, emptyState(), policy),
    );
    expect(ready(done.step).report.summariser).toMatchObject({
      calls: 3,
      inputTokens: 1_320,
      outputTokens: 82,
      review: 'no-gain',
    });
  });

  it('asks once more with what was wrong, and takes the second answer', () => {
    const done = run(transcript, [hostileReviewers['decides twice'], dropAll], begun());
    expect(done.requests[1]?.messages[0]?.content).toContain('it decides on an index twice.');
    expect(done.requests[0]?.messages[0]?.content).not.toContain('could not be used');
    expect(ready(done.step).report.summariser).toMatchObject({ calls: 2, review: 'used' });
  });

  it('lets the next ladder step run after two answers that are no good', () => {
    const bad = hostileReviewers['gives two lists'];
    const done = run(transcript, [bad, bad, honestSummariser, honestSummariser], begun());
    expect(purposes(done).slice(0, 2)).toEqual(['prune-decisions', 'prune-decisions']);
    expect(ladderStepsOf(done)).not.toContain('review');
    expect(ready(done.step).report.summariser).toMatchObject({ review: 'several-arrays' });
    expect(ready(done.step).report.warnings).toEqual([]);
  });

  it.each(['overflow', 'unavailable', 'timeout'] as const)(
    'lets the next ladder step run after %s',
    (cause) => {
      const failed: Reply = () => ({ type: 'failed', cause, message: cause });
      const done = run(transcript, [failed, honestSummariser, honestSummariser], begun());
      expect(purposes(done).filter((purpose) => purpose === 'prune-decisions')).toHaveLength(1);
      expect(ready(done.step).report.summariser).toMatchObject({ review: cause, fallback: null });
      expect(ladderStepsOf(done)).not.toContain('review');
    },
  );

  it('leaves the old view when it is cancelled, with what it cost', () => {
    const small = transcriptOf(agentRun(10, 1_500));
    const cancelled: Reply = () => ({ type: 'failed', cause: 'cancelled', message: '' });
    const first = prepare(small, emptyState(), policy, { reason: 'manual' });
    const done = run(small, [hostileReviewers['says nothing'], cancelled], first);
    expect(ready(done.step)).toMatchObject({
      changes: [],
      report: { ladderSteps: [], summariser: { calls: 2 } },
    });
  });

  it('keeps everything where every decision is to keep, and says so', () => {
    const done = run(
      transcript,
      [hostileReviewers['keeps everything'], honestSummariser, honestSummariser],
      begun(),
    );
    expect(ready(done.step).report.summariser).toMatchObject({ review: 'no-gain' });
    expect(ladderStepsOf(done)).not.toContain('review');
  });

  it('never asks where code writes, nor where too little is up for decision', () => {
    const told: Policy = { ...policy, summariser: { type: 'code' } };
    expect(ladderStepsOf(run(transcript, [], begun(told), told))).not.toContain('review');
    const words = transcriptOf([
      ...messages.slice(0, 2),
      ...Array.from({ length: 400 }, () => [
        { role: 'assistant', content: 'Yes, I think so too, and so do they.' },
        { role: 'user', content: 'What else do you think of it? Say it in a few words, please.' },
      ]).flat(),
    ]);
    const step = asks(prepare(words, emptyState(), policyOf(12_000, 'pruning-agent', policy)));
    expect(step.request.purpose).toBe('summary');
  });

  it('asks no model where its window is too small for a question', () => {
    const told: Policy = { ...policy, summariser: { type: 'model', windowTokens: 600 } };
    expect(ready(begun(told)).report.summariser).toMatchObject({ calls: 0, review: null });
  });

  it('asks about what fits in the window of its own model only', () => {
    const told: Policy = { ...policy, summariser: { type: 'model', windowTokens: 4_000 } };
    const { request } = asks(begun(told));
    expect(request.purpose).toBe('prune-decisions');
    expect(JSON.stringify(request).length / 4).toBeLessThan(3_000);
    expect(askedIndexes(request).length).toBeGreaterThan(3);
  });

  it('is offered no summary ahead of need, which would take the place of the decisions', () => {
    const half = transcriptOf([...messages.slice(0, 2), ...Array.from({ length: 22 }, () => thought)]);
    const reactive: Policy = { ...policy, strategy: createStrategy('reactive-overflow') };
    expect(ready(prepare(half, emptyState(), reactive)).background).toBeDefined();
    expect(ready(prepare(half, emptyState(), policy)).background).toBeUndefined();
  });
});

describe('a compaction that the user asks of the pruning agent', () => {
  const small = transcriptOf(agentRun(20, 1_500));
  const manual = (): Step => prepare(small, emptyState(), policy, { reason: 'manual', focus: 'the login' });

  it('is done with the decisions, without a summary on top', () => {
    const done = run(small, [dropAll], manual());
    expect(ladderStepsOf(done)).toEqual(['review']);
    expect(done.requests[0]?.messages[0]?.content).toContain('<focus>\nthe login\n</focus>');
  });

  it('is a summary where the decisions are no good', () => {
    const bad = hostileReviewers.refuses;
    expect(ladderStepsOf(run(small, [bad, bad, honestSummariser], manual()))).toContain('compact');
  });
});

describe('decisions about a history that goes on', () => {
  const edited = (index: number): Transcript => {
    const other = [...messages];
    other[index] = { ...(other[index] as object), content: 'another content altogether '.repeat(60) };
    return transcriptOf(other);
  };

  it('are thrown away where a message they are about was edited: the pass begins anew', () => {
    const { paused, request } = asks(begun());
    const step = asks(resume(edited(5), paused, policy, dropAll(request)));
    expect(step.request.purpose).toBe('prune-decisions');
    expect(step.request).not.toEqual(request);
    expect(step.paused.summariser.calls).toBe(0);
  });

  it('stay true where a message was edited that they are not about', () => {
    const { paused, request } = asks(begun());
    const last = messages.length - 1;
    expect(resume(edited(last), paused, policy, dropAll(request)).type).toBe('ready');
  });

  it('never touch what was pinned while the model thought', () => {
    const { paused, request } = asks(begun());
    const told: Policy = { ...policy, pins: [3] };
    const step = ready(resume(transcript, paused, told, dropAll(request)));
    expect(step.changes.length).toBeGreaterThan(10);
    expect(wireOf(transcript, step)[3]).toBe(messages[3]);
  });

  it('lose nothing that came while the model thought', () => {
    const { paused, request } = asks(begun());
    const grown = appendMessages(transcript, exchange(900));
    const step = ready(resume(grown, paused, policy, dropAll(request)));
    expect(wireOf(grown, step).slice(-2)).toEqual(exchange(900));
  });

  it('never touch what is among the newest five after a rewind', () => {
    const told: Policy = { ...policy, summariser: { type: 'model', windowTokens: 4_000 } };
    const { paused, request } = asks(begun(told));
    const last = 2 * askedIndexes(request).length + 2;
    const step = ready(resume(transcriptOf(messages.slice(0, last)), paused, told, dropAll(request)));
    expect(step.changes.map(({ recallId }) => recallId)).not.toContain(`m${last - 5}.0`);
    expect(step.changes).toHaveLength(askedIndexes(request).length - 3);
  });

  it('are remembered without a message in them', () => {
    const { paused } = asks(begun());
    expect(JSON.stringify(paused)).not.toContain('handler');
    expect(JSON.parse(JSON.stringify(paused))).toEqual(paused);
    expect(paused.pending.type).toBe('review');
  });

  it('are not asked for again at the next step', () => {
    const first = ready(run(transcript, [dropAll], begun()).step);
    const grown = appendMessages(transcript, exchange(900));
    expect(prepare(grown, first.state, policy)).toMatchObject({ type: 'ready', changes: [] });
  });
});

describe('what a reviewer dropped', () => {
  const done = ready(run(transcript, [dropAll], begun()).step);

  it('can be recalled by the id that its placeholder names', () => {
    for (const { recallId } of done.changes) {
      expect(recall(transcript, recallId)?.text).toContain('export function handler');
    }
  });

  it('comes back with an undo, to the byte', () => {
    const wide: Policy = { ...policy, budget: { windowTokens: 200_000 } };
    if (!done.checkpoint) throw new Error('expected a checkpoint');
    const state = undo(transcript, done.state, wide, done.checkpoint);
    expect(wireOf(transcript, ready(prepare(transcript, state, wide)))).toEqual(messages);
  });

  it('stays whole where the strategy itself finds a fault in the result', () => {
    const strategy = { ...policy.strategy, validate: () => 'I want it all.' };
    const told: Policy = { ...policy, strategy };
    const step = run(transcript, [dropAll, honestSummariser, honestSummariser], begun(told), told).step;
    expect(ready(step).changes.filter(({ reason }) => reason === 'reviewed')).toEqual([]);
    expect(ready(step).report.summariser.review).toBe('refused-by-strategy');
  });
});

describe('every hostile reviewer', () => {
  it.each(Object.entries<Reply>(hostileReviewers))('ends in a view that fits: one that %s', (_, reviewer) => {
    const summariser = [honestSummariser, honestSummariser, honestSummariser];
    const isReview = ({ purpose }: ModelRequest): boolean => purpose === 'prune-decisions';
    const both: Reply = (request) => (isReview(request) ? reviewer(request) : honestSummariser(request));
    const done = run(transcript, [both, both, ...summariser], begun());
    const { report } = ready(done.step);
    expect([report.warnings, report.tokens.final <= report.triggerTokens]).toEqual([[], true]);
    expect(done.requests.filter(isReview).length).toBeLessThanOrEqual(2);
  });
});
