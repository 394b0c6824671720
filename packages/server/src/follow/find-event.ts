import type { AgentEvent } from '@throughline/agent';
import type { Journal } from '@throughline/ports';

const pageSize = 500;
const firstWindow = 250;

/**
 * The newest event up to a number that is looked for. It looks backwards in growing windows: what is asked for is near
 * the end, and a journal may be long.
 */
export async function findLastEvent(
  journal: Journal,
  { sessionId, upTo }: { readonly sessionId: string; readonly upTo: number },
  isWanted: (event: AgentEvent) => boolean,
): Promise<AgentEvent | undefined> {
  for (let end = upTo, window = firstWindow; end > 0; window *= 4) {
    const begin = Math.max(0, end - window);
    let found: AgentEvent | undefined;
    for await (const event of eventsBetween(journal, sessionId, begin, end))
      if (isWanted(event)) found = event;
    if (found) return found;
    end = begin;
  }
  return undefined;
}

/** Events with a number above `begin` and up to `end`. */
export async function* eventsBetween(
  journal: Journal,
  sessionId: string,
  begin: number,
  end: number,
): AsyncGenerator<AgentEvent, void, undefined> {
  for (let seq = begin; seq < end;) {
    const page = await journal.after(sessionId, seq, pageSize);
    for (const event of page) {
      if (event.seq > end) return;
      // Nobody but the agent writes events.
      yield event as unknown as AgentEvent;
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    seq = last.seq;
  }
}
