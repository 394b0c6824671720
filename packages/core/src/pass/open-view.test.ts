import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages, rewind } from '../history/transcript.ts';
import { emptyState, parseState } from './state.ts';
import { prepare, shouldCompact } from '../context/prepare.ts';
import { renderView } from '../history/render-view.ts';
import type { ContextState } from './state.ts';
import type { Ready, Step } from '../context/step.ts';
import type { Transcript } from '../history/transcript.ts';

const policy = policyOf(16_000);

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

const stored = (state: ContextState): ContextState => parseState(JSON.parse(JSON.stringify(state)));
const sent = (transcript: Transcript, step: Ready): unknown[] =>
  renderView(transcript, step.view).messages.map(({ message }) => message);
const truncated = ({ changes }: Ready): number =>
  changes.filter(({ type, reason }) => type === 'result-truncated' && reason === 'truncation').length;

describe('truncation', () => {
  it('takes in a large result that came in the place of one the client took back', () => {
    const first = transcriptOf(agentRun(5));
    const { state } = ready(prepare(first, emptyState(), policy));
    const again = appendMessages(rewind(first, 8), [...exchange(90, 60_000), ...exchange(91)]);
    expect(truncated(ready(prepare(again, state, policy)))).toBe(1);
  });

  it('truncates a result again whose truncation went with a compaction, when the client rewinds into the compaction', () => {
    const long = transcriptOf([
      ...agentRun(1, 60_000),
      ...Array.from({ length: 300 }, (_, i) => exchange(i + 5)).flat(),
    ]);
    const before = ready(prepare(transcriptOf(agentRun(1, 60_000)), emptyState(), policy));
    const compacted = ready(prepare(long, before.state, policy));
    expect(compacted.report.wasCompacted).toBe(true);
    const back = ready(prepare(rewind(long, 20), compacted.state, policy));
    expect(back.report.skippedChanges).toBeGreaterThan(0);
    expect(truncated(back)).toBe(1);
  });

  it('says what it did although the same view was asked for by a check before', () => {
    const first = transcriptOf(agentRun(3));
    const { state } = ready(prepare(first, emptyState(), policy));
    const grown = appendMessages(first, exchange(9, 60_000));
    expect(shouldCompact(grown, policy, state)).toBe(false);
    expect(truncated(ready(prepare(grown, state, policy)))).toBe(1);
  });
});

describe('changes whose history is gone', () => {
  it('are reported once, and forgotten with the next state', () => {
    const long = transcriptOf(agentRun(300));
    const compacted = ready(prepare(long, emptyState(), policy));
    const back = rewind(long, 20);
    const first = ready(prepare(back, compacted.state, policy));
    expect(first.report.skippedChanges).toBeGreaterThan(0);
    const second = ready(prepare(appendMessages(back, exchange(900)), first.state, policy));
    expect(second.report.skippedChanges).toBe(0);
  });
});

type Move =
  | { readonly type: 'grow'; readonly chars: number }
  | { readonly type: 'rewind'; readonly share: number };
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('grow' as const), chars: fc.integer({ min: 1, max: 40_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('rewind' as const),
      share: fc.double({ min: 0.3, max: 1, noNaN: true }),
    }),
  },
);

describe('a view that grows step by step', () => {
  it('is the view of another process that has only the messages and the state', () => {
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 25 }), (moves) => {
        let messages = agentRun(2);
        let transcript = transcriptOf(messages);
        let state = emptyState();
        moves.forEach((one, index) => {
          if (one.type === 'grow') {
            const added = exchange(100 + index, one.chars);
            messages = [...messages, ...added];
            transcript = appendMessages(transcript, added);
          } else {
            const length = Math.max(2, Math.floor((messages.length * one.share) / 2) * 2);
            messages = messages.slice(0, length);
            transcript = rewind(transcript, length);
          }
          const elsewhere = transcriptOf(structuredClone(messages));
          const there = ready(prepare(elsewhere, stored(state), policy));
          const here = ready(prepare(transcript, index % 2 === 0 ? state : stored(state), policy));
          expect(sent(transcript, here)).toEqual(sent(elsewhere, there));
          expect(stored(here.state)).toEqual(stored(there.state));
          state = here.state;
        });
      }),
      { numRuns: 60 },
    );
  });
});
