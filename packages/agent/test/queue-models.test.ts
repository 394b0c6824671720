import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeWaiting } from '../src/queue/compose-waiting.ts';
import { createQueue } from '../src/queue/create-queue.ts';
import { Died, dyingStore } from './dying-store.ts';
import { base64Of } from './media-samples.ts';
import { inStore, openInFile, openInMemory } from './open-stores.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { Lease, SessionStore, StoredEvent, WaitingItem } from '@throughline/ports';
import type { UserPart } from '@throughline/protocol/types';
import type { MessageQueue } from '../src/queue/create-queue.ts';
import type { Death, UsedStore } from './dying-store.ts';
import type { OpenedStore } from './open-stores.ts';

/** What is said, as far as it matters here: a mark that nothing else says, in a text or in the bytes of an image. */
type Said = readonly ('text' | 'image')[];

/** One of two processes. */
type Who = 0 | 1;

interface ModelItem {
  readonly id: string;
  marks: readonly string[];
  state: 'accepted' | 'delivered' | 'removed';
}

interface Model {
  readonly items: ModelItem[];
  /** Ids of what became one message. */
  readonly messages: string[][];
  readonly events: [type: string, ...ids: string[]][];
  isBusy: boolean;
}

interface Real {
  readonly opened: OpenedStore;
  readonly sessionId: string;
  readonly handles: [SessionStore, SessionStore];
  lease: Lease;
  readonly voidLeases: Lease[];
  readonly published: StoredEvent[];
  marks: number;
}

const leaseMs = 1_000;

const waitingIn = ({ items }: Model): ModelItem[] => items.filter(({ state }) => state === 'accepted');
const pickFrom = ({ items }: Model, pick: number): ModelItem => {
  const item = items[pick % items.length];
  if (!item) throw new Error('expected an item');
  return item;
};

/** Content of fresh marks, and the marks as they will be found: image marks are the hashes of their bytes. */
function sayFresh(real: Real, said: Said): { content: readonly UserPart[]; marks: readonly string[] } {
  const marks: string[] = [];
  const content = said.map((type): UserPart => {
    const mark = `«${(real.marks += 1)}»`;
    if (type === 'text') {
      marks.push(mark);
      return { type, text: `do ${mark} now` };
    }
    const bytes = Buffer.from(mark);
    marks.push(createHash('sha256').update(bytes).digest('hex'));
    return { type, data: base64Of(bytes), mediaType: 'image/png' };
  });
  return { content, marks };
}

function marksIn({ parts }: SessionMessage): readonly string[] {
  return parts.flatMap((part): readonly string[] => {
    if (part.type === 'text') return part.text.match(/«\d+»/g) ?? [];
    const url = part.type === 'media' && part.source.type === 'url' ? part.source.url : '';
    return [url.replace('@blob:', '')];
  });
}

function idsOf({ meta }: SessionMessage): readonly string[] {
  return ((meta?.['originalMessages'] ?? []) as { readonly id: string }[]).map(({ id }) => id);
}

function queueOn(store: UsedStore, model: Model, real: Real): MessageQueue {
  return createQueue({
    store,
    sessionId: real.sessionId,
    publish: (events) => void real.published.push(...events),
    isBusy: () => model.isBusy,
  });
}

/** Acts through one handle, perhaps until it dies; then the process is gone and another is started in its place. */
async function survive(
  real: Real,
  { who, death }: { readonly who: Who; readonly death: Death | null },
  act: (store: UsedStore) => Promise<void>,
): Promise<'done' | 'died'> {
  try {
    await act(dyingStore(real.handles[who], death));
    return 'done';
  } catch (error) {
    if (!(error instanceof Died)) throw error;
    const dead = real.handles[who];
    real.handles[who] = await real.opened.open();
    if (dead !== real.handles[who]) await dead[Symbol.asyncDispose]();
    return 'died';
  }
}

/** Whether a call, the last of `calls`, was stored by whoever may have died at it. */
function isStored(death: Death | null, calls: number): boolean {
  if (!death || death.atCall >= calls) return true;
  return death.atCall === calls - 1 && death.when === 'after';
}

type Command = fc.AsyncCommand<Model, Real>;

async function checkAll(model: Model, real: Real): Promise<void> {
  const [store] = real.handles;
  const waiting = await store.inbox.waiting(real.sessionId);
  expect(waiting.map(({ id, position }) => [id, position])).toEqual(
    waitingIn(model).map(({ id }, index) => [id, index + 1]),
  );
  const messages = await store.history.messages(real.sessionId, 0, 999);
  const marksOf = (id: string): readonly string[] => model.items.find((item) => item.id === id)?.marks ?? [];
  expect(messages.map(({ message }) => marksIn(message))).toEqual(
    model.messages.map((ids) => ids.flatMap(marksOf)),
  );
  for (const [index, ids] of model.messages.entries()) {
    const { message } = messages[index] ?? {};
    expect(message?.meta).toMatchObject({ messageCount: ids.length, coalesced: ids.length > 1 });
    expect(message && idsOf(message)).toEqual(ids);
    for (const id of ids)
      expect(await store.inbox.item(real.sessionId, id)).toMatchObject({ messageId: message?.id });
  }
  for (const { id, state } of model.items)
    expect(await store.inbox.item(real.sessionId, id)).toMatchObject({ state });
  const journal = await store.journal.after(real.sessionId, 0, 999);
  expect(journal.map(({ type, data }) => [type, ...idsIn(data)])).toEqual(model.events);
  expect(new Set(real.published.map(({ seq }) => seq)).size).toBe(real.published.length);
  for (const event of real.published) expect(journal).toContainEqual(event);
}

