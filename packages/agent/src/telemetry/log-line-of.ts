import type { AgentEvent, AgentEvents, AgentEventType } from '../agent/agent-event.ts';
import type { Logger, LogFields } from './logger.ts';

export interface LogLine {
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
