import { ContextError } from '@throughline/core';
import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import { checkAgentOptions, checkNewSession } from './options/check-agent-options.ts';
import { usualLimits } from './options/agent-options.ts';
import { ruleOf } from './approvals/approvals.ts';
import { KeptContexts, usualKept } from './options/kept-contexts.ts';
import { liveSettings } from './options/live-settings.ts';
import { AgentStop } from './options/agent-stop.ts';
import { Quotas } from './quota/quotas.ts';
import { LiveSession } from './session/live-session.ts';
import { AgentHubs } from './fleet/agent-hubs.ts';
import { waitsForUser } from './fleet/take-over.ts';
import { Watches } from './fleet/watches.ts';
import type { NewSession, SessionStore, UnfinishedSession } from '@throughline/ports';
import type { AgentEvent, UserContent } from '@throughline/protocol/types';
import type { WatchOptions } from './fleet/watches.ts';
import type { AgentFacts, AgentOptions, AgentSetup } from './options/agent-options.ts';
import type { Settings } from './options/live-settings.ts';
import type { AgentSession, Sent } from './session/agent-session.ts';

/** Works on sessions of one store with one model, one set of tools and one policy. */
export interface Agent extends AsyncDisposable {
  /** Lists, deletes, exports and imports sessions, running or not. */
  readonly store: SessionStore;
  /** What can be changed while sessions run. */
  readonly settings: Settings;
  /** What it was made with: its model, its tools and their approvals, the limits of its runs. */
  readonly facts: AgentFacts;
  /**
   * A new session, stored at once: in the folder of this agent, where no other is stated. It works with the agent's
   * driver. `model` chooses no other: it is the name that is stored until the first run writes the driver's there, and
   * tells `llm:switched` where they differ. Another model is taken by `switchModel`.
   *
   * @throws {ContextError} `invalid-option` that names the option; `already-exists` when the id is taken;
   * `quota-exceeded` where the owner has as many sessions as they may.
   */
  create(session?: NewSession): Promise<AgentSession>;
  /**
   * The owner's session of this id, made where there is none.
   *
   * @throws {ContextError} `not-found` where it is another owner's: as if it were not there; else as `create`.
   */
  openOrCreate(session: NewSession & { readonly id: string }): Promise<AgentSession>;
  /**
   * The same object for the same id until it is disposed of.
   *
   * @throws {ContextError} `not-found`, also where it is not the session of the owner that is named
   */
  open(sessionId: string, options?: { readonly owner?: string }): Promise<AgentSession>;
  /**
   * A session of the lines of an export, as `store.sessions.import` makes one, in the folder of new sessions. Calls that its last answer left without a
   * result are not run: the file may be from somebody else.
   *
   * @throws {ContextError} `unreadable-file` with the line; `already-exists` when the id is taken; `quota-exceeded`
   * where the owner has as many sessions as they may.
   */
  import(
    lines: AsyncIterable<string> | Iterable<string>,
    options?: Pick<NewSession, 'id' | 'owner' | 'folder'>,
  ): Promise<AgentSession>;
  /**
   * Told every event of every session of this agent once it is stored, whoever opened the session and however often. A
   * listener that throws is not called again.
   */
  subscribe(
    listener: (sessionId: string, event: AgentEvent) => void,
    options?: {
      /** `here`: of what this process stores alone. @default 'everywhere', as far as the store is watched */
      readonly from?: 'here' | 'everywhere';
    },
  ): Disposable;
  /**
   * Sends a message to the session of this id, which is made where there is none; without an id to a new one. The same
   * ids a second time, also after a restart, send nothing again and get the same answer: see `AgentSession.send`.
   *
   * @throws {ContextError} as `create` and `AgentSession.send`; `not-found` for a session of another owner.
   */
  send(
    content: UserContent,
    options?: { readonly id?: string; readonly session?: NewSession },
  ): Promise<Sent & { readonly sessionId: string }>;
  /** Ends what is busy and deletes the session; `false` when there was none, or only one of another owner. */
  delete(sessionId: string, options?: { readonly owner?: string }): Promise<boolean>;
  /**
   * Goes on with what processes that died have left; those sessions. Waits for leases that are still good, at most as
   * long as one lives.
   */
  recover(): Promise<readonly AgentSession[]>;
  /**
   * Works with the other processes on the store as one, until it is disposed of or the agent stops: goes on with
   * sessions whose process dies or stops, tells events of all processes, and lets others cancel and answer what runs
   * here. Messages that are held after a cancel or an error stay held.
   */
  watch(options?: WatchOptions): AsyncDisposable;
  /** Sessions that are busy in this process: with a run, or a compaction by hand. */
  readonly busyCount: number;
  /**
   * Begins nothing any more and lets runs come to the end of their steps. A run that has more to do is left there as
   * it is stored, and after `graceMs` whatever is still busy is cut off: the next `recover` goes on with it, in this
   * or another process. Messages that come meanwhile wait. Resolves when nothing is busy, to the sessions whose runs
   * were left.
   */
  stop(options?: { readonly graceMs?: number }): Promise<readonly string[]>;
}

