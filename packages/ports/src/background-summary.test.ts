import { describe, expect, it } from 'vitest';
import { completeText, findWireFaults } from '@throughline/testkit';
import {
  appendMessages,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openTranscript,
  renderView,
  rewind,
  undo,
} from '@throughline/core';
import { createBackgroundSummary } from './background-summary.ts';
import { runStep } from './run-step.ts';
import type { Answer, ContextState, Policy, Ready, Transcript } from '@throughline/core';
import type { BackgroundSummary } from './background-summary.ts';
import type { Driver } from './model-driver.ts';

const policy: Policy = {
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens: 16_000 },
  summariser: { type: 'model', windowTokens: 200_000 },
};
const prose = `## Completed Work\n${'- read a module, found that login checks the wrong field\n'.repeat(8)}## Current State\n- fixing it`;

const start = (): Transcript =>
  openTranscript({ codec: openaiChatCodec }, [{ role: 'user', content: 'Fix the login.' }]);

// Prose of the agent: nothing that pruning could take away.
const turn = (index: number): unknown[] => [
  {
    role: 'assistant',
    content: `Step ${index}: ${`looked at part ${index} of the login and thought. `.repeat(12)}`,
  },
  { role: 'user', content: `Go on with part ${index + 1}.` },
];

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A summariser that answers `durationMs` of a virtual clock after it was asked. */
function slowSummariser(durationMs: number): {
  driver: Driver;
  advance(ms: number): Promise<void>;
  asked(): number;
} {
  let nowMs = 0;
  let asked = 0;
  let waiting: { readonly atMs: number; readonly answer: (answer: Answer) => void }[] = [];
  return {
    asked: () => asked,
    driver: {
      name: 'slow',
      complete: () => {
        asked += 1;
        const { promise, resolve } = Promise.withResolvers<Answer>();
        waiting.push({ atMs: nowMs + durationMs, answer: resolve });
        return promise;
      },
    },
    async advance(ms) {
      nowMs += ms;
      const due = waiting.filter(({ atMs }) => atMs <= nowMs);
      waiting = waiting.filter(({ atMs }) => atMs > nowMs);
      for (const { answer } of due) answer(completeText(prose));
      for (let index = 0; index < 5; index += 1) await tick();
    },
  };
}

interface Run {
  readonly transcript: Transcript;
  readonly state: ContextState;
  readonly step: Ready;
}

/** Goes on for `steps` turns of a virtual second each, and says how long the user waited in each. */
async function goOn(
  from: { transcript: Transcript; state: ContextState },
  {
    steps,
    summariser,
    background,
  }: { steps: number; summariser: ReturnType<typeof slowSummariser>; background: BackgroundSummary },
  onStep: (run: Run, waitedMs: number) => void = () => {},
): Promise<{ transcript: Transcript; state: ContextState }> {
  let { transcript, state } = from;
  for (let index = 0; index < steps; index += 1) {
    transcript = appendMessages(transcript, turn(index));
    let step: Awaited<ReturnType<typeof runStep>> | undefined;
    void runStep(transcript, state, policy, { driver: summariser.driver, background }).then(
      (done) => (step = done),
    );
    let waitedMs = 0;
    await tick();
    for (; !step && waitedMs < 60_000; waitedMs += 100) await summariser.advance(100);
    if (step?.type !== 'ready') throw new Error(`expected a ready step, got ${String(step?.type)}`);
    state = step.state;
    onStep({ transcript, state, step }, waitedMs);
    await summariser.advance(1_000);
  }
  return { transcript, state };
}

