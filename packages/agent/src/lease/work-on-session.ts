import { readFile, rm } from 'node:fs/promises';
import { ContextError } from '@throughline/core';
import { newEvent } from '../events/new-event.ts';
import { BatchWriter } from '../stream/batch-writer.ts';
import { holdLease } from './hold-lease.ts';
import type { Json } from '@throughline/core/codec';
import type { Lease, SessionStore, StoredEvent } from '@throughline/ports';
import type { HeldLease } from './hold-lease.ts';
import type { SessionApprovals } from '../approvals/approvals.ts';
import type { AgentSetup } from '../options/agent-options.ts';
import type { SessionAccess, Todo, WholeOutput } from '../tools/tool.ts';
import type { RunContext } from '../turn/run-context.ts';
import type { SessionContext } from '../view/session-context.ts';

export interface HeldSession {
  readonly options: AgentSetup;
  readonly sessionId: string;
  readonly approvals: SessionApprovals;
  readonly publish: (events: readonly StoredEvent[]) => void;
  /** The context as the store has it under this lease. */
  readonly contextFor: (lease: Lease) => Promise<SessionContext>;
  /** The run of now may write; told `undefined` when it is over. */
  readonly onWriter: (writer: BatchWriter | undefined) => void;
  /** What asks the store for the lease of now; told `undefined` when it is over. */
  readonly onLease: (lease: HeldLease | undefined) => void;
}

interface WorkOptions {
  readonly runId: string;
  /** Aborted when the user cancels. */
  readonly cancel: AbortSignal;
  /** The user cancels in another process. */
  readonly onCancel: () => void;
}

const defaultTtlMs = 5_000;

/** What work on a session came to: `busy` while another process has it. */
type Worked<Result> =
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'busy' }
  /** Another process has taken the session over, or the store cannot be used: what was not stored is gone. */
  | { readonly type: 'stopped'; readonly error: unknown };

/**
 * Does something with a session that others must not do at the same time: under its lease, with a writer, and with a
 * signal that is aborted when the user cancels or nothing can be stored any more.
 */
export async function workOn<Result>(
  session: HeldSession,
  { runId, cancel, onCancel }: WorkOptions,
  work: (runContext: RunContext) => Promise<Result>,
): Promise<Worked<Result>> {
  const { options, sessionId, publish, onWriter, onLease } = session;
  const stop = new AbortController();
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    stop.abort();
  };
  const { store, timer, owner = 'agent', leaseTtlMs: ttlMs = defaultTtlMs } = options;
  const onLost = (): void => fail(leaseLost(sessionId));
  try {
    await using lease = await holdLease({ store, timer, sessionId, owner, ttlMs, onLost, onCancel });
    if (!lease) return { type: 'busy' };
    onLease(lease);
    const writer = new BatchWriter({ store, timer, publish, lease: () => lease.current, onFailure: fail });
    onWriter(writer);
    const leave = async (): Promise<void> => {
      options.stop.left.add(sessionId);
      await writer.close(sessionLeft(sessionId));
    };
    const fence = (): Promise<void> => requireOurs(session, { lease, writer });
    using _ = whenAborted(options.stop.overdue, leave);
    const context = await session.contextFor(lease.current);
    const account = await options.quotas?.accountOf(sessionId);
    const signal = AbortSignal.any([cancel, stop.signal]);
    const result = await work(
      runContextOf(session, { writer, context, account, runId, signal, leave, fence }),
    );
    await writer.commit();
    return failure ? { type: 'stopped', error: failure.error } : { type: 'done', result };
  } catch (error) {
    return { type: 'stopped', error: failure ? failure.error : error };
  } finally {
    onWriter(undefined);
    onLease(undefined);
  }
}

/** Where the session is another's, or nobody can tell whose, nothing more is stored: that ends the work. */
async function requireOurs(
  { sessionId }: HeldSession,
  { lease, writer }: { readonly lease: HeldLease; readonly writer: BatchWriter },
): Promise<void> {
  const isOurs = await lease.look().catch(() => false);
  if (isOurs) return;
  const lost = leaseLost(sessionId);
  await writer.close(lost);
  throw lost;
}

function runContextOf(
  { options, sessionId, approvals }: HeldSession,
  begun: Pick<RunContext, 'writer' | 'context' | 'account' | 'runId' | 'signal' | 'leave' | 'fence'>,
): RunContext {
  const { writer, context, runId } = begun;
  const offered = new Set(context.setup.prompt.tools.map(({ name }) => name));
  return {
    ...begun,
    options,
    sessionId,
    approvals,
    access: openSessionAccess({ store: options.store, sessionId }, writer),
    tools: (options.tools ?? []).filter(({ name }) => offered.has(name)),
    emit: (type, data) => writer.add({ type: 'event', event: newEvent(type, data, { runId }) }),
  };
}

function leaseLost(sessionId: string): ContextError<'lease-lost'> {
  return new ContextError('lease-lost', `Another run has taken over the session ${sessionId}.`, {
    sessionId,
    epoch: 0,
    currentEpoch: null,
  });
}

/** The run is open in the store: whoever goes on with it begins behind what was stored. */
function sessionLeft(sessionId: string): ContextError<'lease-lost'> {
  return new ContextError('lease-lost', `The session ${sessionId} is left here: this process stops.`, {
    sessionId,
    epoch: 0,
    currentEpoch: null,
  });
}

function whenAborted(signal: AbortSignal, act: () => Promise<void>): Disposable {
  const listen = (): void => void act();
  if (signal.aborted) listen();
  else signal.addEventListener('abort', listen, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', listen) };
}

const todosName = 'todos';
const statuses: ReadonlySet<unknown> = new Set(['pending', 'in_progress', 'completed']);

/** What the tools of one run may use of its session. */
function openSessionAccess(
  { store, sessionId }: { readonly store: SessionStore; readonly sessionId: string },
  writer: BatchWriter,
): SessionAccess {
  return {
    todos: {
      load: async () => readTodos(await store.value(sessionId, todosName)),
      save: async (todos) => {
        const value = todos.map(({ content, status }) => ({ content, status }));
        await writer.commit({ type: 'value', name: todosName, value });
      },
    },
    recall: {
      get: (id) => store.history.recall(sessionId, id),
      search: (query, limit) => store.history.search(sessionId, query, limit),
    },
    outputs: {
      keep: async (callId, output) =>
        await store.attachments.keepOutput(sessionId, callId, await textOf(output)),
    },
  };
}

async function textOf(output: WholeOutput): Promise<string> {
  if (output.type === 'text') return output.text;
  const text = await readFile(output.path, 'utf8');
  await rm(output.path, { force: true });
  return text;
}

function readTodos(value: Json): readonly Todo[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isTodo);
}

function isTodo(value: unknown): value is Todo {
  const { content, status } = (value ?? {}) as Partial<Todo>;
  return typeof content === 'string' && statuses.has(status);
}
