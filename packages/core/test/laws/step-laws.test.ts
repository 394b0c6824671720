import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  canBeSent,
  everyday,
  findWireFaults,
  historyArbitrary,
  honestSummariser,
} from '@throughline/testkit';
import {
  appendMessages,
  emptyState,
  openaiChatCodec,
  openTranscript,
  prepare,
  recall,
  reconcile,
  renderView,
} from '@throughline/core';
import { charactersEstimator } from '@throughline/core/internal';
import type { Policy } from '@throughline/core';
import {
  formats,
  summarisers,
  caseArbitrary,
  withFirstRequests,
  transcriptOf,
  policyOf,
  run,
  wireOf,
  outcomeOf,
  settings,
} from './engine-cases.ts';
import type { Case } from './engine-cases.ts';

describe('the pruning agent, over random histories and reviewers', () => {
  const reviewed = caseArbitrary('some').map((one): Case => ({ ...one, strategy: 'pruning-agent' }));

  it('touches no word of the user or the system, nothing pinned and none of the newest five', () => {
    fc.assert(
      fc.property(reviewed, (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        const { entries } = transcript.conversation;
        for (const { anchor, reason } of step.changes) {
          if (reason !== 'reviewed' || !('ordinal' in anchor)) continue;
          const entry = entries.at(anchor.ordinal);
          const part = entry?.parts[anchor.part];
          expect(part?.type === 'text' ? entry?.role : 'assistant').toBe('assistant');
          expect(one.pins).not.toContain(anchor.ordinal);
          expect(anchor.ordinal).toBeLessThan(entries.length - 5);
        }
      }),
      settings,
    );
  });

  it('makes every message smaller that it touches, and shows nothing that was invented', () => {
    fc.assert(
      fc.property(reviewed, (one) => {
        const { transcript, step } = outcomeOf(one);
        if (step.type !== 'ready') return;
        for (const { reason, beforeTokens, afterTokens, recallId } of step.changes) {
          if (reason !== 'reviewed') continue;
          expect(afterTokens).toBeLessThan(beforeTokens);
          expect(recall(transcript, recallId)).toBeDefined();
        }
        const sent = JSON.stringify(wireOf(transcript, step));
        expect(/424242|ghostValue|invented\/ghost|GHO-4711|651239004711/.exec(sent)).toBeNull();
      }),
      settings,
    );
  });

  it('asks at most twice, and says what became of it', () => {
    fc.assert(
      fc.property(reviewed, (one) => {
        const { step, asked } = outcomeOf(one);
        const reviews = asked.filter(({ request }) => request.purpose === 'prune-decisions');
        const isCancelled = asked.some(
          ({ answer }) => answer.type === 'failed' && answer.cause === 'cancelled',
        );
        const { summariser, ladderSteps } = step.report;
        expect(reviews.length).toBeLessThanOrEqual(2);
        expect(summariser.review === null).toBe(reviews.length === 0 || isCancelled);
        expect(summariser.review === 'used').toBe(
          ladderSteps.some(({ ladderStep }) => ladderStep === 'review'),
        );
      }),
      settings,
    );
  });
});

