import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages, openTranscript } from '../history/transcript.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { createStrategy } from '../strategies/create-strategy.ts';
import { emptyState, parseState } from '../pass/state.ts';
import { formerState } from './checkpoints.ts';
import { undo } from './undo.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { prepare } from './prepare.ts';
import { recall } from '../history/recall.ts';
import { recordUsage } from '../pass/usage.ts';
import { renderView } from '../history/render-view.ts';
import { resume } from './resume.ts';
import { seenTokens } from '../changes/view.ts';
import type { Policy } from '../pass/policy.ts';
import type { Ready, Step } from './step.ts';
import type { Transcript } from '../history/transcript.ts';

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

const sent = (transcript: Transcript, step: Ready): unknown[] =>
  renderView(transcript, step.view).messages.map(({ message }) => message);

describe('prepare', () => {
  it('hands out the same objects while nothing presses', () => {
    const messages = agentRun(3);
    const transcript = transcriptOf(messages);
    const step = ready(prepare(transcript, emptyState(), policyOf(100_000)));
    sent(transcript, step).forEach((message, index) => expect(message).toBe(messages[index]));
    expect(step.changes).toEqual([]);
    expect(step.checkpoint).toBeUndefined();
  });

  it('prunes old output down to the target before it compacts anything, where the strategy says so', () => {
    const transcript = transcriptOf(agentRun(20, 4_000));
    const step = ready(prepare(transcript, emptyState(), policyOf(24_000, 'pruning-agent')));
    expect(step.report.wasPruned).toBe(true);
    expect(step.report.wasCompacted).toBe(false);
    expect(seenTokens(step.view)).toBeLessThanOrEqual(step.report.targetTokens);
  });

  it('compacts when placeholders alone would not reach the target', () => {
    const transcript = transcriptOf(agentRun(400, 300));
    const step = ready(prepare(transcript, emptyState(), policyOf(16_000)));
    expect(step.report.wasCompacted).toBe(true);
    expect(seenTokens(step.view)).toBeLessThanOrEqual(step.report.targetTokens);
    const [system, task, summary, note] = sent(transcript, step) as { role: string; content: string }[];
    expect([system?.role, task?.role, summary?.role, note?.role]).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    expect(task?.content).toContain('Never touch config/prod.yaml.');
    expect(summary?.content).toContain('Compaction Round 1');
  });

  it('ends the view with what the model has not answered, byte for byte', () => {
    const messages = agentRun(200, 300);
    const transcript = transcriptOf(messages);
    const step = ready(prepare(transcript, emptyState(), policyOf(16_000)));
    expect(sent(transcript, step).at(-1)).toBe(messages.at(-1));
  });

  it('gives the same bytes again when only the state is carried to another process', () => {
    const transcript = transcriptOf(agentRun(300, 600));
    const policy = policyOf(16_000);
    const first = ready(prepare(transcript, emptyState(), policy));
    const state = parseState(JSON.parse(JSON.stringify(first.state)));
    const elsewhere = transcriptOf(agentRun(300, 600));
    const second = ready(prepare(elsewhere, state, policy));
    expect(second.changes).toEqual([]);
    expect(JSON.stringify(sent(elsewhere, second))).toBe(JSON.stringify(sent(transcript, first)));
  });

  it('keeps the prefix byte for byte until the next pass', () => {
    const policy = policyOf(16_000);
    let transcript = transcriptOf(agentRun(0));
    let state = emptyState();
    let before: string[] = [];
    for (let index = 0; index < 120; index += 1) {
      transcript = appendMessages(transcript, exchange(index, 700));
      const step = ready(prepare(transcript, state, policy));
      const now = sent(transcript, step).map((message) => JSON.stringify(message));
      if (!step.checkpoint) expect(now.slice(0, before.length)).toEqual(before);
      before = now;
      state = step.state;
    }
    expect(state.checkpointCount).toBeGreaterThan(2);
  });

  it('truncates a result that is larger than its share before its first send', () => {
    const transcript = transcriptOf(agentRun(2, 60_000));
    const step = ready(prepare(transcript, emptyState(), policyOf(40_000)));
    expect(step.changes.map(({ type }) => type)).toContain('result-truncated');
    expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.triggerTokens);
  });

  it('counts in its checkpoint what was in the context, and not what a new result weighed before it was truncated', () => {
    const sent = agentRun(60, 900);
    const first = ready(prepare(transcriptOf(sent), emptyState(), policyOf(24_000)));
    expect(first.checkpoint).toBeUndefined();
    const grown = transcriptOf([...sent, ...exchange(60, 90_000)]);
    const { checkpoint, report } = ready(prepare(grown, first.state, policyOf(24_000)));
    expect(report.wasCompacted).toBe(true);
    expect(report.tokens.before).toBeGreaterThan(24_000);
    expect(checkpoint?.tokensBefore).toBeLessThan(24_000);
    expect(checkpoint?.tokensBefore).toBe(report.ladderSteps[1]?.beforeTokens);
  });

  it('says which parts are too big when nothing can be taken away', () => {
    const transcript = transcriptOf([
      { role: 'system', content: 'rule. '.repeat(4_000) },
      { role: 'user', content: 'Go on.' },
    ]);
    const step = prepare(transcript, emptyState(), policyOf(4_000));
    expect(step).toMatchObject({ type: 'cannot-fit', canCompact: false });
    if (step.type === 'cannot-fit') expect(step.parts[0]).toMatchObject({ name: 'system' });
  });

  it('compacts nothing on its own where that is switched off, and offers it', () => {
    const transcript = transcriptOf(agentRun(300, 600));
    const policy: Policy = { ...policyOf(16_000), auto: false };
    expect(prepare(transcript, emptyState(), policy)).toMatchObject({ type: 'cannot-fit', canCompact: true });
    expect(prepare(transcript, emptyState(), policy, { reason: 'manual' }).type).toBe('ready');
  });

  it('fills a small trigger further where little is sent on top, and comes down to the target where the user asks', () => {
    const transcript = transcriptOf(agentRun(120));
    const policy = policyOf(12_000);
    const { triggerTokens } = ready(prepare(transcript, emptyState(), policy)).report;
    const seenAfter = (step: Ready): number => step.report.tokens.final / triggerTokens;
    const own = ready(prepare(transcript, emptyState(), policy));
    const asked = ready(prepare(transcript, emptyState(), policy, { reason: 'manual' }));
    expect(own.report.targetTokens / triggerTokens).toBeGreaterThan(0.7);
    expect(seenAfter(own)).toBeGreaterThan(0.62);
    expect(seenAfter(own)).toBeLessThanOrEqual(own.report.targetTokens / triggerTokens);
    expect(asked.report.targetTokens / triggerTokens).toBeCloseTo(0.55, 2);
    expect(seenAfter(asked)).toBeLessThanOrEqual(0.55);
  });

  it('makes no pass at every step where system text and tools take most of a small trigger', () => {
    const system = 'rule. '.repeat(4_200);
    const policy: Policy = {
      ...policyOf(200_000),
      budget: { windowTokens: 200_000, thresholdTokens: 9_000 },
    };
    let transcript = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator, system }, []);
    transcript = appendMessages(transcript, agentRun(30).slice(1));
    let state = emptyState();
    let passes = 0;
    for (let at = 0; at < 40; at += 1) {
      transcript = appendMessages(transcript, exchange(200 + at, 2_200));
      const step = ready(prepare(transcript, state, policy));
      state = step.state;
      if (step.checkpoint) passes += 1;
    }
    expect(passes).toBeLessThanOrEqual(22);
  });

  it('fills what system messages in the history leave as it fills what system text beside it leaves', () => {
    const system = 'rule. '.repeat(4_200);
    const policy: Policy = {
      ...policyOf(200_000),
      budget: { windowTokens: 200_000, thresholdTokens: 12_000 },
    };
    const run = agentRun(80).slice(1);
    const setUp = { codec: openaiChatCodec, estimator: charactersEstimator };
    const beside = openTranscript({ ...setUp, system }, run);
    const inside = openTranscript(setUp, [{ role: 'system', content: system }, ...run]);
    for (const [asked, least] of [
      [{}, 0.75],
      [{ reason: 'manual' }, 0.7],
    ] as const) {
      const { report: one } = ready(prepare(beside, emptyState(), policy, asked));
      const { report: other, view } = ready(prepare(inside, emptyState(), policy, asked));
      expect(one.tokens.final).toBeGreaterThan(least * 12_000);
      // What the model has not seen yet comes on top.
      expect(seenTokens(view)).toBeLessThanOrEqual(other.targetTokens);
      expect(Math.abs(other.tokens.final - one.tokens.final)).toBeLessThan(200);
      expect(Math.abs(other.targetTokens - one.targetTokens)).toBeLessThan(20);
    }
  });

  it('counts a system message that the model has not read among what is sent on top', () => {
    const rule = { role: 'system', content: 'rule. '.repeat(6_000) };
    const transcript = transcriptOf([...agentRun(120), rule, { role: 'user', content: 'Go on.' }]);
    const policy: Policy = {
      ...policyOf(200_000),
      budget: { windowTokens: 200_000, thresholdTokens: 20_000 },
    };
    const { report, view } = ready(prepare(transcript, emptyState(), policy));
    expect(report.targetTokens).toBe(11_000);
    expect(seenTokens(view)).toBeLessThanOrEqual(11_000);
    expect(report.tokens.final).toBeLessThanOrEqual(20_000);
  });

  it('has the same target by an exact tokenizer before a summariser was asked and behind its answer', () => {
    const system = { role: 'system', content: 'rule. '.repeat(5_000) };
    const transcript = transcriptOf([system, ...agentRun(60).slice(1)]);
    const exact = { ...charactersEstimator, count: (text: string) => charactersEstimator.count(text) * 1.14 };
    // An exact tokenizer is asked near the trigger only.
    const { before } = ready(prepare(transcript, emptyState(), policyOf(200_000))).report.tokens;
    const policy: Policy = {
      ...policyOf(200_000),
      budget: { windowTokens: 200_000, thresholdTokens: Math.round(before * 0.95) },
    };
    const byCode = ready(prepare(transcript, emptyState(), policy, { exact })).report;
    const asking: Policy = { ...policy, summariser: { type: 'model', windowTokens: 100_000 } };
    let step = prepare(transcript, emptyState(), asking, { exact });
    expect(step.type).toBe('model-needed');
    while (step.type === 'model-needed')
      step = resume(transcript, step.paused, asking, { type: 'failed', cause: 'timeout', message: '' });
    expect(ready(step).report.targetTokens).toBe(byCode.targetTokens);
    const byEstimate = ready(prepare(transcript, emptyState(), policy)).report;
    expect(byEstimate.targetTokens).toBeLessThan(byCode.targetTokens);
  });

  it('waits for growth after a pass that could not reach the target', () => {
    const policy = { ...policyOf(8_000), budget: { windowTokens: 8_000, target: 0.2 } };
    const [system, , ...run] = agentRun(30, 300);
    let transcript = transcriptOf([system, { role: 'user', content: 'rule. '.repeat(2_300) }, ...run]);
    const first = ready(prepare(transcript, emptyState(), policy));
    transcript = appendMessages(transcript, exchange(99, 100));
    const second = ready(prepare(transcript, first.state, policy));
    expect(first.report.warnings.length).toBeGreaterThan(0);
    expect(second.checkpoint).toBeUndefined();
  });
});

