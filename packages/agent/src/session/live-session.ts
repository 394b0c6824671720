import { newEvent } from '../events/new-event.ts';
import { acceptOnce, createQueue } from '../queue/create-queue.ts';
import { readBlob } from '../media/session-media.ts';
import { contextSetupOf } from '../view/context-setup.ts';
import { liveApprovals } from './session-approvals.ts';
import { cameInFile, leftBehind, settleTakenOver } from '../turn/settle-unanswered.ts';
import { forkBefore, forkThrough } from './fork-session.ts';
import { compactSession, previewCompaction, redoCompaction, undoCompaction } from './session-compaction.ts';
import { checkCheckpoint, checkpointTree, compareViews, sessionSetup, whatIf } from './session-views.ts';
import { SessionPins } from './session-pins.ts';
import { readTrace, rebuildRequest } from './session-steps.ts';
import { SessionNamer } from './name-session.ts';
import { SessionWork } from './session-work.ts';
import { switchSession } from './switch-session.ts';
import type { Strategy } from '@throughline/core';
import type {
  HistoryQuery,
  ModelDriver,
  Page,
  RecalledText,
  SearchHit,
  SessionInfo,
  StoredCheckpoint,
  StoredEvent,
  StoredMessage,
} from '@throughline/ports';
import type {
  AgentEvent,
  ApprovalAnswer,
  ApprovalRequest,
  RunOutcome,
  UserContent,
} from '@throughline/protocol/types';
import type { TracePage, TraceQuery } from '../trace/trace-of.ts';
import type { EventHub } from './event-hub.ts';
import type { KeptSession } from './find-message.ts';
import type { AgentSetup } from '../options/agent-options.ts';
import type { MessageQueue } from '../queue/create-queue.ts';
import type {
  AgentSession,
  Branch,
  BranchOptions,
  CompactOptions,
  ComparedViews,
  ForkOptions,
  PinOutcome,
  Sent,
  SessionBlob,
  SessionQueue,
  SwitchOutcome,
} from './agent-session.ts';

/** The sessions of this process: one object for each. */
interface LiveSessions {
  open(sessionId: string): LiveSession;
  /** Where its events are told. */
  hubOf(sessionId: string): EventHub;
  forget(sessionId: string): void;
}

/** One conversation in this process. */
export class LiveSession implements AgentSession {
  readonly id: string;
  readonly queue: SessionQueue;
  readonly approvals: AgentSession['approvals'];
  /** It was deleted: who waits for its events is told. */
  readonly tellDeleted = (): void => this.#hub.wake();
  readonly #options: AgentSetup;
  readonly #hub: EventHub;
  readonly #messages: MessageQueue;
  readonly #work: SessionWork;
  readonly #sessions: LiveSessions;
  readonly #pins: SessionPins;
  readonly #closing = new AbortController();
  readonly #observing: Disposable | undefined;
  readonly #namer: SessionNamer;
  /** Aborted with the next news of another process. */
  #news = new AbortController();

