import { setTimeout as sleep } from 'node:timers/promises';

/** An event as it came over the wire. */
export interface Told {
  readonly seq: number;
  readonly type: string;
  /** The whole of it, as it stood in the stream. */
  readonly text: string;
}

export interface FollowOptions {
  readonly sessionId: string;
  /** The address to ask next; another one each time it breaks. */
  readonly nextUrl: () => string;
  readonly signal: AbortSignal;
  /** So long it stays with one node: then it breaks off by itself, and goes on at another. */
  readonly stayMs?: number;
}

/** Follows the events of a session over whatever node there is, each time behind the last that it has. */
export async function follow(options: FollowOptions, told: Told[]): Promise<void> {
  const { sessionId, nextUrl, signal, stayMs } = options;
  while (!signal.aborted) {
    const stay = stayMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(stayMs)]);
    try {
      const after = told.at(-1)?.seq;
      const answer = await fetch(`${nextUrl()}/api/sessions/${sessionId}/events`, {
        headers: after === undefined ? {} : { 'last-event-id': String(after) },
        signal: stay,
      });
      if (answer.ok && answer.body) for await (const event of eventsOf(answer.body)) told.push(event);
    } catch {
      // It goes on at the next.
    }
    if (!signal.aborted) await sleep(20);
  }
}

/** Reads all that is stored of a session, anew, from one node. */
export async function readJournal(url: string, sessionId: string, lastSeq: number): Promise<readonly Told[]> {
  const told: Told[] = [];
  const done = new AbortController();
  const answer = await fetch(`${url}/api/sessions/${sessionId}/events`, { signal: done.signal });
  if (!answer.body || lastSeq === 0) return told;
  for await (const event of eventsOf(answer.body)) {
    told.push(event);
    if (event.seq >= lastSeq) break;
  }
  done.abort();
  return told;
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Told> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

/** `undefined` for a comment, and for what has no number: the stream speaks of itself. */
function eventOf(block: string): Told | undefined {
  const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line]));
  const valueOf = (name: string): string | undefined =>
    fields
      .get(name)
      ?.slice(name.length + 1)
      .trim();
  const [id, type, text] = [valueOf('id'), valueOf('event'), valueOf('data')];
  if (id === undefined || type === undefined || text === undefined) return undefined;
  return { seq: Number(id), type, text };
}

/** What goes when a part has ended: who came later has the whole of it instead. */
export function isPassing({ type, text }: Told): boolean {
  return type === 'tool:output' || (type === 'llm:chunk' && !text.includes('"isComplete":true'));
}
