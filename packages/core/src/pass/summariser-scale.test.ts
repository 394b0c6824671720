import { appendMessages } from '../history/transcript.ts';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { describe, expect, it } from 'vitest';
import { isDeepRun } from '@throughline/testkit';
import { emptyState } from './state.ts';
import { forgetWindow, recordUsage } from './usage.ts';
import { learnedFrom, summariserTokens, withinWindow } from './summariser-scale.ts';
import { openPass } from './pass.ts';
import { prepare } from '../context/prepare.ts';
import { resume } from '../context/resume.ts';
import { wholeRequests } from '../tokens/calibration.ts';
import type { Answer, ModelRequest } from '../summary/model-request.ts';
import type { Policy } from './policy.ts';
import type { Step } from '../context/step.ts';

/** Counts as its tokenizer does, and refuses like llama.cpp. */
interface Server {
  readonly slope: number;
  readonly windowTokens: number;
  /** Without them an error says nothing but that it was too much. */
  readonly namesNumbers?: boolean;
}

const prose =
  '## Completed Work\n- read modules, found that login checks the wrong field\n## Current State\n- fixing it';

function answerOf({ slope, windowTokens, namesNumbers = true }: Server, request: ModelRequest): Answer {
  const text = [request.system, ...request.messages.map(({ content }) => content)].join('');
  const promptTokens = Math.ceil(charactersEstimator.count(text) * slope) + 12;
  if (promptTokens >= windowTokens) {
    const numbers = namesNumbers ? { promptTokens, limitTokens: windowTokens } : {};
    return { type: 'failed', cause: 'overflow', message: 'exceed_context_size_error', ...numbers };
  }
  const text_ = request.purpose === 'summary' ? prose : '[{"index": 1, "action": "drop"}]';
  return {
    type: 'text',
    text: text_,
    finish: 'stop',
    usage: { inputTokens: promptTokens, outputTokens: 40 },
  };
}

/** A session of so many exchanges that is counted by `session`, while `summariser` writes: what the latter was asked. */
function runAgainst(policy: Policy, session: Server, summariser: Server, exchanges = 60) {
  let transcript = transcriptOf(agentRun(1));
  let state = emptyState(wholeRequests);
  const answers: Answer[] = [];
  for (let index = 1; index < exchanges; index += 1) {
    transcript = appendMessages(transcript, exchange(index, 300 + (index % 4) * 200));
    let step: Step = prepare(transcript, state, policy);
    while (step.type === 'model-needed') {
      const answer = answerOf(summariser, step.request);
      answers.push(answer);
      step = resume(transcript, step.paused, policy, answer);
    }
    if (step.type !== 'ready') throw new Error(step.type);
    const inputTokens = Math.ceil(step.view.tokens * session.slope) + 12;
    const { windowTokens } = session;
    state = recordUsage(transcript, step.state, { inputTokens, windowTokens });
  }
  const refused = answers.filter(({ type }) => type === 'failed').length;
  return { asked: answers.length, refused, state };
}

const windows = [4_096, 16_384];
const slopes = [0.8, 1.4, 2.2, 4];

