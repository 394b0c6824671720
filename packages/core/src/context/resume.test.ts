import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { emptyState } from '../pass/state.ts';
import { prepare } from './prepare.ts';
import { resume } from './resume.ts';
import type { Answer } from '../summary/model-request.ts';
import type { ModelNeeded, Paused, Pending, Ready, Step } from './step.ts';
import type { Transcript } from '../history/transcript.ts';

const policy = policyOf(16_000, 'reactive-overflow', {
  summariser: { type: 'model', windowTokens: 200_000 },
});
const prose = `## Completed Work\n${'- read a module, found that login checks the wrong field\n'.repeat(8)}## Current State\n- fixing it`;
const answer: Answer = {
  type: 'text',
  text: prose,
  finish: 'stop',
  usage: { inputTokens: 900, outputTokens: 90 },
};
const cancelled: Answer = { type: 'failed', cause: 'cancelled', message: 'cancelled' };

function asks(step: Step): ModelNeeded {
  if (step.type !== 'model-needed') throw new Error(`expected a question, got ${step.type}`);
  return step;
}

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

const truncated = ({ changes }: Ready): number =>
  changes.filter(({ type, reason }) => type === 'result-truncated' && reason === 'truncation').length;

function edited(transcript: Transcript): Transcript {
  const messages = [...transcript.conversation.entries].map(({ wire }) => wire);
  messages[5] = { role: 'tool', tool_call_id: 'call_1', content: 'another result altogether' };
  return transcriptOf(messages);
}

describe('resume', () => {
  it('begins anew where the client has edited what was to be compacted', () => {
    const transcript = transcriptOf(agentRun(300));
    const { paused } = asks(prepare(transcript, emptyState(), policy));
    const step = resume(edited(transcript), paused, policy, answer);
    expect(asks(step).request).toBeDefined();
    expect(resume(transcript, paused, policy, answer).type).toBe('ready');
  });

  it('truncates the results that came while the model was asked', () => {
    const transcript = transcriptOf(agentRun(300));
    const { paused } = asks(prepare(transcript, emptyState(), policy));
    const grown = appendMessages(transcript, exchange(900, 60_000));
    expect(truncated(ready(resume(grown, paused, policy, answer)))).toBe(1);
  });

  it('truncates them also where the answer was cancelled', () => {
    const transcript = transcriptOf(agentRun(60));
    const { paused } = asks(prepare(transcript, emptyState(), policy, { reason: 'manual' }));
    const grown = appendMessages(transcript, exchange(900, 60_000));
    expect(truncated(ready(resume(grown, paused, policy, cancelled)))).toBe(1);
  });

  it('goes on with a paused step of version 2, in which the task and the job were members of their own', () => {
    const transcript = transcriptOf(agentRun(300));
    const { paused } = asks(prepare(transcript, emptyState(), policy));
    const { type, plan, sourceKey, ...job } = paused.pending as Extract<Pending, { type: 'compact' }>;
    const stored: unknown = { ...paused, version: 2, pending: { type, task: { plan }, job, sourceKey } };
    const step = resume(transcript, stored as Paused, policy, answer);
    expect(step).toEqual(resume(transcript, paused, policy, answer));
    expect(ready(step).report.summariser).toMatchObject({ calls: 1, fallback: null });
  });

  it('refuses a paused step of any other version', () => {
    const transcript = transcriptOf(agentRun(300));
    const { paused } = asks(prepare(transcript, emptyState(), policy));
    const other = { ...paused, version: 1 } as unknown as Paused;
    expect(() => resume(transcript, other, policy, answer)).toThrow('a paused step of version 3, got 1');
  });

  it('reports only what is new, also from a paused step that went through JSON', () => {
    const first = transcriptOf(agentRun(3, 30_000));
    const { state } = ready(prepare(first, emptyState(), policy));
    expect(state.changes.length).toBeGreaterThan(0);
    const long = appendMessages(
      first,
      Array.from({ length: 30 }, (_, index) => exchange(index + 10, 400)).flat(),
    );
    const { paused } = asks(prepare(long, state, policy, { reason: 'manual' }));
    const direct = ready(resume(long, paused, policy, answer));
    const stored = ready(resume(long, JSON.parse(JSON.stringify(paused)), policy, answer));
    expect(stored.changes).toEqual(direct.changes);
    expect(stored.checkpoint).toEqual(direct.checkpoint);
  });

  it('measures as the pass did that asked', () => {
    const exact = { name: 'double', count: (text: string) => 2 * charactersEstimator.count(text) };
    const transcript = transcriptOf(agentRun(82));
    const { paused } = asks(prepare(transcript, emptyState(), policy, { exact }));
    const { report } = ready(resume(transcript, paused, policy, answer));
    expect(report.tokens.before).toBeGreaterThan(
      1.5 * charactersEstimator.count(JSON.stringify(agentRun(82))),
    );
  });

  it('reports what the summariser cost although the user cancelled', () => {
    const transcript = transcriptOf(agentRun(60));
    const { paused } = asks(prepare(transcript, emptyState(), policy, { reason: 'manual' }));
    const refused: Answer = {
      type: 'text',
      text: '',
      finish: 'stop',
      usage: { inputTokens: 70, outputTokens: 3 },
    };
    const again = asks(resume(transcript, paused, policy, refused));
    const { report } = ready(resume(transcript, again.paused, policy, cancelled));
    expect(report.summariser).toMatchObject({ calls: 2, inputTokens: 70, outputTokens: 3 });
  });

  it('says why code wrote when the window of the summariser is too small to ask', () => {
    const small = { ...policy, summariser: { type: 'model' as const, windowTokens: 500 } };
    const { report } = ready(prepare(transcriptOf(agentRun(300)), emptyState(), small));
    expect(report.summariser).toMatchObject({ calls: 0, fallback: 'window-too-small' });
  });
});
