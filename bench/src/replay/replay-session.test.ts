import { describe, expect, it } from 'vitest';
import { findWireFaults } from '@throughline/testkit';
import { openaiChatCodec } from '@throughline/core';
import { batchMasking, noManagement, rollingMasking } from './baselines.ts';
import { chatTranscript } from '../synthetic/chat-transcript.ts';
import { createTokenCount } from '../metrics/token-count.ts';
import { figuresOf } from './tally.ts';
import { isEvenPick, planSteps } from './plan-steps.ts';
import { ours } from './ours.ts';
import { replaySession } from './replay-session.ts';
import type { BenchSession } from './read-sessions.ts';
import type { Contender } from './contender.ts';
import type { Figures } from './tally.ts';

const perFour = { name: 'characters/4', count: (text: string): number => text.length / 4 };
const oursOptions = { windowTokens: 200_000, reportsUsage: false, checkEvery: 10 };

function sessionOf(messages: readonly unknown[]): BenchSession {
  return {
    name: 'made up',
    set: 'other',
    format: 'openai-chat',
    codec: openaiChatCodec,
    messages,
    outside: '',
  };
}

async function replay(
  contender: Contender,
  messages: readonly unknown[],
  budgetTokens: number,
): Promise<Figures> {
  const tokensOf = createTokenCount(perFour);
  const setting = {
    budgetTokens,
    windowTokens: 200_000,
    outputReserveTokens: 32_000,
    tokensOf,
    outsideTokens: 0,
  };
  return figuresOf(
    await replaySession(planSteps(sessionOf(messages), 1_000), contender, setting),
    budgetTokens,
  );
}

const call = (id: string, path: string): unknown => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: JSON.stringify({ path }) } }],
});
const result = (id: string, content: string): unknown => ({ role: 'tool', tool_call_id: id, content });

describe('replaySession', () => {
  const user = { role: 'user', content: 'Never stop.' };
  // Twelve results of 400 characters; the thirteenth call uses what only the first of them named.
  const messages = [
    user,
    ...Array.from({ length: 12 }, (_, index) => [
      call(`c${index}`, 'x'),
      result(`c${index}`, `${index === 0 ? 'src/first.ts' : 'word'} ${'.'.repeat(400)}`),
    ]).flat(),
    call('last', 'src/first.ts'),
  ];

  it('finds everything where nothing is managed, and pays for it once', async () => {
    const figures = await replay(noManagement, messages, 100);
    expect(figures).toMatchObject({
      steps: 13,
      valid: 1,
      costCached: 1,
      costFlat: 1,
      breaks: 0,
      userMessages: 1,
    });
    expect(figures.recall).toMatchObject({ all: 1, far: 1, locatorFar: 1 });
    expect(figures.prefixKept).toBe(1);
  });

  it('misses what a mask has hidden, and counts each break of the prefix', async () => {
    const figures = await replay(rollingMasking(10), messages, 100);
    expect(figures).toMatchObject({ farUses: 2, silentBreaks: 2, valid: 1, ruleSentences: 1 });
    expect(figures.recall.far).toBe(0);
  });

  it('masks in batches down to half the budget', async () => {
    const figures = await replay(batchMasking, messages, 1_000);
    expect(figures.maxTokens).toBeLessThanOrEqual(1_000);
    expect(figures.silentBreaks).toBe(0);
    expect(figures.breaks).toBeGreaterThan(0);
  });

  it('shows our engine sending what an independent judge accepts, the same twice', async () => {
    const run = chatTranscript(240);
    const engine = ours('reactive-overflow', oursOptions);
    const judged: Contender = {
      name: 'judged',
      start(session, budgetTokens) {
        const run = engine.start(session, budgetTokens);
        return {
          codec: run.codec,
          async step(length, count) {
            const sent = await run.step(length, count);
            expect(
              findWireFaults('openai-chat', sent?.messages ?? [], { ending: 'send', wantsUserFirst: true }),
            ).toEqual([]);
            return sent;
          },
        };
      },
    };
    const figures = await replay(judged, run, 12_000);
    expect(figures).toMatchObject({ valid: 1, unsendableSteps: 0, silentBreaks: 0, determinismFaults: 0 });
    expect(figures.compactions).toBeGreaterThan(2);
  });
});

describe('isEvenPick', () => {
  it('picks as many as asked, evenly', () => {
    const picked = Array.from({ length: 100 }, (_, index) => index).filter((index) =>
      isEvenPick(index, 100, 7),
    );
    expect(picked).toHaveLength(7);
    expect(Math.max(...picked.slice(1).map((index, at) => index - (picked[at] ?? 0)))).toBeLessThanOrEqual(
      15,
    );
    expect(isEvenPick(3, 5, 10)).toBe(true);
  });
});
