import { workOn } from '../lease/work-on-session.ts';
import { contextSetupOf } from '../view/context-setup.ts';
import { SessionContext } from '../view/session-context.ts';
import { runSession } from './run-session.ts';
import type { Strategy } from '@throughline/core';
import type { Lease, StoredEvent } from '@throughline/ports';
import type { RunOutcome } from '@throughline/protocol/types';
import type { SessionApprovals } from '../approvals/approvals.ts';
import type { HeldLease } from '../lease/hold-lease.ts';
import type { HeldSession } from '../lease/work-on-session.ts';
import type { AgentSetup } from '../options/agent-options.ts';
import type { BatchWriter } from '../stream/batch-writer.ts';
import type { ContextSetup } from '../view/context-setup.ts';

interface SessionWorkOptions {
  readonly agent: AgentSetup;
  readonly sessionId: string;
  /** Asked only while something is busy. */
  readonly approvals: () => SessionApprovals;
  readonly publish: (events: readonly StoredEvent[]) => void;
  /** A run has ended; it is not waited for. */
  readonly onEnded: (outcome: RunOutcome) => void;
}

interface StartRun {
  readonly isResumed: boolean;
  /** Id of the run that goes on. @default a new one */
  readonly runId?: string;
  /** The message that it begins with, without the others that wait. @default all that wait */
  readonly first?: string;
}

interface AloneOptions {
  /** In place of the agent's, for this once. */
  readonly strategy?: Strategy | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Active {
  readonly runId: string;
  readonly cancel: AbortController;
  /** Its end is being told: it takes nothing up any more, and has the session for a moment yet. */
  isOver: boolean;
  /** Resolves when the session is free again. */
  readonly freed: PromiseWithResolvers<void>;
}

/** What is done while the session is had alone. */
type Work<Result> = Parameters<typeof workOn<Result>>[2];

/**
 * What one session is busy with in this process: a run, or something that no run may do at the same time; never two.
 * It keeps the context in memory from one to the next, as long as no other process has had the session in between, and
 * not too many others were used since.
 */
export class SessionWork {
  setup: ContextSetup;
  readonly #options: SessionWorkOptions;
  #writer: BatchWriter | undefined;
  #lease: HeldLease | undefined;
  #context: { readonly context: SessionContext; readonly epoch: number } | undefined;
  #active: Active | undefined;
  /** Resolves when what was begun last is over and it is known whether something follows. */
  #done: Promise<unknown> = Promise.resolve();
  #lastOutcome: RunOutcome | null = null;
  #isClosed = false;

  constructor(options: SessionWorkOptions) {
    this.#options = options;
    this.setup = contextSetupOf(options.agent, options.agent.driver);
  }

  get isBusy(): boolean {
    return this.#active !== undefined;
  }

  /** How large the context in memory is. */
  get size(): number {
    return this.#context?.context.size ?? 0;
  }

  /** Something is busy whose end was not told yet. */
  get isRunning(): boolean {
    return this.#active?.isOver === false;
  }

  /** What the run of now writes with; `undefined` while nothing is busy. */
  get writer(): BatchWriter | undefined {
    return this.#writer;
  }

  get #isEnding(): boolean {
    return this.#isClosed || this.#options.agent.stop.wanted.aborted;
  }

  /** Begins a run; resolves when it has the session, or to `undefined` where it could not begin. */
  start(options: StartRun): Promise<string | undefined> {
    // Whoever was told of the end of a run finds the session free.
    if (this.#active?.isOver === true) return this.#active.freed.promise.then(() => this.start(options));
    if (this.#active || this.#isEnding) return Promise.resolve(undefined);
    const { isResumed, runId = this.#newRunId(), first } = options;
    const begun = Promise.withResolvers<string | undefined>();
    const active = this.#occupy(runId);
    const run = runSession(this.#held(), {
      runId,
      isResumed,
      cancel: active.cancel.signal,
      onCancel: () => active.cancel.abort(),
      onBegun: () => begun.resolve(runId),
      onOver: () => (active.isOver = true),
      first,
    });
    this.#done = run.then(async (outcome) => {
      await this.#afterRun(outcome);
      begun.resolve(undefined);
    });
    return begun.promise;
  }

