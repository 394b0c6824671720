import type { Json, SessionMessage } from '@throughline/core/codec';
import type { ToolLimits } from '@throughline/core/types';

/** A call as the model made it. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  /** The arguments as a value; the text itself where it did not parse. */
  readonly input: Json;
}

/** A piece of a result, as the runtime stores it: text or media. */
export type ResultContent = Extract<SessionMessage['parts'][number], { type: 'result' }>['content'][number];

/** What a tool answers. A plain string is a text that is no error. */
export type ToolReply =
  | string
  | {
      readonly content: string | readonly ResultContent[];
      readonly isError?: boolean;
      /** The call was ended by its signal and `content` is what it had until then. */
      readonly isCancelled?: boolean;
      /** The text is already cut and names where the whole is. */
      readonly isTruncated?: boolean;
      /** For programs: exit code, list of todos. Not sent to the model. */
      readonly data?: Json;
    };

/** What a running call is given. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted when the run is cancelled. A tool that does not listen is left behind after a moment. */
  readonly signal: AbortSignal;
  /** Live output, in order. What comes after the reply is thrown away. */
  readonly emit: (delta: string) => void;
  readonly limits: ToolLimits;
  readonly session: SessionAccess;
  /** Hands a whole output to the store: the id that `recall` takes, or `undefined` where nothing keeps it. */
  readonly keep: (output: WholeOutput) => Promise<string | undefined>;
}

/** Keys of what a call touches. Two calls that touch the same key, one of them writing, run in call order. */
export interface Touches {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** A call whose arguments are in order. */
export interface PreparedCall {
  readonly type: 'ready';
  /** `anything`: runs alone, after all calls before it and before all calls after it. */
  readonly touches: 'anything' | (() => Promise<Touches>);
  /** What an answer `session` or `always` to an approval covers beside the tool's name; absent: every call. */
  readonly approvalKey?: string;
  /** What the call would change that somebody outside runs or obeys: it is asked for although the tool is allowed. */
  readonly guardedPart?: () => Promise<string | undefined>;
  /** What the call would read that may hold secrets: it is asked for although the tool is allowed. */
  readonly privatePart?: () => Promise<string | undefined>;
  readonly execute: (context: ToolContext) => Promise<ToolReply>;
}

/** Arguments the tool cannot work with; `message` tells the model which key and what is expected. */
export interface BadInput {
  readonly type: 'bad-input';
  readonly message: string;
}

/** What is done with a call of a tool before it runs. */
export type ApprovalRule = 'allow' | 'ask' | 'deny';

/** What became of the question whether a call may run. */
export type Decision =
  | { readonly type: 'allowed' }
  /** `reason` is for the model. */
  | { readonly type: 'denied'; readonly reason: string };

/** A tool as the runtime sees it. Made by `defineTool`, or directly where the schema is somebody else's. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments, for the model. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly limits: ToolLimits;
  readonly approval: ApprovalRule;
  /** A call cut off by a crash may simply run again. */
  readonly idempotent: boolean;
  /** Arguments may repeat a placeholder: the tool knows what to do with one. */
  readonly takesPlaceholders?: boolean;
  /** Not told to a model whose window the tools would fill for a large part. @default false */
  readonly isSpare?: boolean;
  /** A sentence on what a call of it can reach, for approvals. */
  readonly warning?: string;
  /** Never throws. */
  readonly prepare: (input: unknown) => PreparedCall | BadInput;
}

/** Where a call stands. `completed` and `error` are final. */
export type ToolState = 'pending' | 'running' | 'completed' | 'error';

/** What happens to a call, in order: `pending`, `running` with live output, then exactly one `completed` or `error`. */
export type ToolEvent =
  | { readonly type: 'tool-state'; readonly callId: string; readonly name: string; readonly state: ToolState }
  | { readonly type: 'tool-output'; readonly callId: string; readonly name: string; readonly delta: string };

/** How a call ended. */
export interface CallResult {
  readonly callId: string;
  readonly name: string;
  readonly state: 'completed' | 'error';
  /** For the model: within the tool's limits, never empty. */
  readonly content: readonly ResultContent[];
  /** Its signal ended it; `content` holds what it had put out until then. */
  readonly isCancelled: boolean;
  /** It was refused before it ran, or never started. */
  readonly isUnstarted: boolean;
  /** `content` shows only a part of the output. */
  readonly truncated: boolean;
  /** Characters no database takes were replaced. */
  readonly sanitized: boolean;
  /** The id that `recall` takes for the whole output, where it was kept. */
  readonly wholeId?: string;
  readonly durationMs: number;
  readonly data?: Json;
}

export interface ExecuteContext {
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Told what happens, in order. It must not throw. */
  readonly emit: (event: ToolEvent) => void;
  /** Told of each result as soon as it is there, in the order in which calls end; the step waits for it. */
  readonly onResult?: (result: CallResult) => Promise<void>;
  /** Called right before a call runs: where it rejects, or the signal is aborted meanwhile, the call does not. */
  readonly fence?: () => Promise<void>;
  /** Does the work of one call, for whoever follows it. @default the work itself */
  readonly within?: <Result>(callId: string, work: () => Result) => Result;
  /** Decides whether a call may run; resolves soon after the signal is aborted. */
  readonly decide: (
    call: ToolCall,
    tool: Tool,
    prepared: PreparedCall,
    signal: AbortSignal,
  ) => Promise<Decision>;
  readonly session: SessionAccess;
  /** Limits that go before the tool's own, field by field. */
  readonly limitsOf?: (toolName: string) => ToolLimits | undefined;
  /** Most calls that run at once. @default 8 */
  readonly maxParallel?: number;
}

/** One item of a session's todo list. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** The todo list of one session. */
export interface TodoStore {
  load(): Promise<readonly Todo[]>;
  save(todos: readonly Todo[]): Promise<void>;
}

/** An archived text, whole. */
export interface RecalledText {
  readonly id: string;
  readonly role?: string;
  readonly text: string;
}

/** An archived text in which a search found its query. `id` takes one to the whole. */
export interface RecallHit {
  readonly id: string;
  readonly role?: string;
  /** The text around the hit. */
  readonly excerpt: string;
}

/** Everything archived in one session: messages, parts, whole outputs. */
export interface RecallSource {
  get(id: string): Promise<RecalledText | undefined>;
  /** Newest first. */
  search(query: string, limit: number): Promise<readonly RecallHit[]>;
}

/** A whole output that is too long for a result. A file is deleted once it is kept. */
export type WholeOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly path: string };

/** Takes whole outputs that results show only in part. */
export interface OutputStore {
  /** Copies the output; resolves to the id under which the session's `RecallSource` returns it. */
  keep(callId: string, output: WholeOutput): Promise<string>;
}

/** What tools may use of the session they work for. Absent: the session does not offer it. */
export interface SessionAccess {
  readonly todos?: TodoStore;
  readonly recall?: RecallSource;
  readonly outputs?: OutputStore;
}