describe('the engine over many steps', () => {
  const task = { role: 'user', content: 'Migrate the billing service to v3. NEVER delete rows from ledger.' };

  it.each(formats)(
    'sends task and latest request as they were said over eight compactions (%s)',
    (format) => {
      fc.assert(
        fc.property(
          fc.array(
            historyArbitrary({ format, hostility: 'none', size: 3 }).filter(
              (chunk) => !thinksTooLong(format, chunk),
            ),
            { minLength: 8, maxLength: 8 },
          ),
          // A cancelled compaction leaves the old view, which may be too large to send: that is another law.
          fc.constantFrom(...summarisers.filter(([name]) => name !== 'is cancelled')),
          (chunks, summariser) => {
            const one: Case = {
              format,
              messages: [],
              windowTokens: 30_000,
              strategy: 'reactive-overflow',
              summariser,
              isManual: true,
            };
            const policy = policyOf(one);
            let transcript = transcriptOf({ format, messages: [task] });
            let state = emptyState();
            chunks.forEach((chunk, round) => {
              // The work of the chunk stands behind the request: this is what is compacted, and the request in its midst.
              const latest = { role: 'user', content: `Request ${round}: rename ledger-${round}.ts.` };
              const work = withFirstRequests(format, chunk, 0).filter((message) => !isSystem(message));
              transcript = appendMessages(transcript, [latest, ...work]);
              const step = run(transcript, state, policy, one);
              if (step.type !== 'ready') throw new Error(`does not fit: ${JSON.stringify(step.parts)}`);
              const wire = wireOf(transcript, step);
              expect(wire).toContain(task);
              expect(wire).toContain(latest);
              expect(findWireFaults(format, wire)).toEqual([]);
              state = step.state;
            });
          },
        ),
        { numRuns: 8, plugins: [everyday(3)] },
      );
    },
  );

  it('gives the same edits to a client that hands in everything anew at each step', () => {
    fc.assert(
      fc.property(historyArbitrary({ format: 'openai-chat', hostility: 'some', size: 8 }), (messages) => {
        const policy: Policy = {
          ...policyOf({ windowTokens: 4_000, strategy: 'digest' }),
          summariser: { type: 'code' },
        };
        let appended = transcriptOf({ format: 'openai-chat', messages: [] });
        let resent = appended;
        let states = [emptyState(), emptyState()] as const;
        for (let end = 1; end <= messages.length; end += 1) {
          appended = appendMessages(appended, messages.slice(end - 1, end));
          resent = reconcile(resent, structuredClone(messages.slice(0, end))).transcript;
          if (!canBeSent(appended)) continue;
          const [one, two] = [prepare(appended, states[0], policy), prepare(resent, states[1], policy)];
          if (one.type !== 'ready' || two.type !== 'ready') return;
          expect(JSON.stringify(wireOf(resent, two))).toBe(JSON.stringify(wireOf(appended, one)));
          states = [one.state, two.state];
        }
      }),
      { numRuns: 40, plugins: [everyday(15)] },
    );
  });

  it('is never above the trigger twice in a row without growing, and changes what was sent only at a checkpoint', () => {
    const policy = policyOf({ windowTokens: 8_000, strategy: 'reactive-overflow' });
    fc.assert(
      fc.property(historyArbitrary({ format: 'openai-chat', hostility: 'none', size: 8 }), (messages) => {
        let transcript = openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator }, []);
        let state = emptyState();
        let sent: readonly string[] = [];
        for (const message of messages) {
          transcript = appendMessages(transcript, [message]);
          const step = run(
            transcript,
            state,
            { ...policy, summariser: { type: 'code' } },
            {
              format: 'openai-chat',
              messages,
              windowTokens: 8_000,
              strategy: 'reactive-overflow',
              summariser: ['honest', honestSummariser],
              isManual: false,
            },
          );
          if (step.type !== 'ready') return;
          expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.triggerTokens);
          const { messages: rendered } = renderView(transcript, step.view, { ending: 'open' });
          const now = rendered.map((each) => JSON.stringify(each.message));
          if (!step.checkpoint) expect(now.slice(0, sent.length)).toEqual(sent);
          sent = now;
          state = step.state;
        }
      }),
      { numRuns: 60, plugins: [everyday(20)] },
    );
  });
});

// A third of what a window of 30 000 leaves: what else a response holds has room beside it.
const mostThoughtTokens = 7_000;

/** Whether a response alone may be too large: what a model thought goes back whole while its calls are open. */
function thinksTooLong(format: Case['format'], messages: unknown[]): boolean {
  const { entries, sizes } = transcriptOf({ format, messages }).conversation;
  return entries
    .slice()
    .some(({ parts }, at) =>
      parts.some(
        ({ type }, index) => type === 'reasoning' && (sizes.at(at)?.parts[index] ?? 0) > mostThoughtTokens,
      ),
    );
}

function isSystem(message: unknown): boolean {
  return (message as { role?: string }).role === 'system';
}