  /** Does something that no run may do at the same time; `undefined` while one is busy. */
  async alone<Result>(
    work: Work<Result>,
    { strategy, signal }: AloneOptions = {},
  ): Promise<Result | undefined> {
    if (this.#active?.isOver === true) await this.#active.freed.promise;
    const held = await this.#waitingIds();
    if (this.#active || this.#isEnding) return undefined;
    const { runId, cancel } = this.#occupy(this.#newRunId());
    const onCancel = (): void => cancel.abort();
    const either = signal ? AbortSignal.any([cancel.signal, signal]) : cancel.signal;
    const working = workOn(this.#held(strategy), { runId, cancel: either, onCancel }, work).then(
      async (worked) => {
        if (strategy || worked.type === 'stopped') this.forget();
        this.#free();
        if (worked.type === 'done') await this.#takeUp(held);
        return worked;
      },
    );
    this.#done = working;
    const worked = await working;
    if (worked.type === 'stopped') throw worked.error;
    return worked.type === 'done' ? worked.result : undefined;
  }

  /** Something was stored by another process: it may ask to cancel what is busy. */
  async lookAtLease(): Promise<void> {
    // A store that fails says so where something is stored.
    await this.#lease?.look().catch(() => false);
  }

  /** Ends what is busy here; resolves when it has ended. */
  async cancel(): Promise<void> {
    if (!this.#active) return;
    this.#active.cancel.abort();
    await this.#done;
  }

  /** Resolves when nothing is busy, to how the last run ended. */
  async settled(): Promise<RunOutcome | null> {
    for (let done: unknown; done !== this.#done;) {
      done = this.#done;
      await done;
    }
    return this.#lastOutcome;
  }

  /** The context that makes the next request, while something is busy. */
  get context(): SessionContext | undefined {
    return this.#active ? this.#context?.context : undefined;
  }

  /** For looking only: what is in memory while something is busy, else as the store has it. */
  async read(): Promise<SessionContext> {
    if (this.#active && this.#context) return this.#context.context;
    return await this.load(this.setup);
  }

  /** The context as the store has it, apart from the one in memory. */
  load(setup: ContextSetup): Promise<SessionContext> {
    const { agent, sessionId } = this.#options;
    return SessionContext.load({ store: agent.store, sessionId, quotas: agent.quotas }, setup);
  }

  setupWith(strategy: Strategy | undefined): ContextSetup {
    return strategy ? contextSetupOf(this.#options.agent, this.setup.driver, { strategy }) : this.setup;
  }

  /** The settings of the agent are others now: they hold from the next step on. */
  applySettings(): void {
    this.setup = contextSetupOf(this.#options.agent, this.setup.driver);
    if (this.context) this.context.adopt(this.setup);
    else this.forget();
  }

  /** What is in memory is of no use any more. */
  forget(): void {
    this.#context?.context[Symbol.dispose]();
    this.#context = undefined;
  }

  /** Ends what is busy, and begins nothing any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.cancel();
    await this.settled();
    this.#options.agent.kept.drop(this);
    this.forget();
  }

  #occupy(runId: string): Active {
    const freed = Promise.withResolvers<void>();
    return (this.#active = { runId, cancel: new AbortController(), isOver: false, freed });
  }

  #free(): void {
    this.#active?.freed.resolve();
    this.#active = undefined;
    // It has grown.
    if (this.#context && !this.#isClosed) this.#options.agent.kept.use(this);
  }

  /** What was sent while the run came to its natural end begins the next one; else it is held. */
  async #afterRun(outcome: RunOutcome | undefined): Promise<void> {
    if (outcome?.type === 'lost' || outcome?.type === 'broken') this.forget();
    if (outcome) this.#lastOutcome = outcome;
    // From here on whoever sends something begins a run: what was sent before is found below.
    this.#free();
    if (outcome) this.#options.onEnded(outcome);
    if (outcome?.type !== 'completed') return;
    await this.#takeUp(new Set());
  }

  /** Begins a run where something waits that is not held: it was sent while nobody could begin one. */
  async #takeUp(held: ReadonlySet<string>): Promise<void> {
    const waiting = await this.#waitingIds().catch(() => []);
    // Not waited for: what came before it is over.
    if ([...waiting].some((id) => !held.has(id))) void this.start({ isResumed: false });
  }

  async #waitingIds(): Promise<ReadonlySet<string>> {
    const { agent, sessionId } = this.#options;
    return new Set((await agent.store.inbox.waiting(sessionId)).map(({ id }) => id));
  }

  #newRunId(): string {
    return this.#options.agent.ids.nextId('run');
  }

  #held(strategy?: Strategy): HeldSession {
    const { agent, sessionId, approvals, publish } = this.#options;
    return {
      options: agent,
      sessionId,
      publish,
      approvals: approvals(),
      onWriter: (writer) => {
        this.#writer = writer;
      },
      onLease: (lease) => {
        this.#lease = lease;
      },
      contextFor: (lease) => this.#contextFor(lease, strategy),
    };
  }

  /** What is in memory is good as long as nobody else had the session in between. */
  async #contextFor({ epoch }: Lease, strategy: Strategy | undefined): Promise<SessionContext> {
    this.#options.agent.kept.use(this);
    if (!strategy && this.#context?.epoch === epoch - 1) {
      this.#context = { ...this.#context, epoch };
      return this.#context.context;
    }
    this.forget();
    const context = await this.load(this.setupWith(strategy));
    this.#context = { context, epoch };
    this.#options.agent.kept.use(this);
    return context;
  }
}