describe('resume', () => {
  const policy: Policy = { ...policyOf(16_000), summariser: { type: 'model', windowTokens: 32_000 } };
  const transcript = transcriptOf(agentRun(400, 300));

  function asked(): Extract<Step, { type: 'model-needed' }> {
    const step = prepare(transcript, emptyState(), policy);
    if (step.type !== 'model-needed') throw new Error(`expected a request, got ${step.type}`);
    return step;
  }

  it('goes on from a paused step that was stored as JSON', () => {
    let step: Step = asked();
    let calls = 0;
    while (step.type === 'model-needed') {
      calls += 1;
      const paused = JSON.parse(JSON.stringify(step.paused)) as typeof step.paused;
      step = resume(transcript, paused, policy, {
        type: 'text',
        finish: 'stop',
        text: `## Completed Work\n${'- read a module file and its handlers, found the login bug in src/module-7.ts\n'.repeat(6)}## Current State\n- working on the fix after chunk ${calls}`,
        usage: { inputTokens: 1_000, outputTokens: 50 },
      });
    }
    expect(ready(step).report.summariser).toMatchObject({
      calls,
      inputTokens: 1_000 * calls,
      fallback: null,
    });
    expect(JSON.stringify(sent(transcript, ready(step)))).toContain('found the login bug in src/module-7.ts');
  });

  it('leaves the old view when the answer is cancelled', () => {
    const step = resume(transcript, asked().paused, policy, {
      type: 'failed',
      cause: 'cancelled',
      message: '',
    });
    expect(step).toMatchObject({ type: 'cannot-fit', canCompact: true });
  });

  it('lets code write when the model is not there, and says so', () => {
    const step = resume(transcript, asked().paused, policy, {
      type: 'failed',
      cause: 'unavailable',
      message: '',
    });
    expect(ready(step).report.summariser.fallback).toBe('unavailable');
    expect(ready(step).report.wasCompacted).toBe(true);
  });
});

