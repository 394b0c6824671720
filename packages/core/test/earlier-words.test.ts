import { describe, expect, it } from 'vitest';
import { agentRun, policyOf, transcriptOf } from './chat-history.ts';
import { emptyState } from '../src/pass/state.ts';
import { prepare } from '../src/context/prepare.ts';
import { redo, undo } from '../src/context/undo.ts';
import type { Checkpoint } from '../src/context/step.ts';

describe('a checkpoint that was stored in earlier words', () => {
  const policy = policyOf(200_000);
  const transcript = transcriptOf(agentRun(60, 600));
  const step = prepare(transcript, emptyState(), policy, { reason: 'manual' });
  if (step.type !== 'ready' || !step.checkpoint) throw new Error('expected a checkpoint');
  const { checkpoint, state } = step;
  const { truncation, ...rest } = checkpoint;
  const stored = { ...rest, admitted: truncation } as unknown as Checkpoint;

  it('is taken back, and put in force again, as one of today', () => {
    const before = undo(transcript, state, policy, stored);
    expect(before).toEqual(undo(transcript, state, policy, checkpoint));
    expect(redo(transcript, before, policy, stored)).toEqual(redo(transcript, before, policy, checkpoint));
  });
});
