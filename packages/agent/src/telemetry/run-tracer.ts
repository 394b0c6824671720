import { createMeters, scopeName } from './meters.ts';
import { OpenRun } from './open-run.ts';
import { OpenSpan } from './open-span.ts';
import { attribute, spanEvent } from './names.ts';
import type { Attributes, Context } from '@opentelemetry/api';
import type { AgentEvent, AgentEvents, AgentEventType } from '@throughline/protocol/types';
import type { TelemetryApi } from './meters.ts';
import type { SpanFault, SpanKit } from './open-span.ts';

interface RunTracerOptions {
  readonly api: TelemetryApi;
  readonly capturesContent: boolean;
  readonly agentName?: string;
  /** Most runs that are followed at once: beyond it the one that was silent longest is given up. */
  readonly maxOpenRuns: number;
}

/** Whose work it is that is done. */
export interface WorkScope {
  readonly sessionId: string;
  readonly runId: string;
  /** The call of a tool that runs. */
  readonly callId?: string;
}

/** What an event is handled with. */
interface Trace {
  readonly tracer: RunTracer;
  readonly kit: SpanKit;
  readonly sessionId: string;
  readonly runId: string | null;
  readonly atMs: number;
  /** The run of this session that was seen to begin. */
  readonly run: OpenRun | undefined;
}

type Handler<Type extends AgentEventType> = (trace: Trace, data: AgentEvents[Type]) => void;

const handlers: { readonly [Type in AgentEventType]?: Handler<Type> } = {
  'run:start': ({ tracer, sessionId, atMs }, data) => tracer.begin(sessionId, data, atMs),
  'run:end': ({ tracer, sessionId, atMs, run }, data) => {
    if (run?.runId !== data.runId) return;
    run.end(data, atMs);
    tracer.forget(sessionId);
  },
  'step:start': ({ run, atMs }, data) => run?.startStep(data, atMs),
  'step:end': ({ run }, data) => run?.endCall(data),
  'llm:response': ({ run }, data) => run?.step?.traceAnswer(data),
  'llm:tool-call': ({ run }, data) => run?.step?.keepInput(data),
  'llm:retry': ({ run, atMs }, { attempt, reason }) =>
    run?.step?.noteOnCall(spanEvent.retry, atMs, {
      [attribute.retryAttempt]: attempt,
      [attribute.errorType]: reason.kind,
    }),
  'llm:error': ({ run, atMs }, { context, error: { code, message } }) => {
    const fault: SpanFault = { type: code, message };
    if (context === 'step') run?.step?.failCall(fault, atMs);
    else
      run?.span.note(spanEvent.error, atMs, {
        [attribute.errorType]: code,
        [attribute.errorContext]: context,
      });
  },
  'llm:switched': ({ run, atMs }, { newConfig: { model } }) =>
    run?.span.note(spanEvent.modelSwitched, atMs, { [attribute.requestModel]: model }),
  'tool:state': ({ run, atMs }, data) => {
    if (data.state === 'running') run?.step?.startTool(data, atMs);
  },
  'llm:tool-result': ({ run, atMs }, data) => run?.step?.endTool(data, atMs),
  'context:usage': ({ run }, usage) => run?.keepUsage(usage),
  'context:overflow': ({ kit, run, atMs }, { currentTokens, limit }) => {
    kit.meters.overflows(1, {});
    run?.span.note(spanEvent.overflow, atMs, {
      [attribute.contextTokens]: currentTokens,
      [attribute.contextLimit]: limit,
    });
  },
  'context:pruned': ({ kit, run, atMs }, { prunedCount, savedTokens }) => {
    kit.meters.prunedOutputs(prunedCount, {});
    run?.span.note(spanEvent.pruned, atMs, {
      [attribute.prunedOutputs]: prunedCount,
      [attribute.savedTokens]: savedTokens,
    });
  },
  'context:repaired': ({ kit }, { repairs }) => {
    for (const { type } of repairs) kit.meters.repairs(1, { [attribute.repairType]: type });
  },
  'compaction:start': ({ tracer, sessionId, atMs }) => tracer.markCompaction(sessionId, atMs),
  'context:compressed': (trace, data) => compacted(trace, data),
  'compaction:error': (trace, { error: { code, message } }) => {
    compactionSpan(trace, { outcome: 'failed', attributes: {}, fault: { type: code, message } });
  },
  'compaction:cancelled': (trace, { reason }) => {
    const attributes = { [attribute.compactionReason]: reason };
    compactionSpan(trace, { outcome: 'cancelled', attributes });
  },
};

function compacted(trace: Trace, data: AgentEvents['context:compressed']): void {
  const { originalTokens, compressedTokens, durationMs, summary } = data;
  const kind = {
    [attribute.compactionReason]: data.reason,
    [attribute.compactionStrategy]: data.strategy,
  };
  trace.kit.meters.savedTokens(Math.max(0, originalTokens - compressedTokens), kind);
  compactionSpan(trace, {
    outcome: 'compacted',
    attributes: kind,
    durationMs,
    details: {
      [attribute.compactionCheckpoint]: data.checkpointId,
      [attribute.compactionRound]: data.round,
      [attribute.compactionTokensBefore]: originalTokens,
      [attribute.compactionTokensAfter]: compressedTokens,
      [attribute.compactionMessages]: data.messagesCompacted,
      [attribute.compactionPruned]: data.wasPruned,
      [attribute.compactionSummarized]: data.wasSummarized,
    },
    ...(summary === null ? {} : { summary }),
  });
}