/**
 * An agent over a store: sessions that go on for as long as they must, whatever the model's window. Everything that
 * happens is stored before it is told, so that a process that dies loses at most 100 ms of streamed text. It begins
 * nothing by itself: `recover` and `watch` go on with what other processes have left.
 *
 * @throws {ContextError} `invalid-option` that names the option: for a misspelt one too, a tool that is none, and
 * `quotaOf` over a store that counts no use.
 */
export function createAgent(options: AgentOptions): Agent {
  checkAgentOptions(options);
  const setup = setupOf(options);
  const sessions = new Map<string, LiveSession>();
  const { store, folder = '' } = options;
  const hubs = new AgentHubs(store);
  const forget = (id: string): void => {
    sessions.delete(id);
    hubs.forget(id);
  };
  const sessionOf = (id: string): LiveSession => {
    const known = sessions.get(id);
    if (known) return known;
    const session = new LiveSession(setup, id, { open: sessionOf, forget, hubOf: (one) => hubs.of(one) });
    sessions.set(id, session);
    return session;
  };
  const watches = new Watches(setup, { hubs, sessions, sessionOf });
  const deletions: Deletions = new Map();
  const openStored: OpenStored = async (id, isThere) => {
    await deletions.get(id);
    if (!(await isThere())) return undefined;
    // Its deletion may have begun meanwhile.
    return deletions.has(id) ? await openStored(id, isThere) : sessionOf(id);
  };
  const settings = liveSettings(setup, () => {
    for (const session of sessions.values()) session.applySettings();
  });
  return {
    store,
    settings,
    facts: factsOf(options),
    ...takeSessions(setup, { open: sessionOf, openStored }),
    delete: (sessionId, { owner } = {}) => deleteSession({ store, sessions, deletions }, sessionId, owner),
    async open(sessionId, { owner } = {}) {
      const session = await openStored(sessionId, () => isOwned(store, sessionId, owner));
      if (!session) throw noSession(sessionId);
      return session;
    },
    async import(lines, asked) {
      await setup.quotas?.admitSession(asked?.owner ?? '');
      const { id } = await store.sessions.import(lines, { folder, ...asked });
      return await settled(sessionOf(id));
    },
    subscribe: (listener, from) => hubs.subscribe(listener, from),
    recover: () => recoverSessions(setup, sessionOf),
    watch: (watched = {}) => watches.begin(watched),
    get busyCount() {
      return [...sessions.values()].filter(({ isRunning }) => isRunning).length;
    },
    async stop({ graceMs = 0 } = {}) {
      const left = await stopSessions(setup, sessions, graceMs);
      await watches[Symbol.asyncDispose]();
      return left;
    },
    async [Symbol.asyncDispose]() {
      await watches[Symbol.asyncDispose]();
      await Promise.all([...sessions.values()].map((session) => session[Symbol.asyncDispose]()));
    },
  };
}

function setupOf(options: AgentOptions): AgentSetup {
  const usual = { clock: systemClock, timer: systemTimer, ids: randomIds, ...options };
  const { quotaOf } = usual;
  return {
    ...usual,
    stop: new AgentStop(),
    kept: new KeptContexts(usualKept()),
    ...(quotaOf && { quotas: new Quotas({ ...usual, quotaOf }) }),
  };
}

/** Each field by its name: what is added to the options later is told to nobody before somebody decides it. */
function factsOf({ driver, tools = [], approvals, limits = {} }: AgentOptions): AgentFacts {
  const { maxSteps, maxDurationMs, graceMs } = { ...usualLimits, ...limits };
  return {
    model: driver.name,
    tools: tools.map((tool) => ({ name: tool.name, approval: ruleOf(approvals?.rules, tool) })),
    limits: { maxSteps, maxDurationMs: maxDurationMs ?? null, graceMs },
  };
}

async function stopSessions(
  { stop, timer }: AgentSetup,
  sessions: ReadonlyMap<string, LiveSession>,
  graceMs: number,
): Promise<readonly string[]> {
  const settled = (): Promise<unknown> =>
    Promise.all([...sessions.values()].map((session) => session.settled()));
  stop.ask();
  const isDone = new AbortController();
  if (graceMs > 0) await Promise.race([settled(), timer.wait(graceMs, isDone.signal)]);
  isDone.abort();
  stop.insist();
  await settled();
  return [...stop.left];
}

/** Sessions that are being deleted: nobody opens one meanwhile, or begins something in it. Never rejects. */
type Deletions = Map<string, Promise<unknown>>;

interface DeleteFrom {
  readonly store: SessionStore;
  readonly sessions: ReadonlyMap<string, LiveSession>;
  readonly deletions: Deletions;
}

