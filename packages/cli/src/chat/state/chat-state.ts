import type { AgentEvent, ApprovalRequest, ContextUsage, RunOutcome, TokenUsage } from '@throughline/agent';
import type { Block, Speaker, Tone } from './block.ts';

/** A part of an answer that is being written. Whole rows of it are printed already. */
export interface Writing {
  /** Message and part. */
  readonly key: string;
  readonly chunkType: 'text' | 'reasoning';
  /** The row that is not full yet; of reasoning, its end. Printable. */
  readonly tail: string;
  /** How the line is shown that the tail belongs to. */
  readonly tone: Tone;
  /** It stands in a fenced block of code. */
  readonly isFenced: boolean;
  /** A full row of the line is printed already. */
  readonly isLineBegun: boolean;
}

/** A call that waits or runs. */
export interface LiveCall {
  readonly callId: string;
  readonly toolName: string;
  /** What it is about: the command, the file. */
  readonly target: string;
  readonly isRunning: boolean;
  readonly sinceMs: number;
  /** The end of its live output. */
  readonly output: string;
}

interface WaitingText {
  readonly id: string;
  readonly text: string;
}

interface Retry {
  readonly attempt: number;
  readonly nextAtMs: number;
  readonly reason: string;
}

/** Everything a chat shows that is not printed yet. Plain data; the terminal layer draws it. */
export interface ChatState {
  /** Width of a printed row. */
  readonly columns: number;
  readonly model: string;
  /** A run is busy. */
  readonly run: { readonly sinceMs: number } | null;
  /** A command of the user that takes its time, such as `/compact`. */
  readonly command: { readonly name: string; readonly sinceMs: number } | null;
  /** The run or the command was told to end. */
  readonly isCancelling: boolean;
  readonly writing: Writing | null;
  /** Characters of each part of the message in progress that were shown. */
  readonly seen: Readonly<Record<string, number>>;
  readonly calls: readonly LiveCall[];
  readonly waiting: readonly WaitingText[];
  /** What waits was left to another process, which has the session. */
  readonly isLeftElsewhere: boolean;
  /** What was sent here and is not part of the conversation yet, by id. */
  readonly unsaid: Readonly<Record<string, string>>;
  readonly approvals: readonly ApprovalRequest[];
  /** The last step has said or called something. */
  readonly isAnswered: boolean;
  readonly usage: ContextUsage | null;
  readonly lastStep: TokenUsage | null;
  readonly retry: Retry | null;
  readonly compaction: { readonly phase: 'pruning' | 'summarizing' | null; readonly sinceMs: number } | null;
  /** A failure that was told already. */
  readonly toldFailure: string | null;
  readonly lastSpeaker: Speaker | null;
}

/** What the chat itself tells its state. */
type ChatAction =
  | { readonly type: 'chat:notice'; readonly tone: Tone; readonly text: string }
  | { readonly type: 'chat:printed'; readonly blocks: readonly Block[] }
  | { readonly type: 'chat:submitted'; readonly id: string; readonly text: string }
  /** Another process has the session, and takes the message. */
  | { readonly type: 'chat:left' }
  | { readonly type: 'chat:queue'; readonly waiting: readonly WaitingText[] }
  | { readonly type: 'chat:usage'; readonly usage: ContextUsage }
  | { readonly type: 'chat:approvals'; readonly requests: readonly ApprovalRequest[] }
  | { readonly type: 'chat:cancelling' }
  /** The run has ended, or there was none. */
  | { readonly type: 'chat:stopped' }
  /** A run has ended without an event that says so. */
  | { readonly type: 'chat:ended'; readonly outcome: RunOutcome }
  | { readonly type: 'chat:command'; readonly name: string; readonly atMs: number }
  | { readonly type: 'chat:command-done' }
  | { readonly type: 'chat:resized'; readonly columns: number }
  /** Another session is shown from now on. */
  | { readonly type: 'chat:opened'; readonly model: string };

export type ChatEvent = AgentEvent | ChatAction;

/** The state after an event, and what is to be printed above the live part. */
export interface Told {
  readonly state: ChatState;
  readonly blocks: readonly Block[];
}

export function startState(model: string, columns: number): ChatState {
  return {
    columns,
    model,
    run: null,
    command: null,
    isCancelling: false,
    writing: null,
    seen: {},
    calls: [],
    waiting: [],
    isLeftElsewhere: false,
    unsaid: {},
    approvals: [],
    isAnswered: true,
    usage: null,
    lastStep: null,
    retry: null,
    compaction: null,
    toldFailure: null,
    lastSpeaker: null,
  };
}
