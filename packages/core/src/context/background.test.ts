import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { advanceBackground } from './background.ts';
import { appendMessages } from '../history/transcript.ts';
import { emptyState } from '../pass/state.ts';
import { prepare } from './prepare.ts';
import type { Answer } from '../summary/model-request.ts';
import type { BackgroundJob, WrittenSummary } from './background.ts';
import type { PendingSummary } from '../pass/pending-summary.ts';
import type { Ready, Step } from './step.ts';

const policy = policyOf(16_000, 'reactive-overflow', {
  summariser: { type: 'model', windowTokens: 200_000 },
});
const transcript = transcriptOf(agentRun(60));
const answer: Answer = {
  type: 'text',
  text: `## Completed Work\n${'- read a module, found that login checks the wrong field\n'.repeat(8)}## Current State\n- fixing it`,
  finish: 'stop',
};

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

const offered = ready(prepare(transcript, emptyState(), policy));
const from = { transcript, state: offered.state, policy };

function jobOf({ background }: Ready): BackgroundJob {
  if (!background) throw new Error('expected a job for the background');
  return background;
}

function asked(job: BackgroundJob): BackgroundJob & PendingSummary {
  const step = advanceBackground(from, job);
  if (step.type !== 'ask' || !('sourceKey' in step.job))
    throw new Error(`expected a question, got ${step.type}`);
  return step.job;
}

function writtenBy(job: BackgroundJob): WrittenSummary {
  const step = advanceBackground(from, asked(job), answer);
  if (step.type !== 'written') throw new Error(`expected a summary, got ${step.type}`);
  return step.written;
}

function roundOf({ state }: Ready): number | undefined {
  const range = state.changes.findLast((change) => change.type === 'range-compacted');
  return range?.summary.round;
}

/** As version 2 had it: the task and the job as members of their own. */
function ofVersion2({
  version: _version,
  plan,
  sourceKey,
  ...job
}: BackgroundJob & PendingSummary): BackgroundJob {
  const stored: unknown = { version: 2, task: { plan }, pending: { task: { plan }, job, sourceKey } };
  return stored as BackgroundJob;
}

describe('a summary in the background', () => {
  const job = jobOf(offered);
  const more = Array.from({ length: 30 }, (_, index) => exchange(index + 100)).flat();
  const grown = appendMessages(transcript, more);

  it('is offered as what is to be compacted, and carries its question from then on', () => {
    expect(Object.keys(job).sort()).toEqual(['plan', 'version']);
    expect(asked(job)).toMatchObject({ ...job, cursor: 0, calls: 0 });
  });

  it('is put in its place when space is needed', () => {
    const { report } = ready(prepare(grown, offered.state, policy, { written: writtenBy(job) }));
    expect(report).toMatchObject({ background: 'adopted', summariser: { calls: 1 } });
  });

  it('is one round with what else the same pass compacts, and the next pass is another', () => {
    const written = writtenBy(job);
    const much = Array.from({ length: 60 }, (_, index) => exchange(index + 100)).flat();
    const later = appendMessages(transcript, much);
    const first = ready(prepare(later, offered.state, policy, { written }));
    const compactions = ({ report }: Ready) =>
      report.ladderSteps.filter(({ ladderStep }) => ladderStep === 'compact').length;
    expect([compactions(first), roundOf(first)]).toEqual([2, 1]);
    const codePolicy = { ...policy, summariser: { type: 'code' } } as const;
    const next = Array.from({ length: 60 }, (_, index) => exchange(index + 200)).flat();
    expect(roundOf(ready(prepare(appendMessages(later, next), first.state, codePolicy)))).toBe(2);
  });

  it('goes on from version 2: offered, asked for, or written', () => {
    const { plan } = job;
    const first: unknown = { version: 2, task: { plan }, pending: null };
    expect(advanceBackground(from, first as BackgroundJob)).toEqual(advanceBackground(from, job));
    const open = asked(job);
    expect(advanceBackground(from, ofVersion2(open), answer)).toEqual(advanceBackground(from, open, answer));
    const written = writtenBy(job);
    const { plan: _plan, ...rest } = written;
    const stored: unknown = { ...rest, version: 2, task: { plan } };
    const step = prepare(grown, offered.state, policy, { written: stored as WrittenSummary });
    expect(step).toEqual(prepare(grown, offered.state, policy, { written }));
  });

  it('is refused as a job, and left aside as a summary, of any other version', () => {
    const other = { version: 4 } as const;
    const newer: unknown = { ...job, ...other };
    expect(() => advanceBackground(from, newer as BackgroundJob)).toThrow('a background job of version 3');
    const written: unknown = { ...writtenBy(job), ...other };
    const step = prepare(grown, offered.state, policy, { written: written as WrittenSummary });
    const { report } = step.type === 'model-needed' ? { report: undefined } : step;
    expect(report?.background ?? (step.type === 'model-needed' && step.paused.background)).toBe('discarded');
  });
});
