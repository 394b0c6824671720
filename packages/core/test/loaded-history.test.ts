import { afterAll, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import {
  appendMessages,
  ContextError,
  formerState,
  openTranscript,
  prepare,
  reconcile,
  renderView,
  undo,
} from '@throughline/core';
import { codecs, follow, sessionArbitrary, stepOf, throughJson, told } from './loaded-session.ts';
import { isRangeChange } from '../src/changes/change.ts';
import { replay } from '../src/changes/replay.ts';
import { reopened, withoutFingerprints } from './loaded-history.ts';
import type { Checkpoint, ContextState, Policy, Ready, Transcript } from '@throughline/core';
import type { Held, Session } from './loaded-session.ts';

import fc from 'fast-check';
import { everyday } from '@throughline/testkit';

const settings = { numRuns: 100, plugins: [everyday(30)] };

interface Followed extends ReturnType<typeof follow> {
  readonly steps: readonly { whole: Held; loaded: Held; policy: Policy; length: number }[];
}

const known = new Map<string, Followed>();
afterAll(() => known.clear());

/** A session to its end. The laws draw the same sessions: one is run once for all of them. */
function followed(session: Session): Followed {
  const key = createHash('sha1').update(JSON.stringify(session)).digest('base64');
  const before = known.get(key);
  if (before) return before;
  const steps: Followed['steps'][number][] = [];
  const end = follow(session, (whole, loaded, policy) => {
    steps.push({ whole, loaded, policy, length: whole.transcript.conversation.entries.length });
  });
  const one = { ...end, steps };
  known.set(key, one);
  return one;
}

/** What `undo` comes to: a state, or the code it refuses with. */
function undone(
  transcript: Transcript,
  state: ContextState,
  policy: Policy,
  checkpoint: Checkpoint,
): unknown {
  try {
    return undo(transcript, state, policy, checkpoint);
  } catch (error) {
    if (ContextError.is(error)) return { code: error.code };
    throw error;
  }
}

const wireOf = (transcript: Transcript, { view }: Ready): unknown[] =>
  renderView(transcript, view).messages.map(({ message }) => message);

describe('a history of which only what the view shows is loaded', () => {
  it('makes the same steps as the whole one, through compaction after compaction', () => {
    fc.assert(
      fc.property(sessionArbitrary, (session) => {
        for (const { whole, loaded } of followed(session).steps) expect(told(loaded)).toEqual(told(whole));
      }),
      settings,
    );
  });

  it('has a state that the whole history knows for its own, to the last character of what was compacted', () => {
    fc.assert(
      fc.property(sessionArbitrary, fc.nat(), (session, where) => {
        const { history, loaded } = followed(session);
        const options = { codec: codecs[session.format] };
        const { changes } = loaded.state;
        expect(replay(openTranscript(options, history).conversation, changes).skipped).toEqual([]);
        const ranges = changes.filter(isRangeChange);
        const range = ranges[where % Math.max(1, ranges.length)];
        if (!range) return;
        const { first, end } = range.anchor;
        const edited = history.with(first + (where % (end - first)), {
          role: 'user',
          content: `not ${where}`,
        });
        const { skipped } = replay(openTranscript(options, edited).conversation, changes);
        expect(skipped).toContain(range);
      }),
      settings,
    );
  });

  it('is undone on what the former changes show, as the whole one is', () => {
    fc.assert(
      fc.property(sessionArbitrary, (session) => {
        const { history, steps } = followed(session);
        for (const { whole, loaded, policy, length } of steps) {
          if (whole.step.type !== 'ready' || loaded.step.type !== 'ready') continue;
          const { checkpoint } = loaded.step;
          if (!checkpoint || !whole.step.checkpoint) continue;
          const expected = undone(whole.transcript, whole.state, policy, whole.step.checkpoint);
          const former = formerState(loaded.state, checkpoint);
          const options = { codec: codecs[session.format] };
          const opened = reopened(options, history.slice(0, length), former.changes);
          const state = undone(opened, loaded.state, policy, checkpoint);
          expect(withoutFingerprints(state)).toEqual(withoutFingerprints(expected));
          // What is loaded for the newer view is enough, or it is said that it is not.
          const narrow = reopened(options, history.slice(0, length), loaded.state.changes);
          const tried = undone(narrow, loaded.state, policy, checkpoint) as { readonly code?: string };
          if (tried.code !== 'not-loaded') expect(tried).toEqual(state);
          if (!('changes' in (expected as object))) continue;
          const again = stepOf({ ...loaded, transcript: opened, state: state as ContextState }, policy, {});
          const same = stepOf({ ...whole, state: expected as ContextState }, policy, {});
          expect(told(again)).toEqual(told(same));
        }
      }),
      settings,
    );
  });

  it('follows a host that hands in the whole history, what was loaded, or the last view', () => {
    fc.assert(
      fc.property(sessionArbitrary, fc.nat(), (session, where) => {
        const { history, loaded } = followed(session);
        const options = { codec: codecs[session.format] };
        const opened = reopened(options, history, loaded.state.changes);
        const next = { role: 'user', content: 'and on' };
        const expected = appendMessages(opened, [next]);
        const shown = opened.conversation.entries
          .slice()
          .flatMap(({ wire }) => (wire === undefined ? [] : [wire]));
        const step = prepare(opened, loaded.state, { ...session.policy, auto: false });
        const sent = step.type === 'ready' ? wireOf(opened, step) : [];
        for (const messages of [history, shown, ...(sent.length > 0 ? [sent] : [])]) {
          const { transcript, keptMessages } = reconcile(opened, [...throughJson(messages), next], sent);
          expect(keptMessages).toBe(history.length);
          expect(transcript.conversation.entries.slice()).toEqual(expected.conversation.entries.slice());
        }
        const length = where % (history.length + 1);
        const rewound = reconcile(opened, history.slice(0, length)).transcript;
        const whole = openTranscript(options, history.slice(0, length));
        const again = replay(rewound.conversation, loaded.state.changes);
        const same = replay(whole.conversation, loaded.state.changes);
        expect(again.view.items.slice().map(({ tokens }) => tokens)).toEqual(
          same.view.items.slice().map(({ tokens }) => tokens),
        );
      }),
      settings,
    );
  });
});
