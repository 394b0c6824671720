import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { emptyState } from '../pass/state.ts';
import { needsPruning, prune } from './prune.ts';
import { prepare } from './prepare.ts';
import { formerState } from './checkpoints.ts';
import { undo } from './undo.ts';
import type { Checkpoint, Ready, Step } from './step.ts';

const policy = policyOf(16_000);

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

const checkpointOf = ({ checkpoint }: Ready): Checkpoint => {
  if (!checkpoint) throw new Error('expected a checkpoint');
  return checkpoint;
};

/** The same value with the fields of every object in the opposite order, as a database may give it back. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reordered(field)]),
  );
}

describe('undo', () => {
  it('refuses a state that is none, in a sentence', () => {
    const transcript = transcriptOf(agentRun(60, 600));
    const step = ready(prepare(transcript, emptyState(), policyOf(200_000), { reason: 'manual' }));
    const state = { ...step.state, changes: null } as unknown as typeof step.state;
    expect(() => formerState(state, checkpointOf(step))).toThrow(/changes/);
  });

  it('measures the former view with its results truncated, as it would be sent', () => {
    const transcript = transcriptOf(agentRun(2, 60_000));
    const step = ready(prepare(transcript, emptyState(), policy, { reason: 'manual' }));
    const state = undo(transcript, step.state, policy, checkpointOf(step));
    expect(ready(prepare(transcript, state, policy)).report.tokens.final).toBeLessThan(12_000);
  });

  it('knows the changes of a checkpoint whatever the order of their fields', () => {
    const transcript = transcriptOf(agentRun(60, 600));
    const step = ready(prepare(transcript, emptyState(), policyOf(200_000), { reason: 'manual' }));
    const stored = reordered(checkpointOf(step)) as Checkpoint;
    expect(undo(transcript, step.state, policyOf(200_000), stored).changes).toEqual([]);
  });

  it('is not undone by pruning at the end of the run', () => {
    const large = policyOf(200_000);
    const transcript = transcriptOf(agentRun(60, 8_000));
    const pruned = prune(transcript, large);
    const state = undo(transcript, pruned.state, large, checkpointOf(pruned));
    expect(needsPruning(transcript, large, state)).toBe(false);
    const again = prune(transcript, large, state);
    expect(again.changes).toEqual([]);
    expect(again.state.isAutoCompactionPaused).toBe(true);
  });

  it('counts in its report the messages that left the view in this step only', () => {
    const large = policyOf(200_000);
    const first = transcriptOf(agentRun(60, 600));
    const one = ready(prepare(first, emptyState(), large, { reason: 'manual' }));
    const grown = appendMessages(
      first,
      Array.from({ length: 10 }, (_, index) => exchange(100 + index)).flat(),
    );
    const two = ready(prepare(grown, one.state, large, { reason: 'manual' }));
    expect(one.report.messagesCompacted).toBeGreaterThan(80);
    expect(two.report.messagesCompacted).toBeGreaterThan(0);
    expect(two.report.messagesCompacted).toBeLessThanOrEqual(60);
  });
});
