import { RunTracer } from './run-tracer.ts';
import type { AgentEvent, AgentEvents, AgentEventType } from '@throughline/protocol/types';
import type { TelemetryApi } from './meters.ts';
import type { WorkScope } from './run-tracer.ts';

/** What a line says beside its message: plain data, and never the content of a message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where structured lines go; a pino logger is one. It must not throw. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
}

/** Where spans, metrics and log lines go, and what stands in them. */
export interface TelemetryOptions {
  /** The module `@opentelemetry/api`, after its SDK was started. @default no spans and no metrics */
  readonly api?: TelemetryApi;
  /** Gets one line per prune, compaction, overflow and repair. @default no lines */
  readonly logger?: Logger;
  /** What the model says, arguments, results and summaries go into spans. @default false */
  readonly capturesContent?: boolean;
  /** Names the agent in spans and metrics. */
  readonly agentName?: string;
  /** Runs that are followed at once. @default 1 000 */
  readonly maxOpenRuns?: number;
}

/** Follows what agents do. It changes nothing, and never throws unless the logger does. */
export interface Telemetry extends Disposable {
  /** Takes the events of a session as they are told, in order. Those of several sessions may alternate. */
  observe(sessionId: string, event: AgentEvent): void;
  /**
   * Does a piece of a run's work: what it sends carries session and run as baggage, and what it traces stands below the
   * tool (where `callId` names one that runs), the model call, the step or the run that is open.
   */
  within<Result>(scope: WorkScope, work: () => Result): Result;
}

/** Spans, metrics and log lines of everything that is observed: only what is handed in is used. */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const { api, logger, capturesContent = false, agentName, maxOpenRuns = 1_000 } = options;
  const named = agentName === undefined ? {} : { agentName };
  const tracer = api && new RunTracer({ api, capturesContent, maxOpenRuns, ...named });
  return {
    observe: (sessionId, event) => {
      tracer?.observe(sessionId, event);
      if (logger) log(logger, sessionId, event);
    },
    within: (scope, work) => (tracer ? tracer.within(scope, work) : work()),
    [Symbol.dispose]: () => tracer?.close(),
  };
}

function log(logger: Logger, sessionId: string, event: AgentEvent): void {
  const line = logLineOf(event);
  if (!line) return;
  const { type, runId } = event;
  logger[line.level]({ event: type, sessionId, runId, ...line.fields }, line.message);
}

interface LogLine {
  readonly level: keyof Logger;
  readonly fields: LogFields;
  readonly message: string;
}

type LineOf<Type extends AgentEventType> = (data: AgentEvents[Type]) => LogLine;

const mostRepairs = 20;

const lines: { readonly [Type in AgentEventType]?: LineOf<Type> } = {
  'context:pruned': (fields) => ({ level: 'info', fields, message: 'Old tool output was pruned' }),
  'context:compressed': (data) => {
    const { summary: _, ...fields } = data;
    return { level: 'info', fields, message: 'The context was compacted' };
  },
  'compaction:error': ({ error, ...fields }) => ({
    level: 'warn',
    fields: { code: error.code, ...fields },
    message: 'The context could not be compacted',
  }),
  'compaction:cancelled': (fields) => ({ level: 'info', fields, message: 'A compaction was cancelled' }),
  'compaction:undone': (fields) => ({ level: 'info', fields, message: 'A compaction was taken back' }),
  'compaction:redone': (fields) => ({ level: 'info', fields, message: 'A compaction is in force again' }),
  'context:overflow': (fields) => ({ level: 'warn', fields, message: 'The request exceeds the context' }),
  'context:repaired': ({ repairs }) => ({
    level: 'warn',
    fields: { count: repairs.length, repairs: repairs.slice(0, mostRepairs) },
    message: 'The request had to be mended before it could be sent',
  }),
};

/** The one line that an event is worth: each prune, compaction, overflow and repair. No content of messages. */
export function logLineOf<Type extends AgentEventType>(
  event: Pick<Extract<AgentEvent, { readonly type: Type }>, 'type' | 'data'>,
): LogLine | undefined {
  const row: LineOf<Type> | undefined = lines[event.type as Type];
  return row?.(event.data as AgentEvents[Type]);
}
