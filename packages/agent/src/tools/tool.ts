import type { Json, SessionMessage, ToolLimits } from '@throughline/core';
import type { SessionAccess, WholeOutput } from './session-access.ts';

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