  constructor(options: AgentSetup, id: string, sessions: LiveSessions) {
    this.id = id;
    this.#options = options;
    this.#sessions = sessions;
    const { store, telemetry } = options;
    this.#hub = sessions.hubOf(id);
    this.#observing = telemetry && this.#hub.subscribeToOwn((event) => telemetry.observe(id, event));
    const publish = (events: readonly StoredEvent[]): void => this.#hub.publish(events);
    const isBusy = (isLeased: boolean): boolean => isLeased || this.isRunning;
    this.#messages = createQueue({ store, sessionId: id, publish, isBusy });
    this.queue = { ...this.#messages, sendNow: (message) => this.#sendNow(message) };
    const approvals = liveApprovals(options, {
      sessionId: id,
      publish,
      writer: () => this.#work.writer,
      news: () => this.#news.signal,
    });
    this.#work = new SessionWork({
      agent: options,
      sessionId: id,
      publish,
      approvals: () => approvals,
      onEnded: (outcome) => this.#namer.onEnded(outcome),
    });
    this.#namer = new SessionNamer(this.#from, {
      titles: options.titles ?? false,
      writer: () => this.#work.setup.summariser,
      hub: this.#hub,
      signal: this.#closing.signal,
    });
    this.#pins = new SessionPins(this.#from, this.#work);
    this.approvals = {
      pending: (): Promise<readonly ApprovalRequest[]> => approvals.pending(),
      answer: (request: string, answer: ApprovalAnswer) => approvals.answer(request, answer),
    };
  }

  get model(): ModelDriver {
    return this.#work.setup.driver;
  }

  get isRunning(): boolean {
    return this.#work.isRunning;
  }

  async info(): Promise<SessionInfo> {
    return await this.#options.store.sessions.read(this.id);
  }

  async rename(title: string): Promise<void> {
    const events = [newEvent('session:updated', { title })];
    this.#hub.publish(await this.#options.store.sessions.rename(this.id, title, events));
  }

  async send(content: UserContent, { id }: { readonly id?: string } = {}): Promise<Sent> {
    await this.#options.quotas?.admitMessage(this.id, id);
    const item = await acceptOnce(this.#from, this.#messages, { content, id });
    if (item.position === 0) return { isQueued: false, id: item.id, runId: await this.#runOf(item.id) };
    const runId = await this.#work.start({ isResumed: false });
    if (runId !== undefined) return { isQueued: false, id: item.id, runId };
    return { isQueued: true, id: item.id, position: item.position };
  }

  async #sendNow(id: string): Promise<Sent | undefined> {
    await this.#options.quotas?.admitRun(this.id);
    if (!(await this.#messages.move(id, 1))) return undefined;
    await this.#work.cancel();
    const runId = await this.#work.start({ isResumed: false, first: id });
    if (runId !== undefined) return { isQueued: false, id, runId };
    const item = (await this.#messages.list()).find((waiting) => waiting.id === id);
    if (item) return { isQueued: true, id, position: item.position };
    // Whoever was quicker has taken it along.
    return { isQueued: false, id, runId: await this.#runOf(id) };
  }

  /** The run that took a message; of what was taken by an earlier version nobody knows. */
  async #runOf(id: string): Promise<string> {
    return (await this.#options.store.inbox.item(this.id, id))?.runId ?? '';
  }

  async resume(): Promise<{ readonly runId: string } | undefined> {
    if (!this.isRunning) await this.#options.quotas?.admitRun(this.id);
    return await this.goOn();
  }

  /** Asks no quota: the run was let in when it began. */
  async goOn(): Promise<{ readonly runId: string } | undefined> {
    if (this.isRunning) return undefined;
    const [[last], waiting] = await Promise.all([
      this.#options.store.journal.runs(this.id, { limit: 1 }),
      this.#messages.list(),
    ]);
    const outcome = last?.outcome as RunOutcome | null | undefined;
    const isLeft = last !== undefined && outcome?.type !== 'completed';
    if (waiting.length === 0 && !isLeft) return undefined;
    const isDead = last !== undefined && last.endedAtMs === null;
    const runId = await this.#work.start({ isResumed: isLeft, ...(isDead ? { runId: last.id } : {}) });
    return runId === undefined ? undefined : { runId };
  }

  async cancel(): Promise<void> {
    if (this.#work.isBusy) return await this.#work.cancel();
    // Whoever runs it learns of it, and tells its end.
    await this.#options.store.leases.cancel(this.id);
  }

  /** Another process has stored something in this session, or may have. */
  onNews(): void {
    this.#news.abort();
    this.#news = new AbortController();
    void this.#work.lookAtLease();
  }

  settled(): Promise<RunOutcome | null> {
    return this.#work.settled();
  }

  subscribe(listener: (event: AgentEvent) => void): Disposable {
    return this.#hub.subscribe(listener);
  }

  events(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<AgentEvent> {
    return this.#hub.events(options);
  }

  async context(): ReturnType<AgentSession['context']> {
    return (await this.#work.read()).usage();
  }

  async contextItems(limit: number): ReturnType<AgentSession['contextItems']> {
    return (await this.#work.read()).items(limit);
  }

  async request(): Promise<{ readonly system: string; readonly messages: readonly unknown[] }> {
    const context = await this.#work.read();
    const messages = context.shown().messages.map(({ message }) => message);
    return { system: context.setup.prompt.system, messages };
  }

  stepRequest(seq: number): ReturnType<AgentSession['stepRequest']> {
    return rebuildRequest(this.#from, { options: this.#options, setup: this.#work.setup }, seq);
  }

  trace(query: TraceQuery = {}): Promise<TracePage> {
    return readTrace(this.#from, query);
  }

  async compact(options: CompactOptions = {}): ReturnType<AgentSession['compact']> {
    const outcome = await this.#work.alone((runContext) => compactSession(runContext, options), options);
    return outcome ?? { type: 'busy' };
  }

  async preview(options: CompactOptions = {}): ReturnType<AgentSession['preview']> {
    using context = await this.#work.load(this.#work.setupWith(options.strategy));
    if (context.setup.summariser) await this.#options.quotas?.admitWork(this.id);
    return await previewCompaction(context, options);
  }

  async undo(): ReturnType<AgentSession['undo']> {
    return (await this.#work.alone(undoCompaction)) ?? { type: 'busy' };
  }

  async redo(checkpointId?: string): ReturnType<AgentSession['redo']> {
    if (checkpointId !== undefined) await checkCheckpoint(this.#from, checkpointId);
    return (
      (await this.#work.alone((runContext) => redoCompaction(runContext, checkpointId))) ?? { type: 'busy' }
    );
  }

  checkpointTree(): ReturnType<AgentSession['checkpointTree']> {
    return checkpointTree(this.#from, this.#work.setup);
  }

  setup(): ReturnType<AgentSession['setup']> {
    return sessionSetup(this.#from, this.#work.setup);
  }

  whatIf(strategies: readonly Strategy[]): ReturnType<AgentSession['whatIf']> {
    return whatIf(this.#from, { options: this.#options, driver: this.model }, strategies);
  }

  async fork(options: ForkOptions = {}): Promise<AgentSession> {
    await this.#options.quotas?.admitCopy(this.id);
    return await this.#opened(await forkThrough(this.#from, options));
  }

  async branch(
    message: string | number,
    content: UserContent,
    { id, ...options }: BranchOptions = {},
  ): Promise<Branch> {
    await this.#options.quotas?.admitCopy(this.id);
    const session = await this.#opened(await forkBefore(this.#from, { message, content }, options));
    try {
      return { session, sent: await session.send(content, id === undefined ? {} : { id }) };
    } catch (error) {
      // What cannot be sent leaves no session behind.
      await session[Symbol.asyncDispose]();
      await this.#options.store.sessions.delete(session.id);
      throw error;
    }
  }

  async #opened({ id }: SessionInfo): Promise<LiveSession> {
    const session = this.#sessions.open(id);
    await session.#work.alone((run) => settleTakenOver(run, leftBehind));
    return session;
  }

  /** What a file brought in the middle of its work ends there. */
  async settleImported(): Promise<void> {
    await this.#work.alone((run) => settleTakenOver(run, cameInFile));
  }

  applySettings(): void {
    this.#work.applySettings();
  }

  get #from(): KeptSession {
    return { store: this.#options.store, sessionId: this.id };
  }

  checkpoints(): Promise<readonly StoredCheckpoint[]> {
    return this.#options.store.history.checkpoints(this.id);
  }

  compare(views: ComparedViews = {}): ReturnType<AgentSession['compare']> {
    return compareViews(this.#from, this.#work.setup, views);
  }

  async switchModel(driver: ModelDriver): Promise<SwitchOutcome> {
    const next = contextSetupOf(this.#options, driver);
    const outcome = await this.#work.alone(async (runContext) => {
      const switched = await switchSession(runContext, next);
      if (switched.type !== 'switched') return switched;
      // Before anything else can begin: the next run is one of the new model.
      this.#work.setup = next;
      this.#work.forget();
      return switched;
    });
    return outcome ?? { type: 'busy' };
  }

  pin(message: string | number): Promise<PinOutcome> {
    return this.#pins.pin(message, true);
  }

  unpin(message: string | number): Promise<PinOutcome> {
    return this.#pins.pin(message, false);
  }

  pins(): Promise<readonly number[]> {
    return this.#pins.list();
  }

  async blob(hash: string): Promise<SessionBlob | undefined> {
    return await readBlob(this.#from, hash);
  }

  history(query?: HistoryQuery): Promise<Page<StoredMessage>> {
    return this.#options.store.history.page(this.id, query);
  }

  search(query: string, limit?: number): Promise<readonly SearchHit[]> {
    return this.#options.store.history.search(this.id, query, limit);
  }

  recall(recallId: string): Promise<RecalledText | undefined> {
    return this.#options.store.history.recall(this.id, recallId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#work.close();
    await this.#namer[Symbol.asyncDispose]();
    this.#observing?.[Symbol.dispose]();
    this.#sessions.forget(this.id);
  }
}
