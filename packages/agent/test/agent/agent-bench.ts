import { createAgent } from '../../src/index.ts';
import { createVirtualTime } from './virtual-time.ts';
import { defineTool } from '../../src/index.ts';
import { folderBlobs, openMemoryStore, openSqliteStore } from '@throughline/stores';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { scriptedModelDriver, memoryFolder } from '@throughline/testkit';
import { z } from 'zod';
import type {
  Agent,
  AgentEvent,
  AgentEvents,
  AgentOptions,
  AgentSession,
  RunOutcome,
} from '../../src/index.ts';
import type { Codec } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import type { IdSource, ModelDriver, SessionStore } from '@throughline/ports';
import type { ScriptedModelDriver, ScriptedStep } from '@throughline/testkit';
import type { VirtualTime } from './virtual-time.ts';

export type Script = readonly (
  | ScriptedStep
  | ((request: { readonly messages: readonly unknown[] }) => ScriptedStep)
)[];

export interface BenchOptions extends Partial<
  Omit<AgentOptions, 'driver' | 'store' | 'clock' | 'timer' | 'ids'>
> {
  /** @default 'memory' */
  readonly in?: 'memory' | 'file';
  readonly codec?: Codec;
  /** In place of the scripted one. */
  readonly driver?: ModelDriver;
  /** In place of the store, which it gets. */
  readonly wrapStore?: (store: SessionStore) => SessionStore;
}

export interface AgentBench {
  readonly agent: Agent;
  readonly driver: ScriptedModelDriver;
  readonly store: SessionStore;
  readonly time: VirtualTime;
  /** Another agent on the same data, as another process has it. */
  readonly another: (options?: BenchOptions & { readonly script?: Script }) => Promise<AgentBench>;
}

interface Place {
  readonly time: VirtualTime;
  readonly ids: IdSource;
  readonly open: () => Promise<SessionStore>;
}

/** An agent with a scripted model, over a store of its own that is gone at the end of the test. */
export async function openAgent(script: Script = [], options: BenchOptions = {}): Promise<AgentBench> {
  const time = createVirtualTime();
  let count = 0;
  const ids = { nextId: (kind: string) => `${kind}-${(count += 1)}` };
  const place = { time, ids, open: await storeOpener(options.in ?? 'memory', { clock: time, ids }) };
  return await benchIn(place, script, options);
}

async function benchIn(place: Place, script: Script, options: BenchOptions): Promise<AgentBench> {
  const { time, ids } = place;
  const { codec, driver = scriptedModelDriver(script, codec), wrapStore, in: _, ...given } = options;
  const opened = await place.open();
  const store = wrapStore ? wrapStore(opened) : opened;
  const agent = createAgent({ ...given, driver, store, clock: time, timer: time, ids });
  onTestFinished(() => agent[Symbol.asyncDispose]());
  return {
    agent,
    driver: driver as ScriptedModelDriver,
    store,
    time,
    another: ({ script: next = [], ...more } = {}) => benchIn(place, next, { ...options, ...more }),
  };
}

async function storeOpener(
  where: 'memory' | 'file',
  around: { readonly clock: VirtualTime; readonly ids: IdSource },
): Promise<Place['open']> {
  if (where === 'memory') {
    const store = await openMemoryStore(around);
    return () => Promise.resolve(store);
  }
  const folder = await mkdtemp(join(memoryFolder(), 'throughline-agent-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return async () => {
    const blobs = folderBlobs(join(folder, 'blobs'));
    const store = await openSqliteStore({ file: join(folder, 'sessions.db'), blobs, ...around });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return store;
  };
}

/** Everything that a session tells from now on. */
export function record(session: AgentSession): readonly AgentEvent[] {
  const events: AgentEvent[] = [];
  session.subscribe((event) => events.push(event));
  return events;
}

export function typesOf(events: readonly AgentEvent[]): readonly AgentEvent['type'][] {
  return events.map(({ type }) => type);
}

export function dataOf<Type extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: Type,
): readonly AgentEvents[Type][] {
  return events.filter((event) => event.type === type).map(({ data }) => data as AgentEvents[Type]);
}

/** Sends a message and waits until nothing is busy any more. */
export async function ask(session: AgentSession, text: string): Promise<RunOutcome | null> {
  await session.send(text);
  return await session.settled();
}

export async function messagesOf(
  store: SessionStore,
  session: AgentSession,
): Promise<readonly SessionMessage[]> {
  return (await store.history.messages(session.id, 0, 100_000)).map(({ message }) => message);
}

/** A history in short: `user go`, `assistant text:hi call:c1`, `tool c1:seen`. */
export async function storyOf(store: SessionStore, session: AgentSession): Promise<readonly string[]> {
  return (await messagesOf(store, session)).map(({ role, parts }) =>
    [role, ...parts.map(shortPart)].join(' '),
  );
}

type Part = SessionMessage['parts'][number];

function shortPart(part: Part): string {
  if (part.type === 'call') return `call:${part.callId}`;
  if (part.type === 'media') return `media:${part.mediaType}`;
  if (part.type === 'opaque') return 'opaque';
  if (part.type !== 'result') return `${part.type}:${part.text}`;
  const text = part.content.map((piece) => (piece.type === 'text' ? piece.text : piece.mediaType)).join('+');
  return `result:${part.callId}${part.isError === true ? '!' : '='}${text}`;
}

export const look = defineTool({
  name: 'look',
  description: 'Looks at something',
  input: z.object({ at: z.string() }),
  reads: () => [],
  execute: ({ at }) => `seen ${at}`,
});

export function call(
  callId: string,
  name = 'look',
  input: NonNullable<ScriptedStep['calls']>[number]['input'] = { at: 'x' },
): NonNullable<ScriptedStep['calls']>[number] {
  return { callId, name, input };
}
