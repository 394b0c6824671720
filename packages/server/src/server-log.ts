import { destination, pino, stdTimeFunctions } from 'pino';
import type { Agent, AgentEvent, LogFields } from '@throughline/agent';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

/** Where structured lines go: what the agent's logger takes, and the levels of the server beside it. */
export interface ServerLog {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Says nothing. */
export const silentLog: ServerLog = { debug() {}, info() {}, warn() {}, error() {} };

/** One JSON line for each thing that is told, to standard error: standard output is for what a command answers. */
export function createServerLog(level: LogLevel, write?: (line: string) => void): ServerLog {
  return pino(
    {
      level,
      // What the service manager adds to each line anyway.
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    write ? { write } : destination({ dest: 2, sync: true }),
  );
}

/** An error that nobody foresaw, as fields of a line. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { ...code, error: error.message, stack: error.stack };
}

/** One line for each run that ends: how, and how long it took. */
export function logRuns(agent: Pick<Agent, 'subscribe'>, log: ServerLog): Disposable {
  const tell = (sessionId: string, event: AgentEvent): void => {
    const line = runLineOf(event);
    if (line) log[line.level]({ event: event.type, sessionId, ...line.fields }, line.message);
  };
  // A run of another server is in that server's log.
  return agent.subscribe(tell, { from: 'here' });
}

function runLineOf(
  event: AgentEvent,
): { readonly level: 'info' | 'warn'; readonly fields: LogFields; readonly message: string } | undefined {
  if (event.type !== 'run:end') return undefined;
  const { runId, outcome, durationMs } = event.data;
  const fields = { runId, outcome: outcome.type, durationMs };
  // What the model's server says of a failure may quote the request: its kind is enough here.
  if (outcome.type === 'failed')
    return {
      level: 'warn',
      fields: { ...fields, code: outcome.failure.kind, status: outcome.failure.status },
      message: 'A run failed',
    };
  if (outcome.type === 'broken')
    return { level: 'warn', fields: { ...fields, code: outcome.code }, message: 'A run broke' };
  return { level: 'info', fields, message: 'A run ended' };
}
