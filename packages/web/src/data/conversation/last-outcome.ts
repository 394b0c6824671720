import { outcomeTrouble } from './trouble.ts';
import type { Client } from '@throughline/client';
import type { ConversationState } from './state.ts';

/** Among so many of the newest events is the end of the newest run. */
const newestEvents = 40;

/**
 * What became of the newest run where nothing answers the last message: who opens the session later is told as those
 * were who looked on.
 */
export async function lastOutcome(
  client: Client,
  { session, messages, activity }: ConversationState,
  signal: AbortSignal,
): Promise<Partial<ConversationState>> {
  if (activity.type !== 'idle' || messages.at(-1)?.role !== 'user') return {};
  const after = Math.max(0, session.lastEventSeq - newestEvents);
  const { runs } = await client.getTrace({ id: session.id, after }, { signal });
  const outcome = runs.at(-1)?.outcome;
  return outcome ? { lastOutcome: outcome, trouble: outcomeTrouble(outcome, session.lastEventSeq) } : {};
}
