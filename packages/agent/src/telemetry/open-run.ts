import { OpenSpan } from './open-span.ts';
import { OpenStep } from './open-step.ts';
import { attribute } from './names.ts';
import type { Attributes, Context } from '@opentelemetry/api';
import type { AgentEvents, ContextUsage, RunOutcome } from '@throughline/protocol/types';
import type { SpanFault, SpanKit } from './open-span.ts';

interface RunStart {
  readonly sessionId: string;
  readonly runId: string;
  readonly isResumed: boolean;
  /** With the baggage of the run. */
  readonly parent: Context;
  /** What is under way belongs to an earlier run of the same session. */
  readonly isRoot: boolean;
  readonly atMs: number;
  readonly agentName?: string;
}

/** A run that has begun, with all that is open in it. */
export class OpenRun {
  readonly runId: string;
  readonly span: OpenSpan;
  readonly #kit: SpanKit;
  readonly #sessionId: string;
  readonly #name: Attributes;
  #step: OpenStep | undefined;
  #steps = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #usage: ContextUsage | undefined;
  #lastMs: number;

  constructor(kit: SpanKit, { sessionId, runId, isResumed, agentName, parent, isRoot, atMs }: RunStart) {
    this.#kit = kit;
    this.#lastMs = atMs;
    this.#sessionId = sessionId;
    this.runId = runId;
    this.#name = agentName === undefined ? {} : { [attribute.agentName]: agentName };
    this.span = new OpenSpan(kit, {
      name: agentName === undefined ? 'invoke_agent' : `invoke_agent ${agentName}`,
      parent,
      isRoot,
      atMs,
      attributes: {
        [attribute.operationName]: 'invoke_agent',
        ...this.#name,
        [attribute.conversationId]: sessionId,
        [attribute.runId]: runId,
        [attribute.runResumed]: isResumed,
      },
    });
  }

  get step(): OpenStep | undefined {
    return this.#step;
  }

  /** Something was heard of it. */
  touch(atMs: number): void {
    this.#lastMs = Math.max(this.#lastMs, atMs);
  }

  startStep(data: AgentEvents['step:start'], atMs: number): void {
    if (this.#step?.number === data.step) return this.#step.startCall(data, atMs);
    this.#closeStep(atMs);
    this.#steps += 1;
    this.#step = new OpenStep(this.#kit, {
      parent: this.span.context,
      sessionId: this.#sessionId,
      data,
      atMs,
    });
  }

  endCall(data: AgentEvents['step:end']): void {
    this.#inputTokens += data.usage?.input ?? 0;
    this.#outputTokens += data.usage?.output ?? 0;
    this.#step?.endCall(data);
  }

  keepUsage(usage: ContextUsage): void {
    this.#usage = usage;
  }

  /** Where what the run causes belongs: its call, its step, or itself. */
  contextOf(callId: string | undefined): Context {
    return this.#step?.contextOf(callId) ?? this.span.context;
  }

  end({ outcome }: AgentEvents['run:end'], atMs: number): void {
    const type = runError(outcome);
    const seconds = Math.max(0, atMs - this.span.startedMs) / 1_000;
    this.#kit.meters.runSeconds(seconds, {
      ...this.#name,
      ...(type === undefined ? {} : { [attribute.errorType]: type }),
    });
    this.#close(outcome.type, atMs, type === undefined ? undefined : { type, ...messageOf(outcome) });
  }

  /** Nobody knows how it went on: the process died, or its events never came. Ends with what was heard last. */
  abandon(): void {
    this.#close('abandoned', this.#lastMs);
  }

  #close(outcome: string, atMs: number, fault?: SpanFault): void {
    this.#closeStep(atMs);
    this.span.set({
      [attribute.runOutcome]: outcome,
      [attribute.runSteps]: this.#steps,
      [attribute.usageInputTokens]: this.#inputTokens,
      [attribute.usageOutputTokens]: this.#outputTokens,
    });
    if (fault) this.span.fail(fault);
    // A tool measures its own time: it may end a little behind the event that tells it.
    this.span.end(Math.max(atMs, this.#lastMs));
  }

  #closeStep(atMs: number): void {
    if (this.#step) this.touch(this.#step.close(this.#usage, atMs));
    this.#step = undefined;
    this.#usage = undefined;
  }
}

function messageOf(outcome: AgentEvents['run:end']['outcome']): { readonly message?: string } {
  if (outcome.type === 'failed') return { message: outcome.failure.message };
  return outcome.type === 'broken' ? { message: outcome.message } : {};
}

type ErrorTypes = {
  readonly [Type in RunOutcome['type']]: (
    outcome: Extract<RunOutcome, { readonly type: Type }>,
  ) => string | undefined;
};

// What a user wants, or what the model ends itself, is no error; a limit is what was asked for.
const errorTypes: ErrorTypes = {
  completed: () => undefined,
  cancelled: () => undefined,
  limit: () => undefined,
  failed: ({ failure }) => failure.kind,
  'cannot-fit': () => 'cannot-fit',
  lost: () => 'lost',
  broken: ({ code }) => code,
};

/** The `error.type` of a run that failed; `undefined` for one that did not. Never a message. */
export function runError<Type extends RunOutcome['type']>(
  outcome: Extract<RunOutcome, { readonly type: Type }>,
): string | undefined {
  const row: ErrorTypes[Type] = errorTypes[outcome.type];
  return row(outcome);
}