async function deleteSession(
  from: DeleteFrom,
  sessionId: string,
  owner: string | undefined,
): Promise<boolean> {
  const { store, deletions } = from;
  if (!(await isOwned(store, sessionId, owner))) return false;
  const earlier = deletions.get(sessionId);
  if (earlier) {
    await earlier;
    return await deleteSession(from, sessionId, owner);
  }
  const deleting = endAndDelete(from, sessionId);
  const over = deleting.catch(() => false).finally(() => deletions.delete(sessionId));
  deletions.set(sessionId, over);
  return await deleting;
}

async function endAndDelete({ store, sessions }: DeleteFrom, sessionId: string): Promise<boolean> {
  const session = sessions.get(sessionId);
  await session?.[Symbol.asyncDispose]();
  const isDeleted = await store.sessions.delete(sessionId);
  session?.tellDeleted();
  return isDeleted;
}

async function isOwned(store: SessionStore, sessionId: string, owner: string | undefined): Promise<boolean> {
  try {
    const info = await store.sessions.read(sessionId);
    return owner === undefined || info.owner === owner;
  } catch (error) {
    if (ContextError.is(error, 'not-found')) return false;
    throw error;
  }
}

/** Whether there is a session of this id. @throws {ContextError} `not-found` for another owner's */
async function isKnown(store: SessionStore, id: string, owner: string): Promise<boolean> {
  if (!(await isOwned(store, id, undefined))) return false;
  if (await isOwned(store, id, owner)) return true;
  throw noSession(id);
}

function noSession(id: string): ContextError<'not-found'> {
  return new ContextError('not-found', `There is no session ${id}.`, { kind: 'session', id, known: [] });
}

/** Opens a session where it is there when it is looked for, and is not being deleted. */
type OpenStored = (id: string, isThere: () => Promise<boolean>) => Promise<LiveSession | undefined>;

interface Opening {
  /** One that was made just now. */
  readonly open: (id: string) => LiveSession;
  readonly openStored: OpenStored;
}

/** How sessions are made, and those that there are are found. */
function takeSessions(
  { store, driver, quotas, folder = '' }: AgentSetup,
  { open, openStored }: Opening,
): Pick<Agent, 'create' | 'openOrCreate' | 'send'> {
  const create = async (session: NewSession = {}): Promise<AgentSession> => {
    checkNewSession(session);
    await quotas?.admitSession(session.owner ?? '');
    const { id } = await store.sessions.create({ model: driver.name, folder, ...session });
    return open(id);
  };
  const openKnown = async ({ id, owner = '' }: NewSession): Promise<AgentSession | undefined> =>
    id === undefined ? undefined : await openStored(id, () => isKnown(store, id, owner));
  /** Also where somebody else makes it at the same moment. */
  const take = async (
    asked: NewSession,
  ): Promise<{ readonly session: AgentSession; readonly isNew: boolean }> => {
    const known = await openKnown(asked);
    if (known) return { session: known, isNew: false };
    try {
      return { session: await create(asked), isNew: true };
    } catch (error) {
      if (!ContextError.is(error, 'already-exists')) throw error;
      const made = await openKnown(asked);
      if (!made) throw error;
      return { session: made, isNew: false };
    }
  };
  return {
    create,
    openOrCreate: async (asked) => (await take(asked)).session,
    async send(content, { id, session: asked = {} } = {}) {
      const { session, isNew } = await take(asked);
      try {
        const sent = await session.send(content, id === undefined ? {} : { id });
        return { ...sent, sessionId: session.id };
      } catch (error) {
        // What cannot be sent leaves no session behind.
        if (isNew) await deleteEmpty(store, session);
        throw error;
      }
    },
  };
}

async function settled(session: LiveSession): Promise<AgentSession> {
  await session.settleImported();
  return session;
}

async function deleteEmpty(store: SessionStore, session: AgentSession): Promise<void> {
  const [{ messageCount }, waiting] = await Promise.all([session.info(), session.queue.pendingCount()]);
  if (messageCount > 0 || waiting > 0) return;
  await session[Symbol.asyncDispose]();
  await store.sessions.delete(session.id);
}

/**
 * Goes on with what processes that died have left: runs that did not end, and messages that were to start the next run.
 * A lease that is still good is waited for: who holds it may be alive, and then goes on by itself. What is held after a
 * cancel or an error stays held.
 */
async function recoverSessions(
  setup: AgentSetup,
  sessionOf: (id: string) => LiveSession,
): Promise<readonly AgentSession[]> {
  const left = await setup.store.journal.unfinished();
  const recovered = await Promise.all(left.map((one) => recover(setup, one, sessionOf)));
  return recovered.filter((session) => session !== undefined);
}

async function recover(
  { store, clock, timer, stop }: AgentSetup,
  { sessionId, leasedUntilMs }: UnfinishedSession,
  sessionOf: (id: string) => LiveSession,
): Promise<AgentSession | undefined> {
  const session = sessionOf(sessionId);
  if (session.isRunning) return undefined;
  if (leasedUntilMs !== null) await timer.wait(Math.max(1, leasedUntilMs - clock.nowMs() + 1), stop.wanted);
  if (await waitsForUser(store, sessionId)) return undefined;
  return (await session.goOn()) && session;
}
