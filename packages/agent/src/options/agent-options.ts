import type { Estimator, Pricing, Profile, Strategy } from '@throughline/core';
import type { BudgetInput, ToolLimits, WireLimits } from '@throughline/core/types';
import type {
  Clock,
  Driver,
  IdleLimits,
  IdSource,
  ModelDriver,
  ModelTool,
  RetryPolicy,
  SessionStore,
  Timer,
} from '@throughline/ports';
import type { AgentStop } from './agent-stop.ts';
import type { KeptContexts } from './kept-contexts.ts';
import type { Quota, Quotas } from '../quota/quotas.ts';
import type { Telemetry } from '../telemetry/create-telemetry.ts';
import type { ApprovalRule, Tool } from '../tools/tool.ts';

/** How the context is kept small. */
export interface ContextOptions {
  /** @default 'reactive-overflow' */
  readonly strategy?: Strategy;
  /** Overrides the window of the model; a limit learned from an error may only lower it. */
  readonly windowTokens?: number;
  /** Limits of the budget. The window and what the model itself can take are not among them. */
  readonly budget?: Partial<
    Omit<BudgetInput, 'windowTokens' | 'maxOutputTokens' | 'maxInputTokens' | 'triggerAt'>
  >;
  /** What is different for some models, by their names, as `anthropic:claude-sonnet-5`; each field goes before its own. */
  readonly byModel?: Readonly<Record<string, ModelThresholds>>;
  /** `false`: nothing is compacted unless the user asks. @default true */
  readonly auto?: boolean;
  /** @default the coding profile */
  readonly profile?: Profile;
  /** Summaries are written ahead of need where a summariser is configured. @default true */
  readonly background?: boolean;
  /** The model is told, behind the messages, how much room is left. @default false */
  readonly showsBudget?: boolean;
  /** What a request may weigh beside its tokens. @default what is known of the model's provider */
  readonly wire?: WireLimits;
  /** @default the script-aware heuristic */
  readonly estimator?: Estimator;
}

/** The window and the thresholds of one model. What is left out is as it is for all. */
export type ModelThresholds = Pick<ContextOptions, 'windowTokens' | 'budget'>;

/** Who writes summaries: another model, the session's own, or no model at all. */
export type SummariserChoice =
  | { readonly type: 'code' }
  /** The session's own model, whichever it is. With known prices a question may use its cached prefix. */
  | { readonly type: 'same'; readonly driverOf: (model: ModelDriver, session: SessionPrompt) => Driver }
  | {
      readonly type: 'model';
      readonly driver: Driver;
      readonly windowTokens: number;
      readonly pricing?: Pricing;
    };

/** What every request of a session begins with. */
export interface SessionPrompt {
  readonly system: string;
  readonly tools: readonly ModelTool[];
}

/** Where a run ends by itself. Times are milliseconds. */
export interface RunLimits {
  /** Model calls in one run. @default 50 */
  readonly maxSteps?: number;
  /** @default no limit */
  readonly maxDurationMs?: number;
  /** For a last step in which the model says what it has; 0: none. @default 60 000 */
  readonly graceMs?: number;
}

