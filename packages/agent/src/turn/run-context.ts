import type { AgentEvents, AgentEventType } from '@throughline/protocol/types';
import type { SessionApprovals } from '../approvals/approvals.ts';
import type { Account } from '../quota/quotas.ts';
import type { AgentSetup } from '../options/agent-options.ts';
import type { BatchWriter } from '../stream/batch-writer.ts';
import type { SessionAccess, Tool } from '../tools/tool.ts';
import type { SessionContext } from '../view/session-context.ts';

/** What a run works with. */
export interface RunContext {
  readonly options: AgentSetup;
  readonly sessionId: string;
  readonly runId: string;
  readonly context: SessionContext;
  readonly writer: BatchWriter;
  readonly approvals: SessionApprovals;
  readonly access: SessionAccess;
  /** Where owners have quotas. */
  readonly account: Account | undefined;
  /** Those the model is offered. */
  readonly tools: readonly Tool[];
  /** Aborted when the user cancels, or when nothing can be stored any more. */
  readonly signal: AbortSignal;
  /**
   * Leaves the session as it is stored, for whoever goes on with it: the signal is aborted, and nothing more can be
   * stored.
   */
  readonly leave: () => Promise<void>;
  /**
   * Asks the store whether the session is still this one's, right before something that cannot be undone; rejects where
   * it is not, or where nobody can tell: nothing more is stored then.
   */
  readonly fence: () => Promise<void>;
  /** Stores an event with the next batch, and tells it then. */
  readonly emit: <Type extends AgentEventType>(type: Type, data: AgentEvents[Type]) => void;
}
