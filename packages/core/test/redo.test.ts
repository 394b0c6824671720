import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  ContextError,
  emptyState,
  formerState,
  laterState,
  openTranscript,
  prepare,
  redo,
  renderView,
  stateAt,
  undo,
} from '@throughline/core';
import { codecs, follow, sessionArbitrary } from './loaded-session.ts';
import { exchange, policyOf, readyOf, transcriptOf } from './chat-history.ts';
import { replay } from '../src/changes/replay.ts';
import type { Checkpoint, ContextState, Ready, Transcript } from '@throughline/core';
import { everyday } from '@throughline/testkit';

// Shrinking a large history can take minutes: it stops in time for the report.
const settings = { numRuns: 20, interruptAfterTimeLimit: 20_000, plugins: [everyday(8)] };

function shown(transcript: Transcript, { changes }: ContextState): readonly unknown[] {
  const { view, skipped } = replay(transcript.conversation, changes);
  expect(skipped).toEqual([]);
  return renderView(transcript, view).messages.map(({ message }) => message);
}

describe('redo', () => {
  it('gives back the view that an undo took away, step after step back and forth', () => {
    fc.assert(
      fc.property(sessionArbitrary, (session) => {
        const checkpoints: Checkpoint[] = [];
        const { whole } = follow(session, ({ step }) => {
          if (step.type === 'ready' && step.checkpoint) checkpoints.push(step.checkpoint);
        });
        const { transcript } = whole;
        const views = [shown(transcript, whole.state)];
        const undone: Checkpoint[] = [];
        let { state } = whole;
        for (const checkpoint of checkpoints.toReversed()) {
          if (checkpoint.id !== state.head) break;
          state = formerState(state, checkpoint);
          views.push(shown(transcript, state));
          undone.push(checkpoint);
        }
        for (const checkpoint of undone.toReversed()) {
          views.pop();
          state = laterState(state, checkpoint);
          expect(state.head).toBe(checkpoint.id);
          expect(shown(transcript, state)).toEqual(views.at(-1));
        }
      }),
      settings,
    );
  });

  it('of an undo leaves a state that can be undone and sent again, and is refused for any other checkpoint', () => {
    fc.assert(
      fc.property(sessionArbitrary, (session) => {
        const seen: { transcript: Transcript; step: Ready; checkpoint: Checkpoint }[] = [];
        const { history: _ } = follow(session, ({ transcript, step }) => {
          if (step.type === 'ready' && step.checkpoint)
            seen.push({ transcript, step, checkpoint: step.checkpoint });
        });
        const large = { ...session.policy, budget: { windowTokens: 2_000_000 } };
        for (const { transcript, step, checkpoint } of seen) {
          const undone = undo(transcript, step.state, large, checkpoint);
          const state = redo(transcript, undone, large, checkpoint);
          expect(prepare(transcript, state, { ...large, auto: false }).type).toBe('ready');
          expect(undo(transcript, state, large, checkpoint).head).toBe(checkpoint.parent);
          const again = (): unknown => redo(transcript, state, large, checkpoint);
          expect(again).toThrow(ContextError);
        }
      }),
      { ...settings, numRuns: 10 },
    );
  });
});

describe('redo of a compaction whose messages were edited', () => {
  it('is refused: nothing of it could be put in force', () => {
    const history: unknown[] = Array.from({ length: 12 }, (_, index) => exchange(index, 2_000)).flat();
    history.push({ role: 'user', content: 'Go on.' });
    const policy = policyOf(100_000);
    const transcript = transcriptOf(history);
    const step = readyOf(prepare(transcript, emptyState(), policy, { reason: 'manual' }));
    const checkpoint = step.checkpoint as Checkpoint;
    const undone = undo(transcript, step.state, policy, checkpoint);
    expect(redo(transcript, undone, policy, checkpoint).head).toBe(checkpoint.id);
    const edited = transcriptOf(history.with(1, { ...(history[1] as object), content: 'Something else.' }));
    const again = (): unknown => redo(edited, undone, policy, checkpoint);
    expect(again).toThrow(expect.objectContaining({ code: 'not-found' }));
    const later = transcriptOf([...history, { role: 'assistant', content: 'More.' }]);
    expect(redo(later, undone, policy, checkpoint).head).toBe(checkpoint.id);
  });
});

describe('the state of a shorter history', () => {
  it('shows what the session showed when it had come so far', () => {
    fc.assert(
      fc.property(sessionArbitrary, (session) => {
        const checkpoints: Checkpoint[] = [];
        const seen: { state: ContextState; length: number }[] = [];
        const { history, whole } = follow(session, ({ transcript, step }) => {
          if (step.type !== 'ready') return;
          if (step.checkpoint) checkpoints.push(step.checkpoint);
          const { entries } = transcript.conversation;
          seen.push({ state: step.state, length: (entries.at(entries.length - 1)?.ordinal ?? -1) + 1 });
        });
        const options = { codec: codecs[session.format] };
        for (const { state, length } of seen) {
          const transcript = openTranscript(options, history.slice(0, length));
          const at = stateAt(whole.state, checkpoints, length);
          // Of two steps at the same length the later one counts.
          const isLast = !seen.some((other) => other.length === length && other.state.head !== state.head);
          if (isLast) expect(shown(transcript, at)).toEqual(shown(transcript, state));
          else shown(transcript, at);
        }
      }),
      settings,
    );
  });

  it('is good for any length, also in the middle of what was compacted', () => {
    fc.assert(
      fc.property(sessionArbitrary, fc.nat(), (session, where) => {
        const checkpoints: Checkpoint[] = [];
        const { history, whole } = follow(session, ({ step }) => {
          if (step.type === 'ready' && step.checkpoint) checkpoints.push(step.checkpoint);
        });
        const length = where % (history.length + 1);
        const transcript = openTranscript({ codec: codecs[session.format] }, history.slice(0, length));
        const at = stateAt(whole.state, checkpoints, length);
        shown(transcript, at);
        const head = checkpoints.find(({ id }) => id === at.head);
        expect(head?.historyEnd ?? 0).toBeLessThanOrEqual(length);
        expect(at.checkpointCount).toBe(whole.state.checkpointCount);
      }),
      settings,
    );
  });
});
