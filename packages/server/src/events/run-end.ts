import { eventsBetween, findLastEvent } from '../follow/find-event.ts';
import type { AgentEvent } from '@throughline/agent';
import type { Journal } from '@throughline/ports';

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

/** Where a message stands, as far as the events up to a number tell. */
interface MessagePlace {
  readonly sessionId: string;
  readonly upTo: number;
  readonly messageId: string;
}

/** The newest event that says what became of a message; `undefined` of one that was taken by nobody and does not wait. */
export function findMessageEvent(
  journal: Journal,
  { messageId, ...place }: MessagePlace,
): Promise<AgentEvent | undefined> {
  return findLastEvent(
    journal,
    place,
    ({ type, data }) =>
      ((type === 'message:queued' || type === 'message:removed') && 'id' in data && data.id === messageId) ||
      (type === 'message:dequeued' && 'ids' in data && data.ids.includes(messageId)),
  );
}

/** As {@link endOfAnswer}, for a reader who begins behind a number; `over` where the end is not behind it. */
export async function endOfAnswerBehind(
  journal: Journal,
  place: MessagePlace,
): Promise<((event: AgentEvent) => boolean) | 'over'> {
  const isLast = endOfAnswer(place.messageId);
  const begin = await findMessageEvent(journal, place);
  if (!begin) return isLast;
  for await (const event of eventsBetween(journal, place.sessionId, begin.seq - 1, place.upTo))
    if (isLast(event)) return 'over';
  return isLast;
}
