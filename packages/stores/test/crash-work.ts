import { emptyState } from '@throughline/core';
import { userMessage } from '../src/contract/compacted-session.ts';
import type { Checkpoint, ContextState } from '@throughline/core';
import type { Change } from '@throughline/core/types';
import type { Lease, SessionStore } from '@throughline/ports';

const sessionId = 's';

/** Compacts, streams and delivers without end; says what was done once it is stored. */
export async function* crashWork(store: SessionStore, who: string): AsyncGenerator<string> {
  const lease = await store.leases.acquire(sessionId, who, 1_000);
  if (!lease) throw new Error('expected a lease');
  let state = (await store.history.context(sessionId)).state ?? emptyState();
  for (let round = state.checkpointCount + 1; ; round += 1) {
    state = await compact(store, lease, state, round);
    yield `compacted ${round}`;
    yield* stream(store, lease, round);
    yield* deliver(store, lease, { who, round });
  }
}

async function compact(
  store: SessionStore,
  lease: Lease,
  { changes, ...state }: ContextState,
  round: number,
): Promise<ContextState> {
  const id = `c${round}`;
  const change = {
    type: 'reasoning-dropped',
    reason: 'space',
    beforeTokens: 1,
    afterTokens: 0,
    recallId: `m${round}`,
  };
  const added = { ...change, anchor: { ordinal: round, part: 0, fingerprint: id } } as unknown as Change;
  const checkpoint: Checkpoint = {
    id,
    parent: state.head,
    reason: 'manual',
    strategy: 'test',
    changes: [added],
    retired: changes.slice(0, -3),
    truncation: state.truncation,
    historyEnd: 0,
    tokensBefore: 2,
    tokensAfter: 1,
  };
  const next = { ...state, changes: [...changes.slice(-3), added], head: id, checkpointCount: round };
  await store.write(lease, [
    { type: 'message', message: userMessage(`before-${id}`, `needle ${round}`) },
    { type: 'checkpoint', checkpoint, state: next },
    { type: 'value', name: 'round', value: round },
    { type: 'event', event: { type: 'compacted', data: round } },
  ]);
  return next;
}

async function* stream(store: SessionStore, lease: Lease, round: number): AsyncGenerator<string> {
  const messageId = `a${round}`;
  const ended = `text-${round}`;
  await store.write(lease, [
    { type: 'message', message: { id: messageId, role: 'assistant', parts: [] }, isOpen: true },
    { type: 'part', messageId, part: { type: 'text', text: '' }, isOpen: true },
  ]);
  for (const text of ['alpha ', 'beta ', 'gamma ']) {
    await store.write(lease, [
      { type: 'text', messageId, part: 0, text },
      { type: 'event', event: { type: 'chunk', data: text, chunkOf: ended } },
    ]);
    yield `streamed ${round} ${text}`;
  }
  await store.write(lease, [
    { type: 'finish-message', messageId },
    { type: 'event', event: { type: 'whole', data: round, ends: ended } },
  ]);
  yield `finished ${round}`;
}

async function* deliver(
  store: SessionStore,
  lease: Lease,
  { who, round }: { who: string; round: number },
): AsyncGenerator<string> {
  const ids = [`i${round}-${who}-1`, `i${round}-${who}-2`];
  for (const id of ids) {
    await store.inbox.accept(sessionId, { id, content: id });
    yield `accepted ${id}`;
  }
  await store.write(lease, [
    {
      type: 'deliver',
      compose: (waiting) => ({
        message: { message: userMessage('', waiting.map(({ id }) => id).join(' ')) },
      }),
    },
  ]);
  yield `delivered ${ids.join(' ')}`;
}
