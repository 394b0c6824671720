import { describe, expect, it } from 'vitest';
import { completeText, scriptedDriver } from '@throughline/testkit';
import { createStrategy, emptyState, openaiChatCodec, openTranscript, renderView } from '@throughline/core';
import { runStep } from './run-step.ts';
import type { Policy } from '@throughline/core';

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
});
