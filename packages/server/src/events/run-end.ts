import type { AgentEvent } from '@throughline/agent';

/** Whether an event is the end of this run. */
export function endOfRun(runId: string): (event: AgentEvent) => boolean {
  return (event) => event.type === 'run:end' && event.data.runId === runId;
}

/**
 * Whether an event is the end of what answers a message: of the run that takes it; of a run that leaves it waiting until
 * somebody goes on; or its removal. Made anew for each reader, who begins before the message was sent.
 */
export function endOfAnswer(messageId: string): (event: AgentEvent) => boolean {
  let isWaiting = false;
  let runId: string | null = null;
  return (event) => {
    if (event.type === 'message:queued' && event.data.id === messageId) isWaiting = true;
    if (event.type === 'message:dequeued' && event.data.ids.includes(messageId)) runId = event.runId;
    if (event.type === 'message:removed') return event.data.id === messageId;
    if (event.type !== 'run:end') return false;
    if (runId !== null) return event.data.runId === runId;
    return isWaiting && event.data.outcome.type !== 'completed';
  };
}
