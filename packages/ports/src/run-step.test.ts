import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { completeText, scriptedDriver } from '@throughline/testkit';
import { createStrategy, emptyState, openaiChatCodec, openTranscript, renderView } from '@throughline/core';
import { runStep } from './run-step.ts';
import type { Answer, Policy } from '@throughline/core';

type Late = PromiseWithResolvers<Answer>;

const policy: Policy = {
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens: 12_000 },
  summariser: { type: 'model', windowTokens: 200_000 },
};
const prose = `## Completed Work\n${'- read a module, found that login checks the wrong field\n'.repeat(8)}## Current State\n- fixing it`;

function longRun(): ReturnType<typeof openTranscript> {
  const messages: unknown[] = [{ role: 'user', content: 'Fix the login.' }];
  for (let index = 0; index < 300; index += 1) {
    const call = {
      id: `c${index}`,
      type: 'function',
      function: { name: 'read', arguments: `{"path":"src/${index}.ts"}` },
    };
    messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    messages.push({
      role: 'tool',
      tool_call_id: `c${index}`,
      content: `const value${index} = check(field);`.repeat(4),
    });
  }
  return openTranscript({ codec: openaiChatCodec }, messages);
}

const textOf = (
  transcript: ReturnType<typeof openTranscript>,
  step: Awaited<ReturnType<typeof runStep>>,
): string => (step.type === 'ready' ? JSON.stringify(renderView(transcript, step.view).messages) : step.type);

describe('runStep', () => {
  it('asks the driver for the prose and puts it into the view', async () => {
    const transcript = longRun();
    const driver = scriptedDriver(completeText(prose));
    const step = await runStep(transcript, emptyState(), policy, { driver });
    expect(textOf(transcript, step)).toContain('login checks the wrong field');
    expect(step.report.summariser).toMatchObject({ calls: 1, fallback: null });
  });

  it('goes on with the digest when the driver throws', async () => {
    const transcript = longRun();
    const driver = { name: 'broken', complete: () => Promise.reject(new Error('socket hang up')) };
    const step = await runStep(transcript, emptyState(), policy, { driver });
    expect(step).toMatchObject({
      type: 'ready',
      report: { wasCompacted: true, summariser: { fallback: 'unavailable' } },
    });
  });

  it('never asks without a driver, whatever the policy says', async () => {
    const step = await runStep(longRun(), emptyState(), policy);
    expect(step).toMatchObject({ type: 'ready', report: { wasCompacted: true, summariser: { calls: 0 } } });
  });

  it('leaves the old view when the signal is aborted, also while the driver works', async () => {
    const transcript = longRun();
    const controller = new AbortController();
    const driver = {
      name: 'slow',
      complete: () => {
        controller.abort();
        return Promise.reject(new Error('aborted'));
      },
    };
    const step = await runStep(transcript, emptyState(), policy, { driver, signal: controller.signal });
    expect(step).toMatchObject({ type: 'cannot-fit', canCompact: true });
    expect(step.state.changes).toEqual([]);
  });

  it('ends at once when the signal is aborted and the driver does not listen to it', async () => {
    const controller = new AbortController();
    const driver = {
      name: 'deaf',
      complete: () => {
        queueMicrotask(() => controller.abort());
        return new Promise<never>(() => {});
      },
    };
    const step = await runStep(longRun(), emptyState(), policy, { driver, signal: controller.signal });
    expect(step).toMatchObject({ type: 'cannot-fit', canCompact: true });
  });

  it.each([
    ['answer', (late: Late) => late.resolve({ type: 'text', text: prose, finish: 'stop' })],
    ['failure', (late: Late) => late.reject(new Error('too late'))],
  ])('drops an %s that comes after the signal', async (_kind, settle) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const controller = new AbortController();
    const late = Promise.withResolvers<Answer>();
    const driver = { name: 'late', complete: () => (controller.abort(), late.promise) };
    const step = await runStep(longRun(), emptyState(), policy, { driver, signal: controller.signal });
    settle(late);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(step).toMatchObject({ type: 'cannot-fit', state: { changes: [] } });
    expect(unhandled).toEqual([]);
  });

  it('leaves no listener on the signal of a session that goes on', async () => {
    const { signal } = new AbortController();
    const driver = scriptedDriver(completeText(prose));
    await runStep(longRun(), emptyState(), policy, { driver, signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