describe('a background summary', () => {
  it('keeps the user from waiting for a summariser that takes ten seconds', async () => {
    const summariser = slowSummariser(10_000);
    using background = createBackgroundSummary({ driver: summariser.driver });
    const waits: number[] = [];
    const adopted: Ready[] = [];
    await goOn(
      { transcript: start(), state: emptyState() },
      { steps: 400, summariser, background },
      (run, waitedMs) => {
        waits.push(waitedMs);
        if (run.step.report.background === 'adopted') adopted.push(run.step);
        const messages = renderView(run.transcript, run.step.view).messages.map(({ message }) => message);
        expect(findWireFaults('openai-chat', messages)).toEqual([]);
      },
    );
    expect(Math.max(...waits)).toBe(0);
    expect(adopted.length).toBeGreaterThan(5);
    expect(summariser.asked()).toBe(adopted.length + (background.isWriting || background.written ? 1 : 0));
    for (const { report } of adopted) {
      expect(report.tokens.final).toBeLessThanOrEqual(report.targetTokens + 1_000);
      expect(report.summariser).toMatchObject({ calls: 1, fallback: null });
    }
  });

  it('is waited for, and not asked for again, when space is needed before it is finished', async () => {
    const summariser = slowSummariser(60_000);
    using background = createBackgroundSummary({ driver: summariser.driver });
    let longest = 0;
    await goOn(
      { transcript: start(), state: emptyState() },
      { steps: 110, summariser, background },
      (run, waitedMs) => {
        longest = Math.max(longest, waitedMs);
        if (waitedMs > 0) expect(run.step.report.background).toBe('adopted');
      },
    );
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(60_000);
  });

  it('is discarded when the client edits what it is about', async () => {
    const summariser = slowSummariser(1);
    using background = createBackgroundSummary({ driver: summariser.driver });
    let run = { transcript: start(), state: emptyState() };
    while (!background.written) run = await goOn(run, { steps: 1, summariser, background });
    const kept = rewind(run.transcript, 1);
    const messages = [...run.transcript.conversation.entries]
      .slice(1)
      .map(({ wire }) => structuredClone(wire));
    (messages[4] as { content: string }).content = 'Another turn of events.';
    const edited = appendMessages(kept, messages);
    const outcomes: unknown[] = [];
    await goOn({ ...run, transcript: edited }, { steps: 40, summariser, background }, ({ step }) =>
      outcomes.push(step.report.background),
    );
    expect(outcomes).toContain('discarded');
    expect(outcomes.indexOf('discarded')).toBeLessThan(outcomes.indexOf('adopted') >>> 0);
  });

  it('is not offered after an undo until space is needed', async () => {
    const summariser = slowSummariser(1);
    using background = createBackgroundSummary({ driver: summariser.driver });
    let run = { transcript: start(), state: emptyState() };
    while (!background.written) run = await goOn(run, { steps: 1, summariser, background });
    background.drop();
    const compacted = await runStep(run.transcript, run.state, policy, { reason: 'manual' });
    if (compacted.type !== 'ready' || !compacted.checkpoint) throw new Error('expected a compaction');
    const asked = summariser.asked();
    const held = undo(run.transcript, compacted.state, policy, compacted.checkpoint);
    await goOn({ transcript: run.transcript, state: held }, { steps: 3, summariser, background });
    expect(summariser.asked()).toBe(asked);
  });

  it('stops asking when the session is disposed of', async () => {
    const signals: AbortSignal[] = [];
    const driver: Driver = {
      name: 'endless',
      complete: (_request, { signal }) => {
        if (signal) signals.push(signal);
        return new Promise(() => {});
      },
    };
    const background = createBackgroundSummary({ driver });
    const summariser = { ...slowSummariser(1), driver };
    await goOn({ transcript: start(), state: emptyState() }, { steps: 60, summariser, background }).catch(
      () => {},
    );
    expect(background.isWriting).toBe(true);
    background[Symbol.dispose]();
    await tick();
    await tick();
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(background.written).toBeUndefined();
    expect(background.isWriting).toBe(false);
  });

  it('survives a way through JSON', async () => {
    const summariser = slowSummariser(1);
    using background = createBackgroundSummary({ driver: summariser.driver });
    let run = { transcript: start(), state: emptyState() };
    while (!background.written) run = await goOn(run, { steps: 1, summariser, background });
    const stored = JSON.parse(JSON.stringify(background.written)) as NonNullable<
      BackgroundSummary['written']
    >;
    expect(stored).toEqual(background.written);
  });
});