function idsIn(data: unknown): readonly string[] {
  const { id, ids } = data as { readonly id?: string; readonly ids?: readonly string[] };
  return ids ?? [id ?? ''];
}

const always = (): boolean => true;
const hasItems = ({ items }: Readonly<Model>): boolean => items.length > 0;
const deathText = (death: Death | null): string => (death ? ` dying ${death.when} call ${death.atCall}` : '');
const imagesIn = (said: Said): number => said.filter((type) => type === 'image').length;

interface Saying {
  readonly said: Said;
  readonly who: Who;
  readonly death: Death | null;
}

/** A client sends a message; where its answer gets lost it may send it again. */
function accept({ said, who, death, retries }: Saying & { readonly retries: boolean }): Command {
  return {
    check: always,
    toString: () => `accept ${said.join('+')} by ${who}${deathText(death)}${retries ? ', and again' : ''}`,
    run: async (model, real) => {
      const { content, marks } = sayFresh(real, said);
      const id = `i${model.items.length}-${real.marks}`;
      const act = async (store: UsedStore): Promise<void> => {
        const { item } = await queueOn(store, model, real).accept(content, id);
        expect(item.id).toBe(id);
      };
      await survive(real, { who, death }, act);
      if (retries) await survive(real, { who, death: null }, act);
      if (retries || isStored(death, imagesIn(said) + 1)) {
        model.items.push({ id, marks, state: 'accepted' });
        if (model.isBusy) model.events.push(['message:queued', id]);
      }
      await checkAll(model, real);
    },
  };
}

function sendAgain({ pick, who }: { readonly pick: number; readonly who: Who }): Command {
  return {
    check: hasItems,
    toString: () => `send ${pick} again`,
    run: async (model, real) => {
      const item = pickFrom(model, pick);
      const again = queueOn(real.handles[who], model, real).accept('something else', item.id);
      if (item.state === 'accepted') expect((await again).item.id).toBe(item.id);
      else await expect(again).rejects.toMatchObject({ code: 'already-exists' });
      await checkAll(model, real);
    },
  };
}

function edit({ pick, said, who, death }: Saying & { readonly pick: number }): Command {
  return {
    check: hasItems,
    toString: () => `edit ${pick} to ${said.join('+')}${deathText(death)}`,
    run: async (model, real) => {
      const item = pickFrom(model, pick);
      const { content, marks } = sayFresh(real, said);
      const isWaiting = item.state === 'accepted';
      await survive(real, { who, death }, async (store) => {
        expect(await queueOn(store, model, real).edit(item.id, content)).toBe(isWaiting);
      });
      if (isWaiting && isStored(death, imagesIn(said) + 1)) {
        item.marks = marks;
        model.events.push(['message:updated', item.id]);
      }
      await checkAll(model, real);
    },
  };
}

function remove({ pick, who, death }: Omit<Saying, 'said'> & { readonly pick: number }): Command {
  return {
    check: hasItems,
    toString: () => `remove ${pick}${deathText(death)}`,
    run: async (model, real) => {
      const item = pickFrom(model, pick);
      const isWaiting = item.state === 'accepted';
      await survive(real, { who, death }, async (store) => {
        expect(await queueOn(store, model, real).remove(item.id)).toBe(isWaiting);
      });
      if (isWaiting && isStored(death, 1)) {
        item.state = 'removed';
        model.events.push(['message:removed', item.id]);
      }
      await checkAll(model, real);
    },
  };
}

/** A run takes what waits. Where it dies another takes the session over, and the lease of the dead one is void. */
function deliver({ who, death }: Omit<Saying, 'said'>): Command {
  return {
    check: always,
    toString: () => `deliver by ${who}${deathText(death)}`,
    run: async (model, real) => {
      const outcome = await survive(real, { who, death }, async (store) => {
        real.published.push(...(await deliverWith(store, real.lease)));
      });
      const waiting = waitingIn(model);
      if (waiting.length > 0 && isStored(death, 1)) {
        const ids = waiting.map(({ id }) => id);
        for (const item of waiting) item.state = 'delivered';
        model.messages.push(ids);
        model.events.push(['message:dequeued', ...ids]);
      }
      if (outcome === 'died') await takeOver(real, who);
      await checkAll(model, real);
    },
  };
}

