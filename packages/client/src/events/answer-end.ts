import type { AgentEvent } from '@throughline/protocol/types';

/** Asked of every event in order: whether it is the last of what answers a message. The server decides it in this way, too. */
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