describe('undo', () => {
  const large = policyOf(200_000);

  it('gives the former view back and holds until space is needed', () => {
    const messages = agentRun(200, 600);
    const transcript = transcriptOf(messages);
    const step = ready(prepare(transcript, emptyState(), large, { reason: 'manual' }));
    const state = undo(transcript, step.state, large, step.checkpoint as NonNullable<Ready['checkpoint']>);
    const again = ready(prepare(transcript, state, large));
    expect(sent(transcript, again)).toEqual(messages);
    expect(again.state.isAutoCompactionPaused).toBe(true);
  });

  it('takes ten rounds back one by one', () => {
    let transcript = transcriptOf(agentRun(40, 600));
    let state = emptyState();
    const views: string[] = [];
    const checkpoints: NonNullable<Ready['checkpoint']>[] = [];
    for (let round = 0; round < 10; round += 1) {
      views.push(JSON.stringify(sent(transcript, ready(prepare(transcript, state, large)))));
      const step = ready(prepare(transcript, state, large, { reason: 'manual' }));
      if (step.checkpoint) checkpoints.push(step.checkpoint);
      state = step.state;
      transcript = appendMessages(transcript, exchange(100 + round, 600));
    }
    expect(checkpoints).toHaveLength(10);
    for (const checkpoint of checkpoints.reverse()) state = formerState(state, checkpoint);
    expect(state.changes).toEqual([]);
    expect(state.head).toBeNull();
  });

  it('refuses, with the numbers, where the former view would not fit', () => {
    const transcript = transcriptOf(agentRun(400, 600));
    const policy = policyOf(16_000);
    const step = ready(prepare(transcript, emptyState(), policy));
    const checkpoint = step.checkpoint as NonNullable<Ready['checkpoint']>;
    expect(() => undo(transcript, step.state, policy, checkpoint)).toThrow(/usable/);
  });
});

