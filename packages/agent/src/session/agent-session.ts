import type { ContextState, Policy, Pricing, Strategy } from '@throughline/core';
import type {
  HistoryQuery,
  ModelDriver,
  ModelTool,
  Page,
  RecalledText,
  SearchHit,
  SessionInfo,
  StoredCheckpoint,
  StepRequest,
  StoredMessage,
} from '@throughline/ports';
import type {
  AgentEvent,
  ApprovalAnswer,
  ApprovalRequest,
  CompactAnswer,
  CompactionCost,
  ContextItems,
  ContextUsage,
  RedoAnswer,
  RunOutcome,
  ShownMessage,
  SwitchModelAnswer,
  UndoAnswer,
  UserContent,
  WhatIf,
} from '@throughline/protocol/types';
import type { TracePage, TraceQuery } from '../trace/trace-of.ts';
import type { Queue } from '../queue/create-queue.ts';

/** What became of a message that was sent. It is stored in both cases. */
export type Sent =
  /**
   * A run was begun with it, and with what had waited before it. Of a message that was sent again after it was taken:
   * the run that took it.
   */
  | { readonly isQueued: false; readonly id: string; readonly runId: string }
  /** A run is busy: it is taken at the next step. 1 for the next. */
  | { readonly isQueued: true; readonly id: string; readonly position: number };

/** What waits, and the way around it. */
export interface SessionQueue extends Queue {
  /**
   * Sends a message that waits at once: what is busy is cancelled (what was streamed stays in the history, marked as
   * cut off), and a run begins with this message alone. The others keep waiting, in their order, and are taken at that
   * run's next step. `isQueued` where another process is busy with the session: then it is the next. `undefined` when it
   * does not wait (any more).
   */
  sendNow(id: string): Promise<Sent | undefined>;
}

/** How a compaction that the user asks for is made. */
export interface CompactOptions {
  /** What the summary should pay attention to. */
  readonly focus?: string;
  /** @default that of the agent */
  readonly strategy?: Strategy;
  /** Cancels it: the outcome is `cancelled`, and nothing is compacted. */
  readonly signal?: AbortSignal;
}

/** A run, or another process, has the session; or the agent stops. Nothing was done. */
interface Busy {
  readonly type: 'busy';
}

/** What a compaction that the user asked for came to. */
export type CompactionOutcome = CompactAnswer | Busy;

/**
 * What an undo came to. `tokensAfter` is the size of the next request. `refused`: the former view is larger than what
 * is usable, and nothing was changed.
 */
export type UndoOutcome = UndoAnswer | Busy;

/** What a redo came to. `tokensAfter` is the size of the next request. */
export type RedoOutcome = RedoAnswer | Busy;

/** A checkpoint in the tree of all: those that were taken back are branches beside the one in force. */
export interface CheckpointNode extends Omit<StoredCheckpoint, 'cost'> {
  /** `null` where it is not known: of an earlier version, or from a file of somebody else. */
  readonly cost: CompactionCost | null;
  /** It, or one that was made behind it, is the head. */
  readonly isInForce: boolean;
  /** `undo` takes it back: it is the newest in force, and what the model would see without it fits the window. */
  readonly canUndo: boolean;
  /** `redo` puts it in force again. */
  readonly canRedo: boolean;
}

/** All checkpoints of a session, those that were taken back included. */
export interface CheckpointTree {
  /** The newest one in force. */
  readonly head: string | null;
  /** Oldest first; `checkpoint.parent` says behind which one each was made. */
  readonly checkpoints: readonly CheckpointNode[];
}

/** What every request of a session begins with, and what its passes are made with. */
export interface SessionSetup {
  readonly provider: string;
  readonly model: string;
  /** Name of the format that the model's server takes. */
  readonly codec: string;
  readonly system: string;
  /** As the model is told them. */
  readonly tools: readonly ModelTool[];
  /** Tools that are not told to the model, because they would take too much of its window. */
  readonly untoldTools: readonly string[];
  /** Messages that are never compacted, pruned or truncated, by their places in the history. */
  readonly pins: readonly number[];
  readonly strategy: string;
  readonly trigger: Strategy['trigger'];
  /** `false`: nothing is compacted unless the user asks. */
  readonly isAutomatic: boolean;
  readonly budget: Policy['budget'];
  readonly windowTokens: number;
  /** What is usable of the window: reserve and safety are taken off. */
  readonly usableTokens: number;
  /** Above it the context is compacted. */
  readonly triggerTokens: number;
  readonly pricing: Pricing | null;
  readonly hasRecall: boolean;
  /** What the engine remembers, the changes in force among it. */
  readonly state: ContextState;
}

