import { describe, expect, it, onTestFinished } from 'vitest';
import fc from 'fast-check';
import { ContextError, emptyState, formerState } from '@throughline/core';
import { describeProxyModels } from './proxy-models.ts';
import { userMessage } from './compacted-session.ts';
import type { Checkpoint, ContextState } from '@throughline/core';
import type { Change } from '@throughline/core/types';
import type { Lease, SessionStore } from '@throughline/ports';
import type { OpenStore } from './test-store.ts';

const numRuns = 40;

/** Random work on a store beside a plain model of it, through two connections in turn. */
export function describeStoreModels(name: string, open: OpenStore): void {
  describe(`${name}: beside a model`, () => {
    it('the inbox loses nothing, doubles nothing and keeps the order', async () => {
      const opened = await open();
      onTestFinished(() => opened[Symbol.asyncDispose]());
      const handles = [opened.store, await opened.again()];
      await fc.assert(
        fc.asyncProperty(fc.array(inboxCommand, { maxLength: 30, size: 'max' }), async (commands) => {
          await runInbox(handles, commands);
        }),
        { numRuns },
      );
    });

    it('a lease has one owner at a time, and only its newest epoch can write', async () => {
      const opened = await open();
      onTestFinished(() => opened[Symbol.asyncDispose]());
      const handles = [opened.store, await opened.again()];
      await fc.assert(
        fc.asyncProperty(fc.array(leaseCommand, { maxLength: 60, size: 'max' }), async (commands) => {
          await runLeases(handles, commands, opened.clock);
        }),
        { numRuns },
      );
    });

    it('compactions, undo and redo leave the state, the messages and the checkpoints of the model', async () => {
      const opened = await open();
      onTestFinished(() => opened[Symbol.asyncDispose]());
      const handles = [opened.store, await opened.again()];
      await fc.assert(
        fc.asyncProperty(fc.array(historyCommand, { maxLength: 25, size: 'max' }), async (commands) => {
          await runHistory(handles, commands);
        }),
        { numRuns },
      );
    });
  });
  describeProxyModels(name, open);
}

const pick = fc.nat({ max: 9 });

const inboxCommand = fc.oneof(
  { arbitrary: fc.record({ type: fc.constant('accept' as const), content: fc.string() }), weight: 4 },
  fc.record({ type: fc.constant('edit' as const), pick, content: fc.string() }),
  fc.record({ type: fc.constant('remove' as const), pick }),
  fc.record({ type: fc.constant('retry' as const), pick }),
  fc.record({ type: fc.constant('move' as const), pick, position: fc.integer({ min: 1, max: 9 }) }),
  fc.record({
    type: fc.constant('deliver' as const),
    fails: fc.boolean(),
    only: fc.option(pick, { nil: undefined, freq: 3 }),
  }),
);
type InboxCommand = typeof inboxCommand extends fc.Arbitrary<infer Command> ? Command : never;

interface ModelItem {
  readonly id: string;
  content: string;
  state: 'accepted' | 'delivered' | 'removed';
}