describe('recall', () => {
  it('fetches any message and any part by id, whatever the view shows', () => {
    const messages = agentRun(400, 300);
    const transcript = transcriptOf(messages);
    prepare(transcript, emptyState(), policyOf(16_000));
    expect(recall(transcript, 'm3')?.message).toBe(messages[3]);
    expect(recall(transcript, 'm2.1')?.text).toContain('src/module-0.ts');
    expect(recall(transcript, 'm9999')).toBeUndefined();
    expect(recall(transcript, 'm2.7')).toBeUndefined();
  });
});

describe('recordUsage', () => {
  it('measures the next request by what the provider counted plus what is new', () => {
    const policy = policyOf(100_000);
    let transcript = transcriptOf(agentRun(10));
    const first = ready(prepare(transcript, emptyState(), policy));
    const state = recordUsage(transcript, first.state, { inputTokens: 9_000, windowTokens: 100_000 });
    transcript = appendMessages(transcript, exchange(50, 4_000));
    const second = ready(prepare(transcript, state, policy));
    expect(second.report.tokens.final).toBeGreaterThan(9_900);
    expect(second.report.tokens.final).toBeLessThan(10_500);
  });

  it.each([0, NaN, -5, 250_000])('does not believe a count of %s', (inputTokens) => {
    const transcript = transcriptOf(agentRun(10));
    const { state } = ready(prepare(transcript, emptyState(), policyOf(100_000)));
    expect(recordUsage(transcript, state, { inputTokens, windowTokens: 100_000 })).toBe(state);
  });
});

