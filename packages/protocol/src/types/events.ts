import type { CompactionReason } from './compaction.ts';
import type { ContextUsage } from './context.ts';
import type { ResultContent } from './history.ts';
import type { Json } from './json.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  FailureKind,
  ModelFailure,
  ModelFinish,
  RunOutcome,
} from './run.ts';

/** What the provider counted for one step. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

/** Why something failed, for display; `code` is a failure of the model or an error code of the engine. */
export interface EventError {
  readonly code: FailureKind | (string & {});
  readonly message: string;
}

/** What a request was made of, beside the history and the settings. */
export interface StepRecord {
  /** Messages that there were. */
  readonly historyLength: number;
  /** The newest compaction that was in force. */
  readonly head: string | null;
  /** What stood behind the messages of this request only. */
  readonly notes: readonly string[];
  /** The model was not to use its tools. */
  readonly isLast: boolean;
  readonly maxOutputTokens: number | null;
  /** Fingerprint of the request. */
  readonly hash: string;
  /** Fingerprints of system text and of tools alone. Events of earlier versions have none. */
  readonly systemHash?: string;
  readonly toolsHash?: string;
}

/** Data of each event. Names and fields are those of the HTTP contract; all of it is plain JSON. */
export interface AgentEvents {
  'run:start': { readonly runId: string; readonly isResumed: boolean };
  'run:end': { readonly runId: string; readonly outcome: RunOutcome; readonly durationMs: number };
  'step:start': {
    readonly step: number;
    readonly provider: string;
    readonly model: string;
    /** What it takes to make its request anew. Events of earlier versions have none. */
    readonly request?: StepRecord;
  };
  'step:end': {
    readonly step: number;
    readonly finish: ModelFinish;
    readonly usage: TokenUsage | null;
    readonly durationMs: number;
    readonly firstTokenMs: number | null;
  };
  /** The request is on its way; nothing has come yet. */
  'llm:thinking': { readonly step: number };
  /** A piece of a part that is being written; a part that is finished is told whole, with `isComplete`. */
  'llm:chunk': {
    readonly chunkType: 'text' | 'reasoning';
    readonly content: string;
    readonly messageId: string;
    readonly part: number;
    readonly isComplete?: true;
  };
  'llm:response': {
    readonly messageId: string;
    readonly content: string;
    readonly reasoning?: string;
    readonly provider: string;
    readonly model: string;
    readonly tokenUsage: TokenUsage | null;
    /** The answer was cut off: by a cancel or an error. */
    readonly isPartial?: true;
  };
  'llm:tool-call': { readonly toolName: string; readonly args: Json; readonly callId: string };
  'tool:state': {
    readonly callId: string;
    readonly toolName: string;
    readonly state: 'pending' | 'running' | 'completed' | 'error';
  };
  /** Live output of a running call. */
  'tool:output': { readonly callId: string; readonly toolName: string; readonly delta: string };
  'llm:tool-result': {
    readonly toolName: string;
    readonly callId: string;
    readonly success: boolean;
    readonly truncated: boolean;
    readonly sanitized: boolean;
    /** Media by reference; of texts beyond 8 000 characters head and tail. */
    readonly content: readonly ResultContent[];
    /** The message of the history that holds all of it. */
    readonly messageId: string;
    readonly isCancelled: boolean;
    readonly durationMs: number;
    readonly rawResult?: Json;
  };
  'llm:error': {
    readonly error: EventError;
    /** What was being done. */
    readonly context: 'step' | 'summary';
    readonly recoverable: boolean;
  };
  'llm:retry': { readonly attempt: number; readonly nextAt: number; readonly reason: ModelFailure };
  'llm:switched': {
    readonly newConfig: { readonly provider: string; readonly model: string };
    readonly historyRetained: boolean;
  };
  'llm:unsupported-input': {
    readonly errors: readonly string[];
    readonly provider: string;
    readonly model: string;
    readonly fileType: string;
    readonly details: Json;
  };
  'message:queued': { readonly id: string; readonly position: number };
  'message:updated': { readonly id: string };
  'message:removed': { readonly id: string };
  'message:moved': { readonly id: string; readonly position: number };
  'message:dequeued': {
    readonly count: number;
    readonly ids: readonly string[];
    readonly coalesced: boolean;
    /** The message of the history that they became. */
    readonly messageId: string;
  };
  'context:usage': ContextUsage;
  'context:overflow': {
    readonly currentTokens: number;
    readonly limit: number;
    readonly percentUsed: number;
  };
  'context:pruned': {
    readonly prunedCount: number;
    readonly savedTokens: number;
    readonly prunedTools: readonly string[];
  };
  'context:repaired': { readonly repairs: readonly { readonly type: string; readonly path: string }[] };
  'context:warning': {
    readonly warning: 'prefix-changed' | 'prompt-cut' | 'beyond-window' | 'left-out' | 'user-cut' | 'other';
    readonly message: string;
  };
  'compaction:start': {
    readonly tokensBefore: number;
    readonly modelLimit: number;
    readonly reason: CompactionReason;
  };
  /** `pruning`: without a model. */
  'compaction:phase': {
    readonly phase: 'pruning' | 'summarizing';
    readonly messagesCount: number;
    readonly progress: number;
  };
  'context:compressed': {
    readonly checkpointId: string;
    readonly strategy: string;
    readonly reason: CompactionReason;
    readonly round: number;
    readonly originalTokens: number;
    readonly compressedTokens: number;
    readonly originalMessages: number;
    readonly compressedMessages: number;
    readonly messagesCompacted: number;
    readonly wasPruned: boolean;
    readonly wasSummarized: boolean;
    readonly durationMs: number;
    /** US dollars; `null` where no prices are known. */
    readonly cost: Json;
    readonly summary: string | null;
  };
  'compaction:error': {
    readonly error: EventError;
    readonly canRetry: boolean;
    readonly suggestNewSession: boolean;
  };
  'compaction:cancelled': { readonly reason: CompactionReason };
  'compaction:undone': { readonly checkpointId: string; readonly tokensAfter: number };
  /** One that was taken back is in force again. */
  'compaction:redone': { readonly checkpointId: string; readonly tokensAfter: number };
  /** The message of this place in the history is never compacted, pruned or truncated, or is so again. */
  'message:pinned': { readonly ordinal: number; readonly isPinned: boolean };
  'approval:requested': { readonly request: ApprovalRequest };
  'approval:resolved': { readonly request: ApprovalRequest; readonly answer: ApprovalAnswer };
  'session:updated': { readonly title: string };
}

/** Name of an event, as `run:start`. `AgentEvents` says what an event of each name carries. */
export type AgentEventType = keyof AgentEvents;

/** An event as it was stored, and as subscribers get it: numbers count up in a session. */
export type AgentEvent = {
  readonly [Type in AgentEventType]: {
    readonly seq: number;
    readonly type: Type;
    readonly data: AgentEvents[Type];
    readonly runId: string | null;
    readonly atMs: number;
  };
}[AgentEventType];

/** An event of one of many sessions. */
export type SessionEvent = AgentEvent & { readonly sessionId: string };

/** Some events of all sessions were missed and come no more: look at the sessions again. */
export interface MissedEvents {
  readonly type: 'stream:missed';
}