async function runInbox(handles: readonly SessionStore[], commands: readonly InboxCommand[]): Promise<void> {
  const [store] = handles as [SessionStore];
  const { id: sessionId } = await store.sessions.create();
  const lease = await store.leases.acquire(sessionId, 'run', 1e9);
  if (!lease) throw new Error('expected a lease');
  const items: ModelItem[] = [];
  const messages: string[] = [];
  // What waits stands in the model in its order; what has left is wherever it was.
  const waiting = (): ModelItem[] => items.filter(({ state }) => state === 'accepted');
  for (const [index, command] of commands.entries()) {
    const handle = handles[index % handles.length]!;
    const { inbox, history } = handle;
    const item = 'pick' in command ? items[command.pick % Math.max(1, items.length)] : undefined;
    const isWaiting = item?.state === 'accepted';
    if (command.type === 'accept') {
      const id = `i${items.length}`;
      items.push({ id, content: command.content, state: 'accepted' });
      const accepted = await inbox.accept(sessionId, { id, content: command.content });
      expect(accepted.item.position).toBe(waiting().length);
    } else if (command.type === 'retry' && item) {
      const again = inbox.accept(sessionId, { id: item.id, content: 'other' });
      if (isWaiting) expect((await again).item.content).toBe(item.content);
      else await expect(again).rejects.toMatchObject({ code: 'already-exists' });
    } else if (command.type === 'edit' && item) {
      const changed = await inbox.edit(sessionId, { id: item.id, content: command.content });
      expect(changed !== undefined).toBe(isWaiting);
      if (isWaiting) item.content = command.content;
    } else if (command.type === 'remove' && item) {
      expect((await inbox.remove(sessionId, item.id)) !== undefined).toBe(isWaiting);
      if (isWaiting) item.state = 'removed';
    } else if (command.type === 'move' && item) {
      const moved = await inbox.move(sessionId, { id: item.id, position: command.position });
      const others = waiting().filter((one) => one !== item);
      if (isWaiting) {
        const order = others.toSpliced(command.position - 1, 0, item);
        expect(moved?.item.position).toBe(order.indexOf(item) + 1);
        items.splice(0, items.length, ...items.filter(({ state }) => state !== 'accepted'), ...order);
      } else expect(moved).toBeUndefined();
    } else if (command.type === 'deliver') {
      const only =
        command.only === undefined ? undefined : items[command.only % Math.max(1, items.length)]?.id;
      const delivery = handle.write(lease, [
        {
          type: 'deliver',
          ...(only === undefined ? {} : { only }),
          compose: (all) => ({
            message: { message: userMessage('', JSON.stringify(all.map(({ content }) => content))) },
          }),
        },
        ...(command.fails ? [{ type: 'finish-message' as const, messageId: 'nothing' }] : []),
      ]);
      if (command.fails) await expect(delivery).rejects.toMatchObject({ code: 'not-found' });
      else {
        const all = waiting().filter(({ id }) => only === undefined || id === only);
        expect((await delivery).delivered.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
        if (all.length > 0) messages.push(JSON.stringify(all.map(({ content }) => content)));
        for (const one of all) one.state = 'delivered';
      }
    }
    const stored = await inbox.waiting(sessionId);
    expect(stored.map(({ id, content, position }) => [id, content, position])).toEqual(
      waiting().map(({ id, content }, position) => [id, content, position + 1]),
    );
    const texts = (await history.messages(sessionId, 0, 99)).map(({ message }) => message.parts[0]);
    expect(texts).toEqual(messages.map((text) => ({ type: 'text', text })));
  }
  for (const { id, content, state } of items)
    expect(await store.inbox.item(sessionId, id)).toMatchObject({ content, state });
}

const leaseCommand = fc.oneof(
  fc.record({
    type: fc.constantFrom('acquire' as const),
    who: fc.nat({ max: 1 }),
    ttlMs: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({
    type: fc.constantFrom('renew' as const),
    who: fc.nat({ max: 1 }),
    ttlMs: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({ type: fc.constantFrom('release' as const, 'write' as const), who: fc.nat({ max: 1 }) }),
  fc.record({ type: fc.constant('advance' as const), ms: fc.nat({ max: 15 }) }),
);
type LeaseCommand = typeof leaseCommand extends fc.Arbitrary<infer Command> ? Command : never;

async function runLeases(
  handles: readonly SessionStore[],
  commands: readonly LeaseCommand[],
  clock: { nowMs(): number; advance(ms: number): void },
): Promise<void> {
  const { id: sessionId } = await handles[0]!.sessions.create();
  const held: (Lease | undefined)[] = [undefined, undefined];
  let model = { owner: -1, epoch: 0, expiresAtMs: 0 };
  let messages = 0;
  for (const command of commands) {
    if (command.type === 'advance') {
      clock.advance(command.ms);
      continue;
    }
    const { who } = command;
    const handle = handles[who]!;
    const { leases } = handle;
    const lease = held[who];
    const isNewest = lease !== undefined && model.owner === who && model.epoch === lease.epoch;
    if (command.type === 'acquire') {
      const isFree = model.owner < 0 || model.expiresAtMs <= clock.nowMs();
      const acquired = await leases.acquire(sessionId, `owner-${who}`, command.ttlMs);
      expect(acquired !== undefined).toBe(isFree);
      if (!acquired) continue;
      model = { owner: who, epoch: model.epoch + 1, expiresAtMs: clock.nowMs() + command.ttlMs };
      expect(acquired).toMatchObject({ epoch: model.epoch, expiresAtMs: model.expiresAtMs });
      held[who] = acquired;
    } else if (lease && command.type === 'renew') {
      const renewed = await leases.renew(lease, command.ttlMs);
      expect(renewed !== undefined).toBe(isNewest);
      if (isNewest) model = { ...model, expiresAtMs: clock.nowMs() + command.ttlMs };
    } else if (lease && command.type === 'release') {
      expect(await leases.release(lease)).toBe(isNewest);
      if (isNewest) model = { ...model, owner: -1, expiresAtMs: 0 };
    } else if (lease && command.type === 'write') {
      const written = await handle.write(lease, [{ type: 'message', message: userMessage('', 'x') }]).then(
        () => 'written',
        (error: unknown) => (ContextError.is(error) ? error.code : String(error)),
      );
      expect(written).toBe(isNewest ? 'written' : 'lease-lost');
      if (isNewest) messages += 1;
    }
  }
  expect((await handles[1]!.sessions.read(sessionId)).messageCount).toBe(messages);
}

const historyCommand = fc.oneof(
  {
    arbitrary: fc.record({ type: fc.constant('append' as const), count: fc.integer({ min: 1, max: 4 }) }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      type: fc.constant('compact' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    weight: 2,
  },
  fc.record({ type: fc.constant('prune' as const), pick: fc.nat({ max: 40 }) }),
  fc.record({ type: fc.constant('undo' as const) }),
  fc.record({ type: fc.constant('redo' as const) }),
  fc.record({ type: fc.constant('fail' as const) }),
);
type HistoryCommand = typeof historyCommand extends fc.Arbitrary<infer Command> ? Command : never;

interface HistoryModel {
  length: number;
  state: ContextState;
  readonly checkpoints: Checkpoint[];
  /** State behind each checkpoint, for redo. */
  readonly after: Map<string, ContextState>;
}

async function runHistory(
  handles: readonly SessionStore[],
  commands: readonly HistoryCommand[],
): Promise<void> {
  const { id: sessionId } = await handles[0]!.sessions.create();
  const lease = await handles[0]!.leases.acquire(sessionId, 'run', 1e9);
  if (!lease) throw new Error('expected a lease');
  const model: HistoryModel = { length: 0, state: emptyState(), checkpoints: [], after: new Map() };
  for (const [index, command] of commands.entries()) {
    const store = handles[index % handles.length]!;
    await actOnHistory(store, lease, model, command);
    const context = await store.history.context(sessionId);
    expect(context.state ?? emptyState()).toEqual(model.state);
    expect(context.historyLength).toBe(model.length);
    expect(context.messages.map(({ ordinal }) => ordinal)).toEqual(shownOf(model));
    for (const { ordinal, message } of context.messages)
      expect(message).toEqual(userMessage(`u${ordinal}`, `${ordinal}`));
    expect((await store.history.checkpoints(sessionId)).map(({ checkpoint }) => checkpoint)).toEqual(
      model.checkpoints,
    );
    expect(await store.sessions.read(sessionId)).toMatchObject({
      headCheckpoint: model.state.head,
      compactionCount: model.checkpoints.length,
      messageCount: model.length,
    });
  }
}

async function actOnHistory(
  store: SessionStore,
  lease: Lease,
  model: HistoryModel,
  command: HistoryCommand,
): Promise<void> {
  if (command.type === 'append') {
    const first = model.length;
    model.length += command.count;
    const added = Array.from({ length: command.count }, (_, offset) => first + offset);
    await store.write(
      lease,
      added.map((ordinal) => ({ type: 'message', message: userMessage(`u${ordinal}`, `${ordinal}`) })),
    );
  } else if (command.type === 'compact') {
    if (model.length < 3) return;
    const end = 2 + Math.floor(command.share * (model.length - 2));
    const { checkpoint, state } = compact(model, end);
    await store.write(lease, [{ type: 'checkpoint', checkpoint, state }]);
    model.state = state;
    model.checkpoints.push(checkpoint);
    model.after.set(checkpoint.id, state);
  } else if (command.type === 'prune') {
    const changes = [...model.state.changes, pruned(command.pick)];
    model.state = { ...model.state, changes };
    await store.write(lease, [{ type: 'state', state: model.state }]);
  } else if (command.type === 'undo') {
    const head = model.checkpoints.find(({ id }) => id === model.state.head);
    if (!head) return;
    model.state = formerState(model.state, head);
    await store.write(lease, [{ type: 'state', state: model.state }]);
  } else if (command.type === 'redo') {
    const next = model.checkpoints.findLast(({ parent }) => parent === model.state.head);
    const state = next && model.after.get(next.id);
    if (!state) return;
    model.state = state;
    await store.write(lease, [{ type: 'state', state }]);
  } else {
    const failing = store.write(lease, [
      { type: 'message', message: userMessage('lost', 'lost') },
      { type: 'state', state: { ...emptyState(), changes: [pruned(0)], head: model.state.head } },
      { type: 'text', messageId: 'lost', part: 0, text: 'finished messages take no text' },
    ]);
    await expect(failing).rejects.toMatchObject({ code: 'not-found' });
  }
}

function shownOf({ length, state }: HistoryModel): number[] {
  const range = state.changes.find((change) => change.type === 'range-dropped');
  return Array.from({ length }, (_, ordinal) => ordinal).filter(
    (ordinal) =>
      !range ||
      ordinal < range.anchor.first ||
      ordinal >= range.anchor.end ||
      range.anchor.lead.includes(ordinal) ||
      range.anchor.kept.includes(ordinal),
  );
}

const counted = { reason: 'space', beforeTokens: 9, afterTokens: 1 } as const;

function compact(
  { state, length, checkpoints }: HistoryModel,
  end: number,
): { checkpoint: Checkpoint; state: ContextState } {
  const id = `c${checkpoints.length + 1}`;
  const dropped = {
    ...counted,
    type: 'range-dropped',
    recallId: 'm0',
    text: `dropped by ${id}`,
    injection: 'pair',
    anchor: { first: 0, end, fingerprint: id, lead: [0], kept: end > 3 ? [end - 2] : [] },
    summary: { round: checkpoints.length + 1 },
  } as unknown as Change;
  const isRetired = (change: Change): boolean =>
    change.type === 'range-dropped' || (change.type === 'result-pruned' && change.anchor.ordinal < end);
  const checkpoint: Checkpoint = {
    id,
    parent: state.head,
    reason: 'manual',
    strategy: 'model',
    changes: [dropped],
    retired: state.changes.filter(isRetired),
    truncation: state.truncation,
    historyEnd: length,
    tokensBefore: 100.5,
    tokensAfter: 10,
  };
  const changes = [...state.changes.filter((change) => !isRetired(change)), dropped];
  return { checkpoint, state: { ...state, changes, head: id, checkpointCount: checkpoints.length + 1 } };
}

let prunes = 0;

function pruned(ordinal: number): Change {
  prunes += 1;
  return {
    ...counted,
    type: 'result-pruned',
    recallId: `m${ordinal}.0`,
    text: `[cleared ${prunes}]`,
    anchor: { ordinal, part: 0, fingerprint: 'f' },
  } as unknown as Change;
}
