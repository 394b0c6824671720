import type { Failure } from '../loadable.ts';
import type {
  AgentEvents,
  ApprovalRequest,
  Compaction,
  ContextUsage,
  HistoryMessage,
  RunOutcome,
  SessionDetail,
  UserContent,
  WaitingMessage,
} from '@throughline/client';

/** A piece of an answer that is being written. */
export interface LivePart {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
  readonly isComplete: boolean;
}

/** The answer that is being written, as far as it was told: whole from the beginning of its step. */
export interface LiveAnswer {
  readonly messageId: string;
  /** By their places in the message; there may be holes where calls stand. */
  readonly parts: Readonly<Record<number, LivePart>>;
}

/** A call of a tool, while and after it runs. */
export interface LiveCall {
  readonly toolName: string;
  readonly state: AgentEvents['tool:state']['state'] | 'cancelled';
  /** What it printed so far; the last 20 000 characters. */
  readonly output: string;
  readonly startedAtMs: number;
  readonly durationMs: number | null;
}

/** What the agent does now. */
export type Activity =
  | { readonly type: 'idle' }
  | { readonly type: 'thinking'; readonly sinceMs: number }
  | { readonly type: 'writing'; readonly sinceMs: number }
  | { readonly type: 'tool'; readonly toolName: string; readonly sinceMs: number }
  | { readonly type: 'waiting'; readonly sinceMs: number }
  | {
      readonly type: 'retrying';
      readonly attempt: number;
      readonly nextAtMs: number;
      readonly reason: string;
    };

/** A compaction that is being made. */
export interface RunningCompaction {
  readonly reason: AgentEvents['compaction:start']['reason'];
  readonly tokensBefore: number;
  /** `pruning` is done without a model; before the first phase it is `null`. */
  readonly phase: 'pruning' | 'summarizing' | null;
  readonly progress: number;
  readonly startedAtMs: number;
}

/** Something that went wrong and that the user can do something about. */
export interface Trouble {
  /** Number of the event that told of it. */
  readonly seq: number;
  readonly type: 'model' | 'compaction' | 'cannot-fit' | 'limit' | 'broken';
  readonly title: string;
  readonly detail: string;
  readonly canRetry: boolean;
  readonly suggestsNewSession: boolean;
}

/** A message that this page sent, until the server has told where it stands. */
export interface SentMessage {
  readonly messageId: string;
  readonly content: UserContent;
  readonly state: 'sending' | 'failed';
  readonly detail: string;
}

/** Messages that the reader went to, without gaps, older than those up to the newest. */
export interface FarMessages {
  readonly messages: readonly HistoryMessage[];
  /** Cursor of the page before them; `null` where there is none. */
  readonly next: string | null;
}

export type LoadDirection = 'older' | 'newer';

/** How loading goes on one side of the messages that are shown. */
interface Load {
  readonly isLoading: boolean;
  readonly failure: LoadFailure | null;
}

/** Why they could not be loaded; on that side nothing is loaded any more but by `retry`. */
export interface LoadFailure extends Failure {
  readonly retry: () => Promise<void>;
}

const notLoading: Load = { isLoading: false, failure: null };

/** A run that is over. */
export interface EndedRun {
  readonly id: string;
  readonly endedAtMs: number;
  readonly outcome: RunOutcome;
}

export interface ConversationState {
  readonly session: SessionDetail;
  /** In the order of the history, without gaps, up to the newest; older ones may not be loaded yet. */
  readonly messages: readonly HistoryMessage[];
  readonly hasOlder: boolean;
  /** Shown in place of the newest, with a gap between them; what comes is followed all the same. */
  readonly far: FarMessages | null;
  /** Another number where other messages are shown; the same where some were put in front or behind. */
  readonly runId: number;
  readonly loads: Readonly<Record<LoadDirection, Load>>;
  readonly answer: LiveAnswer | null;
  readonly calls: Readonly<Record<string, LiveCall>>;
  readonly activity: Activity;
  readonly queue: readonly WaitingMessage[];
  readonly approvals: readonly ApprovalRequest[];
  readonly pins: readonly number[];
  readonly usage: ContextUsage | null;
  readonly compactions: readonly Compaction[];
  readonly runningCompaction: RunningCompaction | null;
  readonly trouble: Trouble | null;
  readonly lastOutcome: RunOutcome | null;
  /** Oldest first; those of a session that came from another one are not among them. */
  readonly endedRuns: readonly EndedRun[];
  readonly sent: readonly SentMessage[];
  /** The last message that was sent here while nothing was at work; one that is sent meanwhile has to wait. */
  readonly askedId: string | null;
  /** For people who cannot see the page: the newest thing worth saying, and a number that changes with it. */
  readonly announcement: { readonly seq: number; readonly text: string };
  /** The session was deleted, here or elsewhere. */
  readonly isDeleted: boolean;
}

/** What has to be fetched again after an event. */
export type Stale = 'history' | 'queue' | 'approvals' | 'compactions' | 'session' | 'usage' | 'pins';

/** The state of a session of which nothing else is known yet. */
export function freshState(session: SessionDetail): ConversationState {
  const isBusy = session.isRunning || session.status === 'running';
  return {
    session,
    messages: [],
    hasOlder: false,
    far: null,
    runId: 0,
    loads: { older: notLoading, newer: notLoading },
    answer: null,
    calls: {},
    activity: isBusy ? { type: 'thinking', sinceMs: session.updatedAtMs } : { type: 'idle' },
    queue: [],
    approvals: [],
    pins: [],
    usage: null,
    compactions: [],
    runningCompaction: null,
    trouble: null,
    lastOutcome: null,
    endedRuns: [],
    sent: [],
    askedId: null,
    announcement: { seq: 0, text: '' },
    isDeleted: false,
  };
}
