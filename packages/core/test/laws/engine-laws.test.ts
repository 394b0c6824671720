import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { canBeSent, everyday, findWireFaults, historyArbitrary } from '@throughline/testkit';
import { appendMessages, emptyState, prepare, recall, redo, renderView, undo } from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { replay } from '../../src/changes/replay.ts';
import { seenTokens } from '../../src/changes/view.ts';
import { openPass } from '../../src/pass/pass.ts';
import { exchangeAt, positionOf } from '../../src/transcript/conversation.ts';
import type { Checkpoint, ContextState, Policy } from '@throughline/core';
import {
  formats,
  caseArbitrary,
  untouched,
  transcriptOf,
  policyOf,
  windowFor,
  run,
  wireOf,
  sentOf,
  isJoinedIn,
  outcomeOf,
  settings,
} from './engine-cases.ts';

describe('the engine, over random histories, windows, strategies and hostile summarisers', () => {
  it('ends in a view that fits, or in one error that names the biggest parts and the numbers', () => {
    fc.assert(
      fc.property(caseArbitrary('wild'), (one) => {
        const { step } = outcomeOf(one);
        if (step.type === 'cannot-fit') {
          expect(step.requestTokens).toBeGreaterThan(step.usableTokens);
          expect(step.canCompact || step.parts.length > 0).toBe(true);
          return;
        }
        expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.usableTokens);
      }),
      settings,
    );
  });

  it('sends what is just as large as the room, and nothing that is larger by a token', () => {
    fc.assert(
      fc.property(caseArbitrary('some', 3), fc.constantFrom(-1, 0), (one, beside) => {
        const transcript = transcriptOf(one);
        const tokens = Math.floor(untouched(transcript).tokens) + beside;
        const windowTokens = windowFor(tokens);
        const policy: Policy = { ...policyOf({ ...one, windowTokens }), auto: false };
        const step = prepare(transcript, emptyState(), policy);
        if (step.type === 'model-needed') throw new Error('a model is asked where nothing may be compacted');
        const size = step.type === 'ready' ? Math.floor(step.view.tokens) : step.requestTokens;
        expect(step.type).toBe(size <= step.report.usableTokens ? 'ready' : 'cannot-fit');
        expect(step.report.tokens.final).toBe(size);
      }),
      settings,
    );
  });

  it('sends what an independent validator accepts', () => {
    fc.assert(
      fc.property(caseArbitrary('wild'), (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type === 'ready') expect(findWireFaults(one.format, wireOf(transcript, step))).toEqual([]);
      }),
      settings,
    );
  });

  it('leaves nothing to mend in what needed no mending before', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type !== 'ready' || renderView(transcript, untouched(transcript)).repairs.length > 0) return;
        expect(renderView(transcript, step.view).repairs).toEqual([]);
      }),
      settings,
    );
  });

  it('sends what is pinned as it is, and task and latest request, of which only their share is sure to be whole', () => {
    fc.assert(
      fc.property(fc.oneof(caseArbitrary('none'), caseArbitrary('some')), (one) => {
        const { transcript, policy, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        const { conversation } = transcript;
        const after = sentOf(transcript, step.view);
        const sound = sentOf(transcript, untouched(transcript), false);
        const sent = wireOf(transcript, step);
        for (const pin of one.pins ?? [])
          if (sound.has(pin) && !isJoinedIn(sent, sound.get(pin)))
            expect(after.get(pin)).toBe(sound.get(pin));
        const { verbatim } = openPass(transcript, emptyState(), policy).measures;
        for (const position of [conversation.taskAt, conversation.latestAt]) {
          // Words beside results go with them where they must: then the summary tells them.
          if (position < 0 || exchangeAt(conversation, position)?.type !== 'user') continue;
          const item = step.view.items
            .slice()
            .find((each) => each.type === 'entry' && each.position === position);
          if (item?.type !== 'entry') throw new Error(`message ${position} is not shown`);
          const size = conversation.sizes.at(position)?.tokens ?? 0;
          if (size <= verbatim)
            expect(item.changes.filter(({ type }) => type === 'text-truncated')).toEqual([]);
        }
      }),
      { ...settings, plugins: [everyday(40)] },
    );
  });

  it('changes no object of the caller', () => {
    fc.assert(
      fc.property(caseArbitrary('wild', 3), (one) => {
        const before = JSON.stringify(one.messages);
        const transcript = transcriptOf(one);
        const step = run(transcript, emptyState(), policyOf(one), one);
        if (step.type === 'ready') wireOf(transcript, step);
        expect(JSON.stringify(one.messages)).toBe(before);
      }),
      { numRuns: 60, plugins: [everyday(20)] },
    );
  });

  it('says of every message whether it is the very object that was handed in', () => {
    fc.assert(
      fc.property(caseArbitrary('wild'), (one) => {
        const { messages, transcript, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        for (const { message, ordinal, isEdited } of renderView(transcript, step.view).messages)
          expect(isEdited).toBe(ordinal === undefined || message !== messages[ordinal]);
      }),
      settings,
    );
  });

  it('tries every ladder step at most once in a step', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const { step } = outcomeOf(one);
        const names = step.report.ladderSteps.map(({ ladderStep, detail }) =>
          ladderStep === 'fit' ? `fit ${detail}` : ladderStep,
        );
        expect(new Set(names).size).toBe(names.length);
      }),
      settings,
    );
  });

  it('replays its changes to the same bytes in another process', () => {
    fc.assert(
      fc.property(caseArbitrary('wild'), (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        const elsewhere = transcriptOf({ ...one, messages: structuredClone(one.messages) });
        const state = JSON.parse(JSON.stringify(step.state)) as ContextState;
        const again = replay(elsewhere.conversation, state.changes);
        expect(again.skipped).toEqual([]);
        expect(JSON.stringify(wireOf(elsewhere, again))).toBe(JSON.stringify(wireOf(transcript, step)));
      }),
      settings,
    );
  });

  it('has nothing left to do right after a step', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const automatic = { ...one, isManual: false };
        const { transcript, policy, step } = outcomeOf(automatic);
        if (step.type !== 'ready') return;
        const again = run(transcript, step.state, policy, automatic);
        expect(again).toMatchObject({ type: 'ready', changes: [] });
      }),
      settings,
    );
  });

  it('brings what the model has seen to the target, or says why not', () => {
    fc.assert(
      fc.property(caseArbitrary('some', 12), (one) => {
        const step = run(transcriptOf(one), emptyState(), policyOf(one), { ...one, isManual: false });
        if (step.type !== 'ready' || !step.checkpoint) return;
        const { targetTokens, warnings } = step.report;
        if (seenTokens(step.view) > targetTokens) expect(warnings.length).toBeGreaterThan(0);
      }),
      settings,
    );
  });

  it('reports changes that add up to what the step saved, over several steps', () => {
    const steps = fc.array(historyArbitrary({ format: 'anthropic', hostility: 'some', size: 5 }), {
      minLength: 2,
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 2_000, max: 12_000 }),
        fc.constantFrom(...strategyNames),
        (chunks, windowTokens, strategy) => {
          const policy: Policy = { ...policyOf({ windowTokens, strategy }), summariser: { type: 'code' } };
          let transcript = transcriptOf({ format: 'anthropic', messages: [] });
          let state = emptyState();
          for (const messages of chunks) {
            transcript = appendMessages(transcript, messages);
            if (!canBeSent(transcript)) continue;
            const before = replay(transcript.conversation, state.changes).view.tokens;
            const step = prepare(transcript, state, policy);
            if (step.type !== 'ready') return;
            const saved = step.changes.reduce(
              (sum, change) => sum + change.beforeTokens - change.afterTokens,
              0,
            );
            expect(saved).toBeCloseTo(before - step.view.tokens, 3);
            state = step.state;
          }
        },
      ),
      settings,
    );
  });

  it('gives the former views back on undo, one compaction after the other, and the later ones on redo', () => {
    const format = fc.constantFrom(...formats);
    const session = format.chain((of) =>
      fc.record({
        format: fc.constant(of),
        chunks: fc.array(historyArbitrary({ format: of, hostility: 'some', size: 3 }), {
          minLength: 2,
          maxLength: 3,
        }),
        strategy: fc.constantFrom(...strategyNames),
      }),
    );
    fc.assert(
      fc.property(session, ({ format: of, chunks, strategy }) => {
        const policy: Policy = {
          ...policyOf({ windowTokens: 2_000_000, strategy }),
          summariser: { type: 'code' },
        };
        let transcript = transcriptOf({ format: of, messages: [] });
        let state = emptyState();
        const done: { readonly before: ContextState; readonly checkpoint: Checkpoint }[] = [];
        for (const messages of chunks) {
          transcript = appendMessages(transcript, messages);
          if (!canBeSent(transcript)) continue;
          const before = state;
          const step = prepare(transcript, state, policy, { reason: 'manual' });
          if (step.type !== 'ready') throw new Error('what is this large fits');
          ({ state } = step);
          if (step.checkpoint) done.push({ before, checkpoint: step.checkpoint });
        }
        const shown = (at: ContextState): string => {
          const step = prepare(transcript, at, { ...policy, auto: false });
          return step.type === 'ready' ? JSON.stringify(wireOf(transcript, step)) : step.type;
        };
        const last = shown(state);
        for (const { before, checkpoint } of done.toReversed()) {
          state = undo(transcript, state, policy, checkpoint);
          expect(shown(state)).toBe(shown(before));
        }
        for (const { checkpoint } of done) state = redo(transcript, state, policy, checkpoint);
        expect(shown(state)).toBe(last);
      }),
      settings,
    );
  });

  it('loses no message: each is shown once, in its order, or stands behind a summary, and can be recalled whole', () => {
    fc.assert(
      fc.property(caseArbitrary('some'), (one) => {
        const { messages, transcript, step } = outcomeOf(one);
        messages.forEach((message, index) => expect(recall(transcript, `m${index}`)?.message).toBe(message));
        if (step.type !== 'ready') return;
        const { entries } = transcript.conversation;
        const shown: number[] = [];
        const replaced = new Set<number>();
        for (const item of step.view.items) {
          if (item.type === 'entry') shown.push(item.position);
          else {
            const { first, end, lead, kept } = item.change.anchor;
            const stays = new Set([...lead, ...kept]);
            for (let at = first; at < end; at += 1) if (!stays.has(at)) replaced.add(at);
          }
        }
        const gone = [...replaced].map((ordinal) => positionOf(transcript.conversation, ordinal));
        const every = Array.from({ length: entries.length }, (_, index) => index);
        expect([...shown, ...gone].sort((a, b) => a - b)).toEqual(every);
        // The task stands in front of what a summary replaces, the latest request in front of what is pinned.
        const { taskAt, latestAt } = transcript.conversation;
        const others = shown.filter((position) => position !== taskAt && position !== latestAt);
        expect(others).toEqual(others.toSorted((a, b) => a - b));
      }),
      settings,
    );
  });
});