/** Two views of the session: an id for the view behind that checkpoint, `null` for the one before the first. */
export interface ComparedViews {
  /** @default the one before the newest compaction */
  readonly before?: string | null;
  /** @default that of the next request */
  readonly now?: string | null;
}

/** Where a fork parts from its session, and how it is named. */
export interface ForkOptions {
  /** Id, or place in the history, of the last message that comes along, with the results of its calls. @default the newest */
  readonly at?: string | number;
  /** Id of the new session. @default one of the id source */
  readonly sessionId?: string;
  /** @default that of this session */
  readonly title?: string;
}

/** How a session that branches off at another message is made. */
export interface BranchOptions extends Omit<ForkOptions, 'at' | 'title'> {
  /** @default that of this session; where it was made of the message, one of what is said in its place */
  readonly title?: string;
  /** Id of the message that is sent in the place of the other. @default one of the id source */
  readonly id?: string;
}

/** A session in which another message stands in the place of one of this session. */
export interface Branch {
  readonly session: AgentSession;
  readonly sent: Sent;
}

/** The request of a step, made anew. */
export interface RebuiltRequest {
  readonly seq: number;
  readonly runId: string | null;
  readonly step: number;
  readonly provider: string;
  readonly model: string;
  /** In the form of the session's driver, system text and tools included; `null` where nothing was recorded. */
  readonly request: StepRequest | null;
  /** It is what was sent, to the byte: its fingerprint was recorded then. */
  readonly isExact: boolean;
  /**
   * Why it is not: the step is of an earlier version, the session has another model now, or system text, tools, media or
   * settings are not those of then.
   */
  readonly differsIn: readonly ('not-recorded' | 'model' | 'settings')[];
}

/** What a pin, or taking one away, came to. */
export type PinOutcome =
  /** All that are pinned now, by their places in the history. */
  { readonly type: 'done'; readonly pins: readonly number[] } | Busy;

/** Bytes of a message: an image, a file. */
export interface SessionBlob {
  readonly bytes: Uint8Array;
  /** What they were said to be, or look like; `application/octet-stream` where nobody knows. */
  readonly mediaType: string;
}

/** What a change of the model came to. Unless it is `switched` the session keeps its model. `busy` also: it was cancelled. */
export type SwitchOutcome = SwitchModelAnswer | Busy;