interface EndedCompaction {
  readonly outcome: 'compacted' | 'failed' | 'cancelled';
  /** Few values: they go into metrics too. */
  readonly attributes: Attributes;
  readonly details?: Attributes;
  readonly durationMs?: number;
  readonly summary?: string;
  readonly fault?: SpanFault;
}

/** Told when it is over: a pass that asks nobody begins and ends in one moment, and its start is told with its end. */
function compactionSpan(trace: Trace, ended: EndedCompaction): void {
  const { tracer, kit, sessionId, runId, run, atMs } = trace;
  const { outcome, attributes, details = {}, durationMs = 0, summary, fault } = ended;
  const startMs = Math.min(tracer.takeCompaction(sessionId) ?? atMs, atMs - durationMs);
  const span = new OpenSpan(kit, {
    name: 'compact_context',
    parent: run?.span.context ?? tracer.contextFor({ sessionId, runId }),
    atMs: startMs,
    attributes: {
      [attribute.operationName]: 'compact_context',
      [attribute.conversationId]: sessionId,
      [attribute.compactionOutcome]: outcome,
      ...(runId === null ? {} : { [attribute.runId]: runId }),
      ...attributes,
      ...details,
    },
  });
  if (summary !== undefined) span.setContent(attribute.compactionSummary, () => summary);
  if (fault) span.fail(fault);
  span.end(atMs);
  const told = { ...attributes, [attribute.compactionOutcome]: outcome };
  const type = fault ? { [attribute.errorType]: fault.type } : {};
  kit.meters.compactions(1, { ...told, ...type });
  kit.meters.compactionSeconds((atMs - startMs) / 1_000, { ...told, ...type });
}

/** Makes spans and metrics of events. What it remembers of runs whose end never comes is bounded. */
export class RunTracer {
  readonly #kit: SpanKit;
  readonly #options: RunTracerOptions;
  /** By session; the one that was silent longest is first. */
  readonly #runs = new Map<string, OpenRun>();
  readonly #compactions = new Map<string, number>();

  constructor(options: RunTracerOptions) {
    const { api, capturesContent } = options;
    const tracer = api.trace.getTracer(scopeName);
    this.#options = options;
    this.#kit = { api, tracer, meters: createMeters(api), capturesContent };
  }

  observe(sessionId: string, event: AgentEvent): void {
    const handler = handlers[event.type] as Handler<AgentEventType> | undefined;
    if (!handler) return;
    const { runId, atMs } = event;
    const found = this.#runs.get(sessionId);
    if (found) this.#remember(sessionId, found);
    const run = found?.runId === runId ? found : undefined;
    run?.touch(atMs);
    handler({ tracer: this, kit: this.#kit, sessionId, runId, atMs, run }, event.data);
  }

  begin(sessionId: string, { runId, isResumed }: AgentEvents['run:start'], atMs: number): void {
    this.#runs.get(sessionId)?.abandon();
    this.#runs.delete(sessionId);
    const { api, agentName, maxOpenRuns } = this.#options;
    const active = api.propagation.getBaggage(api.context.active());
    const run = new OpenRun(this.#kit, {
      sessionId,
      runId,
      isResumed,
      parent: this.contextFor({ sessionId, runId }),
      isRoot: active?.getEntry(sessionKey)?.value === sessionId,
      atMs,
      ...(agentName === undefined ? {} : { agentName }),
    });
    this.#remember(sessionId, run);
    const [oldest] = this.#runs;
    if (!oldest || this.#runs.size <= maxOpenRuns) return;
    oldest[1].abandon();
    this.#runs.delete(oldest[0]);
  }

  forget(sessionId: string): void {
    this.#runs.delete(sessionId);
  }

  markCompaction(sessionId: string, atMs: number): void {
    this.#compactions.delete(sessionId);
    this.#compactions.set(sessionId, atMs);
    const [oldest] = this.#compactions;
    if (oldest && this.#compactions.size > this.#options.maxOpenRuns) this.#compactions.delete(oldest[0]);
  }

  takeCompaction(sessionId: string): number | undefined {
    const atMs = this.#compactions.get(sessionId);
    this.#compactions.delete(sessionId);
    return atMs;
  }

  /** What is under way, with session and run as baggage. */
  contextFor({ sessionId, runId }: { readonly sessionId: string; readonly runId: string | null }): Context {
    const { context, propagation } = this.#options.api;
    const active = context.active();
    const known = propagation.getBaggage(active) ?? propagation.createBaggage();
    const session = known.setEntry(sessionKey, { value: sessionId });
    return propagation.setBaggage(
      active,
      runId === null ? session.removeEntry(runKey) : session.setEntry(runKey, { value: runId }),
    );
  }

  within<Result>({ sessionId, runId, callId }: WorkScope, work: () => Result): Result {
    const run = this.#runs.get(sessionId);
    const isKnown = run?.runId === runId;
    const scope = isKnown ? run.contextOf(callId) : this.contextFor({ sessionId, runId });
    return this.#options.api.context.with(scope, work);
  }

  /** Ends what is open. */
  close(): void {
    for (const run of this.#runs.values()) run.abandon();
    this.#runs.clear();
    this.#compactions.clear();
  }

  #remember(sessionId: string, run: OpenRun): void {
    this.#runs.delete(sessionId);
    this.#runs.set(sessionId, run);
  }
}

const sessionKey = attribute.conversationId;
const runKey = attribute.runId;
