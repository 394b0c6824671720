import { expect, it, onTestFinished } from 'vitest';
import {
  emptyState,
  formerState,
  openLoadedTranscript,
  openTranscript,
  prepare,
  renderView,
  sessionCodec,
  undo,
} from '@throughline/core';
import { compactedSession, policy } from '../src/contract/compacted-session.ts';
import { openInFile } from './stores.ts';
import type { ContextState, Ready, Transcript } from '@throughline/core';
import type { Lease, SessionStore } from '@throughline/ports';

const sessionId = 's';

interface Opened {
  readonly transcript: Transcript;
  readonly state: ContextState;
}

/** The session as a runtime opens it: what the view shows, or what that of former changes shows. */
async function open(store: SessionStore, changes?: ContextState['changes']): Promise<Opened> {
  const { state, messages, historyLength } = await store.history.context(sessionId, changes);
  const shown = changes ?? state?.changes ?? [];
  const transcript = openLoadedTranscript(
    { codec: sessionCodec },
    { messages, historyLength, changes: shown },
  );
  return { transcript, state: state ?? emptyState() };
}

function ready({ transcript, state }: Opened): Ready {
  const step = prepare(transcript, state, policy);
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

const sentBy = (transcript: Transcript, { view }: Ready): unknown => renderView(transcript, view).messages;

/** As JSON, without what anchors say of the content of messages, and sums to a hundredth. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => {
    if (key === 'fingerprint' || key === 'runs') return undefined;
    return typeof member === 'number' ? Math.floor(member * 100 + 0.37) : member;
  });
  return JSON.parse(text) as unknown;
}

async function beginIn(store: SessionStore): Promise<Lease> {
  await store.sessions.create({ id: sessionId });
  const lease = await store.leases.acquire(sessionId, 'p', 60_000);
  if (!lease) throw new Error('expected a lease');
  return lease;
}

/** All that a step says of itself. */
function told({ view: _view, ...step }: Ready): unknown {
  return comparable(step);
}

/** The state before a checkpoint, and the messages that it sends. */
function afterUndo(transcript: Transcript, { state, checkpoint }: Ready): unknown {
  if (!checkpoint) throw new Error('expected a checkpoint');
  const undone = undo(transcript, state, { ...policy, budget: { windowTokens: 200_000 } }, checkpoint);
  return [comparable(undone), sentBy(transcript, ready({ transcript, state: undone }))];
}

it('a session that is opened at every step from what its view shows makes the steps of the whole history', async () => {
  const opened = await openInFile();
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const { store } = opened;
  const lease = await beginIn(store);
  let compactions = 0;
  let mostLoaded = 0;
  for (const { messages, transcript, step } of compactedSession(160)) {
    await store.write(
      lease,
      messages.map((message) => ({ type: 'message', message })),
    );
    const context = await open(store);
    mostLoaded = Math.max(mostLoaded, context.transcript.conversation.entries.length);
    const own = ready(context);
    expect(told(own)).toEqual(told(step));
    expect(sentBy(context.transcript, own)).toEqual(sentBy(transcript, step));
    const { checkpoint, state } = own;
    await store.write(lease, [
      checkpoint ? { type: 'checkpoint', checkpoint, state } : { type: 'state', state },
    ]);
    if (!checkpoint) continue;
    compactions += 1;
    const former = await open(store, formerState(state, checkpoint).changes);
    expect(afterUndo(former.transcript, own)).toEqual(afterUndo(transcript, step));
  }
  expect(compactions).toBeGreaterThan(10);
  expect(mostLoaded).toBeLessThan(60);

  // What was stored on the way is known to the whole history, to the last character.
  const { state, historyLength } = await store.history.context(sessionId);
  expect(historyLength).toBeGreaterThan(300);
  const all = await store.history.messages(sessionId, 0, historyLength);
  const whole = openTranscript(
    { codec: sessionCodec },
    all.map(({ message }) => message),
  );
  expect(ready({ transcript: whole, state: state ?? emptyState() }).report.skippedChanges).toBe(0);
});