describe('limits on the request as a whole', () => {
  const picture = (sizeBytes: number): unknown => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'A'.repeat(Math.ceil(sizeBytes / 3) * 4)}` },
  });
  const album = (count: number, sizeBytes: number): unknown[] => [
    { role: 'user', content: [{ type: 'text', text: 'Compare these.' }] },
    ...Array.from({ length: count }, (_, index) => [
      { role: 'user', content: [{ type: 'text', text: `Picture ${index}` }, picture(sizeBytes)] },
      { role: 'assistant', content: `Seen ${index}.` },
    ]).flat(),
  ];
  const shown = (step: Ready, transcript: Transcript): number[] =>
    sent(transcript, step).flatMap((message, index) =>
      JSON.stringify(message).includes('base64') ? [index] : [],
    );

  it('strips the oldest media when there are more than allowed', () => {
    const transcript = transcriptOf(album(6, 30));
    const step = ready(prepare(transcript, emptyState(), { ...policyOf(200_000), wire: { maxMedia: 2 } }));
    expect(shown(step, transcript)).toEqual([9, 11]);
    expect(step.checkpoint?.reason).toBe('overflow');
  });

  it('brings the bytes below their limit, media first', () => {
    const transcript = transcriptOf([...album(6, 300_000), ...agentRun(60, 4_000).slice(2)]);
    const step = ready(
      prepare(transcript, emptyState(), { ...policyOf(200_000), wire: { maxBytes: 200_000 } }),
    );
    expect(JSON.stringify(sent(transcript, step)).length).toBeLessThan(200_000);
    const again = prepare(transcript, step.state, { ...policyOf(200_000), wire: { maxBytes: 200_000 } });
    expect(again).toMatchObject({ type: 'ready', changes: [] });
  });
});

describe('a request that the provider refused', () => {
  it('is made smaller although it seemed to fit', () => {
    const transcript = transcriptOf(agentRun(60, 800));
    const step = ready(prepare(transcript, emptyState(), policyOf(200_000), { reason: 'provider-error' }));
    expect(step.report.tokens.final).toBeLessThan(step.report.tokens.before * 0.7);
  });

  it.each<[string, Partial<Policy>]>([
    ['compaction is switched off', { auto: false }],
    [
      'the strategy waits for the user',
      { strategy: createStrategy('reactive-overflow', { trigger: 'manual' }) },
    ],
  ])('is not sent again where %s: the user is offered a compaction', (_why, more) => {
    const transcript = transcriptOf(agentRun(60, 800));
    const policy = { ...policyOf(200_000), ...more };
    const step = prepare(transcript, emptyState(), policy, { reason: 'provider-error' });
    expect(step).toMatchObject({ type: 'cannot-fit', canCompact: true, state: { changes: [] } });
    expect(prepare(transcript, emptyState(), policy).type).toBe('ready');
  });
});

describe('exact counting', () => {
  it('decides near the trigger, and is not asked far from it', () => {
    const transcript = transcriptOf(agentRun(100, 360));
    let asked = 0;
    const exact = { name: 'double', count: (text: string) => ((asked += 1), text.length / 2) };
    const { final } = ready(prepare(transcript, emptyState(), policyOf(400_000))).report.tokens;
    // 71 % of a window are usable: the estimate is a tenth below the trigger, the exact count far above it.
    const near = prepare(transcript, emptyState(), policyOf((final * 1.1) / 0.71), { exact });
    expect(near).toMatchObject({ type: 'ready', checkpoint: { reason: 'overflow' } });
    const before = asked;
    prepare(transcript, emptyState(), policyOf(400_000), { exact });
    expect(asked).toBe(before);
  });
});

describe('task and request above their share', () => {
  it('keep their share however often the view is made to fit', () => {
    const policy = policyOf(40_000);
    const long = (name: string): string =>
      `${name} begins. ${'all of it matters. '.repeat(6_000)}${name} ends.`;
    let transcript = transcriptOf([{ role: 'user', content: long('task') }, ...agentRun(30, 3_000).slice(2)]);
    let state = emptyState();
    for (let round = 0; round < 6; round += 1) {
      const step = ready(prepare(transcript, state, policy));
      const [task] = sent(transcript, step) as { content: string }[];
      if (step.report.ladderSteps.length > 0) expect(task?.content.length).toBeGreaterThan(20_000);
      state = step.state;
      for (let index = 0; index < 10; index += 1)
        transcript = appendMessages(transcript, exchange(round * 10 + index, 3_000));
    }
  });
});