/** What an agent is made of. Only `driver` and `store` are required. */
export interface AgentOptions {
  /** The model; every session begins with it. A limit for silence and retries it need not have: see `idle` and `retry`. */
  readonly driver: ModelDriver;
  /** Keeps the sessions. Other processes may work on the same store: see `Agent.watch`. */
  readonly store: SessionStore;
  /** @default the time on the wall */
  readonly clock?: Clock;
  /** @default real time */
  readonly timer?: Timer;
  /** @default random ids */
  readonly ids?: IdSource;
  /** @default none */
  readonly tools?: readonly Tool[];
  /** The folder that new sessions work in, absolute, where nobody says another. @default '' */
  readonly folder?: string;
  /** System text. It never changes in a session because of compaction. @default '' */
  readonly instructions?: string;
  /** @default { type: 'code' } */
  readonly summariser?: SummariserChoice;
  /** How the context of every session is kept small. */
  readonly context?: ContextOptions;
  /** Where each run ends by itself. */
  readonly limits?: RunLimits;
  /**
   * Names a session that has no title: code takes the first sentence as soon as the first message is at work, and with
   * `model` the model that writes summaries gives another when that run has come to its end. A title that somebody gave
   * is never replaced. A session that another message of the user begins (`branch`) is named anew. @default false
   */
  readonly titles?: 'model' | 'code' | false;
  /** What calls of tools may do without a question, and who is there to answer one. */
  readonly approvals?: {
    /** By tool name; they go before the tool's own. */
    readonly rules?: Readonly<Record<string, ApprovalRule>>;
    /** Whether somebody is there who could answer. @default nobody */
    readonly isAttended?: (sessionId: string) => boolean;
  };
  /** Limits that go before the tool's own, field by field. */
  readonly limitsOf?: (toolName: string) => ToolLimits | undefined;
  /**
   * Further tries of a step that fails for a passing reason (429, a reset, silence …), also in the middle of an answer;
   * `false`: none. A driver that tries again itself (`withRetry`) does so by its own rules as long as nothing was seen.
   *
   * @default 5 tries in all: after what the server asks for, else after 2 s, 4 s … 30 s
   */
  readonly retry?: RetryPolicy | false;
  /**
   * Ends a step of which nothing comes any more; `false`: waits for ever. Where the driver has such a limit
   * (`withIdleTimeout`), that one counts.
   *
   * @default 10 minutes until the answer begins, 5 minutes in it
   */
  readonly idle?: IdleLimits | false;
  /** Temperature and further fields of every request. */
  readonly request?: { readonly temperature?: number; readonly maxOutputTokens?: number };
  /** Follows every session: spans, metrics, log lines. @default nothing is followed */
  readonly telemetry?: Telemetry;
  /**
   * What an owner of sessions may have; asked before each session, message and step. The store needs `usage`.
   *
   * @default nothing is limited
   */
  readonly quotaOf?: (owner: string) => Quota | undefined;
  /** Names this process in leases. @default 'agent' */
  readonly owner?: string;
  /** How long a session stays with a process that does not renew. @default 5 000 */
  readonly leaseTtlMs?: number;
}

/** What can be changed while sessions run: it holds for all of them from their next steps on. */
export interface AgentSettings extends Pick<
  ContextOptions,
  'strategy' | 'windowTokens' | 'budget' | 'byModel' | 'auto' | 'background' | 'showsBudget'
> {
  /** The model of sessions that are opened from then on; those that are open keep theirs until they are switched. */
  readonly driver?: ModelDriver;
  readonly summariser?: SummariserChoice;
  /** Limits of the runs that begin from then on. */
  readonly limits?: RunLimits;
  /** What is done with calls, by the name of the tool; in open sessions from the next call on. */
  readonly rules?: Readonly<Record<string, ApprovalRule>>;
}

/** What an agent was made with, as far as anybody may know it: no key, no address, no text of the user. */
export interface AgentFacts {
  /** As `anthropic:claude-sonnet-5`. */
  readonly model: string;
  readonly tools: readonly ToolFacts[];
  readonly limits: {
    readonly maxSteps: number;
    /** `null`: none. */
    readonly maxDurationMs: number | null;
    readonly graceMs: number;
  };
}

interface ToolFacts {
  readonly name: string;
  /** What is done with a call for which nothing else was said. */
  readonly approval: ApprovalRule;
}

/** Fifty steps are more than most requests take; a minute of grace is enough for a last answer. */
export const usualLimits = { maxSteps: 50, graceMs: 60_000 } as const satisfies RunLimits;

/** The options with what every part of the agent needs. */
export type AgentSetup = AgentOptions &
  Required<Pick<AgentOptions, 'clock' | 'timer' | 'ids'>> & {
    readonly stop: AgentStop;
    readonly kept: KeptContexts;
    /** Where owners have quotas. */
    readonly quotas?: Quotas;
  };
