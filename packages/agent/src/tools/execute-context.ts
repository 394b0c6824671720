import type { Json, ToolLimits } from '@throughline/core';
import type { Decision } from './tool.ts';
import type { SessionAccess } from './session-access.ts';
import type { PreparedCall, ResultContent, Tool, ToolCall } from './tool.ts';

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