/** One conversation. Everything it does is stored before it is told. */
export interface AgentSession extends AsyncDisposable {
  readonly id: string;
  readonly model: ModelDriver;
  readonly isRunning: boolean;
  readonly queue: SessionQueue;
  readonly approvals: {
    pending(): Promise<readonly ApprovalRequest[]>;
    /** `false` when no such request is pending. The first answer counts. */
    answer(id: string, answer: ApprovalAnswer): Promise<boolean>;
  };
  info(): Promise<SessionInfo>;
  rename(title: string): Promise<void>;
  /** Stores the message; begins a run with it, or leaves it to the one that is busy. The same id twice is sent once. */
  send(content: UserContent, options?: { readonly id?: string }): Promise<Sent>;
  /** Goes on with a run that was cut off, or with messages that are held; `undefined` where there is nothing to do. */
  resume(): Promise<{ readonly runId: string } | undefined>;
  /**
   * Ends the run within 100 ms; what was streamed stays. Resolves when it has ended; at once where none is. A run of
   * another process is asked to end: it tells so with `run:end`.
   */
  cancel(): Promise<void>;
  /** Resolves when no run is busy: how the last one of this process ended, or `null`. Never rejects. */
  settled(): Promise<RunOutcome | null>;
  /** Told every event once it is stored. A listener that throws is not called again. */
  subscribe(listener: (event: AgentEvent) => void): Disposable;
  /**
   * Events after this number: the stored ones, then those to come, until the signal is aborted.
   *
   * @throws {ContextError} `not-found` when the session is deleted
   */
  events(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<AgentEvent>;
  context(): Promise<ContextUsage>;
  /** What the next request is made of, the largest first. */
  contextItems(limit: number): Promise<ContextItems>;
  /** The messages of the next request, in the form of the model's driver, with system text and tools. */
  request(): Promise<{ readonly system: string; readonly messages: readonly unknown[] }>;
  /**
   * The request of a step, made anew from the history and the compactions in force at that time.
   *
   * @param seq number of its `step:start` event; a page of the trace has it
   * @throws {ContextError} `not-found` where no step began with it.
   */
  stepRequest(seq: number): Promise<RebuiltRequest>;
  /** What happened: runs, their steps with usage and times, calls, and why something went as it did. */
  trace(query?: TraceQuery): Promise<TracePage>;
  /**
   * One compaction because the user asks for it, whatever the size of the context, also where nothing is compacted
   * automatically.
   *
   * @throws {ContextError} `quota-exceeded` where a model writes summaries and the owner may not ask it.
   */
  compact(options?: CompactOptions): Promise<CompactionOutcome>;
  /**
   * What `compact` would come to; nothing is stored, but a model that writes summaries is asked.
   *
   * @throws {ContextError} as `compact`
   */
  preview(options?: CompactOptions): Promise<CompactAnswer>;
  /**
   * Takes the newest compaction back; nothing of the history is lost. Until space is needed nothing is compacted
   * automatically again. A former view that would not fit is an outcome and no error.
   */
  undo(): Promise<UndoOutcome>;
  /**
   * Puts a compaction that was taken back in force again.
   *
   * @param checkpointId one that was made behind the head. @default of those the newest
   * @throws {ContextError} `not-found` for a checkpoint that there is not.
   */
  redo(checkpointId?: string): Promise<RedoOutcome>;
  checkpoints(): Promise<readonly StoredCheckpoint[]>;
  checkpointTree(): Promise<CheckpointTree>;
  /** What its requests are made with now: what it takes, with the history and the checkpoints, to make every view of it. */
  setup(): Promise<SessionSetup>;
  /** What `compact` would come to under each of these strategies. */
  whatIf(strategies: readonly Strategy[]): Promise<readonly WhatIf[]>;
  /**
   * Two views of the messages of now; `undefined` where there is no compaction in force to look behind.
   *
   * @throws {ContextError} `not-found` for a checkpoint that there is not.
   */
  compare(
    views?: ComparedViews,
  ): Promise<{ readonly now: readonly ShownMessage[]; readonly before: readonly ShownMessage[] } | undefined>;
  /**
   * A new session with the history up to a message, and the compactions that saw no more of it; from then on each goes
   * its own way. A run of this session goes on meanwhile. Calls without a result get one that says so.
   *
   * @throws {ContextError} `not-found` for a message that there is not; `already-exists` for a session id that is taken.
   */
  fork(options?: ForkOptions): Promise<AgentSession>;
  /**
   * Sends a message of the user (its id, or its place in the history) again, as edited, in a new session with the history before it. This session stays what
   * it is: `parentSessionId`, `forkedAt` and `family` of a session say what belongs together.
   *
   * @throws {ContextError} as `fork`; `invalid-option` for the content, or a message that is not the user's.
   */
  branch(message: string | number, content: UserContent, options?: BranchOptions): Promise<Branch>;
  /** Goes on with another model. Before a smaller window the larger model compacts. */
  switchModel(driver: ModelDriver): Promise<SwitchOutcome>;
  /**
   * From the next request on this message (its id, or its place in the history) is never compacted, pruned or truncated.
   * One that was compacted before does not come back by that. May be done while a run goes on.
   *
   * @throws {ContextError} `not-found` for a message that there is not.
   */
  pin(message: string | number): Promise<PinOutcome>;
  unpin(message: string | number): Promise<PinOutcome>;
  /** All that are pinned, by their places in the history. */
  pins(): Promise<readonly number[]>;
  /** What a message of this session refers to as `@blob:` and the hash; `undefined` where none does. */
  blob(hash: string): Promise<SessionBlob | undefined>;
  history(query?: HistoryQuery): Promise<Page<StoredMessage>>;
  /**
   * Where the text stands in this session, whatever its case: newest first.
   *
   * @param limit @default 20
   */
  search(query: string, limit?: number): Promise<readonly SearchHit[]>;
  /**
   * What `m12`, `m12.3` or, for a whole output, `o7` stands for, as it was, whatever the view shows of it; `undefined`
   * where there is none.
   */
  recall(recallId: string): Promise<RecalledText | undefined>;
}