/** A run that was thought dead comes back with its old lease, and takes nothing. */
function deliverLate({ pick, who }: { readonly pick: number; readonly who: Who }): Command {
  return {
    check: always,
    toString: () => 'deliver under a void lease',
    run: async (model, real) => {
      const lease = real.voidLeases[pick % real.voidLeases.length];
      if (!lease) return;
      await expect(deliverWith(real.handles[who], lease)).rejects.toMatchObject({ code: 'lease-lost' });
      await checkAll(model, real);
    },
  };
}

function busy(isBusy: boolean): Command {
  return {
    check: always,
    toString: () => (isBusy ? 'a run is busy' : 'no run is busy'),
    run: async (model) => void (model.isBusy = isBusy),
  };
}

async function deliverWith(
  store: Pick<SessionStore, 'write'>,
  lease: Lease,
): Promise<readonly StoredEvent[]> {
  const compose = (waiting: readonly WaitingItem[]): ReturnType<typeof composeWaiting> =>
    composeWaiting(waiting, { nowMs: 1, runId: 'r1' });
  return (await store.write(lease, [{ type: 'deliver', compose }])).events;
}

async function takeOver(real: Real, who: Who): Promise<void> {
  real.opened.clock.advance(leaseMs);
  const lease = await real.handles[who].leases.acquire(real.sessionId, 'another', leaseMs);
  if (!lease) throw new Error('expected a lease');
  real.voidLeases.push(real.lease);
  real.lease = lease;
}

const said = fc.array(fc.constantFrom('text' as const, 'image' as const), { minLength: 1, maxLength: 3 });
const who = fc.constantFrom(0 as const, 1 as const);
const death = fc.option(
  fc.record({ atCall: fc.nat({ max: 2 }), when: fc.constantFrom('before' as const, 'after' as const) }),
  { freq: 2 },
);
const pick = fc.nat({ max: 20 });

const accepts = fc.record({ said, who, death, retries: fc.boolean() }).map(accept);
const commands = fc.commands<Model, Real, false>(
  [
    accepts,
    accepts,
    accepts,
    fc.record({ pick, who }).map(sendAgain),
    fc.record({ pick, said, who, death }).map(edit),
    fc.record({ pick, who, death }).map(remove),
    fc.record({ who, death }).map(deliver),
    fc.record({ pick, who }).map(deliverLate),
    fc.boolean().map(busy),
  ],
  { maxCommands: 25, size: 'max' },
);

async function begin(opened: OpenedStore): Promise<{ model: Model; real: Real }> {
  const handles: Real['handles'] = [await opened.open(), await opened.open()];
  const { id: sessionId } = await handles[0].sessions.create();
  const lease = await handles[0].leases.acquire(sessionId, 'run', leaseMs);
  if (!lease) throw new Error('expected a lease');
  return {
    model: { items: [], messages: [], events: [], isBusy: true },
    real: { opened, sessionId, handles, lease, voidLeases: [], published: [], marks: 0 },
  };
}

const stores: readonly [name: string, open: () => Promise<OpenedStore>, numRuns: number][] = [
  ['in memory', openInMemory, 60],
  ['in a file', openInFile, 20],
];

describe.each(stores)('the queue %s', (_, open, numRuns) => {
  it('loses nothing, doubles nothing and keeps the order, whoever dies in whatever call', async () => {
    await fc.assert(
      fc.asyncProperty(commands, (list) =>
        inStore(open, (opened) => fc.asyncModelRun(() => begin(opened), list)),
      ),
      { numRuns },
    );
  });

  it('delivers each message once, in its order, while two accept, edit and deliver at the same time', async () => {
    const work = fc.array(fc.constantFrom('accept', 'edit', 'deliver'), { minLength: 4, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(work, work, (first, second) =>
        inStore(open, async (opened) => {
          const { model, real } = await begin(opened);
          const { handles, lease, sessionId } = real;
          const accepted: [string[], string[]] = [[], []];
          const workAt = async (index: 0 | 1, list: readonly string[]): Promise<void> => {
            const queue = queueOn(handles[index], model, real);
            for (const [step, what] of list.entries()) {
              const id = `${index}-${step}`;
              if (what === 'accept') {
                await queue.accept(`do «${step}»`, id);
                accepted[index].push(id);
              } else if (what === 'edit') {
                await queue.edit(accepted[index].at(-1) ?? 'none', `do «${step}» instead`);
              } else {
                real.published.push(...(await deliverWith(handles[index], lease)));
              }
            }
          };
          await Promise.all([workAt(0, first), workAt(1, second)]);
          await deliverWith(handles[0], lease);
          const messages = await handles[1].history.messages(sessionId, 0, 999);
          const ids = messages.flatMap(({ message }) => idsOf(message));
          for (const index of [0, 1] as const)
            expect(ids.filter((id) => id.startsWith(`${index}-`))).toEqual(accepted[index]);
          expect(ids).toHaveLength(accepted[0].length + accepted[1].length);
          expect(messages.flatMap(({ message }) => marksIn(message))).toHaveLength(ids.length);
        }),
      ),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  });
});