describe('what the summariser is asked', () => {
  const grid = windows.flatMap((windowTokens) => slopes.map((slope) => ({ windowTokens, slope })));

  it.each(
    grid.flatMap((server) => ['reactive-overflow', 'pruning-agent'].map((name) => ({ ...server, name }))),
  )(
    'never overflows the window of the session’s own model: $name, $windowTokens, slope $slope',
    ({ windowTokens, slope, name }) => {
      const policy = policyOf(windowTokens, name, { summariser: { type: 'model' } });
      const server = { windowTokens, slope };
      const { asked, refused } = runAgainst(policy, server, server, windowTokens / (isDeepRun ? 50 : 80));
      expect(refused).toBe(0);
      if (slope < 4) expect(asked).toBeGreaterThan(0);
    },
  );

  it.each([true, false])(
    'teaches a configured summariser’s smaller window and its tokenizer once, numbers named: %s',
    (namesNumbers) => {
      const summariser = { windowTokens: 4_096, slope: 2.2, namesNumbers };
      const policy = policyOf(16_384, 'reactive-overflow', {
        summariser: { type: 'model', windowTokens: 32_768 },
      });
      const session = { windowTokens: 16_384, slope: 1 };
      const { asked, refused, state } = runAgainst(policy, session, summariser, 300);
      expect(asked).toBeGreaterThan(refused);
      if (namesNumbers) expect(refused).toBe(1);
      expect(state.summariser?.windowTokens).toBe(namesNumbers ? 4_096 : null);
      expect(state.summariser?.slope).toBeCloseTo(2.2, 0);
      expect(state.learnedWindow).toBeNull();
    },
  );

  it('lowers the session’s own window, where it is the same model, and for a day', () => {
    const server = { windowTokens: 4_096, slope: 1 };
    const policy = policyOf(16_384, 'reactive-overflow', { summariser: { type: 'model' } });
    const { state } = runAgainst(policy, { windowTokens: 16_384, slope: 1 }, server, 120);
    expect(state.learnedWindow).toEqual({ windowTokens: 4_096 });
    const seen = forgetWindow(state, { atMs: 5_000 });
    expect(seen.learnedWindow).toEqual({ windowTokens: 4_096, atMs: 5_000 });
    expect(forgetWindow(seen, { atMs: 5_000 + 86_400_000 }).learnedWindow).toBeNull();
  });

  it('says nothing of the scale where the question stood behind the session’s messages', () => {
    const known = { slope: null, windowTokens: null };
    const messages = [{ role: 'user' as const, content: 'Write the record.' }];
    const request: ModelRequest = {
      purpose: 'summary',
      cachedPrefix: [{ role: 'user', content: 'x'.repeat(400) }],
      system: '',
      messages,
      maxOutputTokens: 100,
      temperature: 0,
    };
    const answer: Answer = {
      type: 'text',
      text: prose,
      finish: 'stop',
      usage: { inputTokens: 30, outputTokens: 1 },
    };
    expect(learnedFrom(known, { request, answer }, charactersEstimator)).toBe(known);
  });
});

describe('what a refusal of the summariser says', () => {
  const request: ModelRequest = {
    purpose: 'summary',
    system: '',
    messages: [{ role: 'user', content: 'x'.repeat(4_000) }],
    maxOutputTokens: 100,
    temperature: 0,
  };
  const refusal = { type: 'failed', cause: 'overflow', message: 'too long' } as const;
  const known = { slope: 2, windowTokens: 4_096 };

  it('never lowers the scale: a server may have counted up to its limit only', () => {
    const estimate = charactersEstimator.count('x'.repeat(4_000));
    const learned = learnedFrom(
      known,
      { request, answer: { ...refusal, promptTokens: estimate } },
      charactersEstimator,
    );
    expect(learned).toEqual(known);
  });

  it.each([
    [8_192, 4_096],
    [2_048.5, 2_048],
  ])(
    'lowers the window that is known, in whole tokens, and never raises it: %s',
    (limitTokens, windowTokens) => {
      const learned = learnedFrom(
        known,
        { request, answer: { ...refusal, limitTokens } },
        charactersEstimator,
      );
      expect(learned).toEqual({ ...known, windowTokens });
    },
  );
});

describe('the room of the summariser', () => {
  const passOf = (windowTokens?: number) =>
    openPass(
      transcriptOf(agentRun(1)),
      emptyState(),
      policyOf(100_000, 'reactive-overflow', {
        summariser: { type: 'model', ...(windowTokens === undefined ? {} : { windowTokens }) },
      }),
    );

  it('leaves a quarter of its window to reasoning and what prose takes to the answer', () => {
    expect(summariserTokens(passOf(8_000), { slope: 1, windowTokens: null })).toBe(
      8_000 - 2_000 - 1_200 - 320,
    );
  });

  it('is never larger for the session’s own model than the session measures it', () => {
    const roomAt = (windowTokens: number | undefined, slope: number) =>
      summariserTokens(passOf(windowTokens), { slope, windowTokens: null });
    expect(roomAt(undefined, 0.5)).toBe(roomAt(undefined, 1));
    expect(roomAt(8_000, 0.5)).toBe(2 * roomAt(8_000, 1));
  });

  it.each([
    [4_000, 600],
    [100, 120],
  ])('of %i tokens bounds the prose and what is asked for alike', (tokens, prose) => {
    const limits = {
      totalTokens: 5_000,
      indexTokens: 500,
      proseTokens: 2_000,
      proseTargetTokens: 800,
      userMessageTokens: 1_000,
      summariserTokens: tokens,
      estimator: charactersEstimator,
    };
    expect(withinWindow(limits)).toEqual({ ...limits, proseTokens: prose, proseTargetTokens: prose });
  });
});
