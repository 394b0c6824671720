import { ContextError } from '@throughline/core';
import { closedFrame, heartbeat, opening } from './event-frame.ts';
import type { AgentEvent } from '@throughline/agent';
import type { ByteSink } from './byte-sink.ts';
import type { CloseReason } from './event-frame.ts';
import type { EventFeed } from './event-feed.ts';
import type { ToldEvent, ToldEvents } from './told-events.ts';

/** Names that are looked up in one go. */
const pageSize = 64;
/** How long a reader that has enough on its way may take for it, once its stream has ended. */
const lastBytesMs = 5_000;

export interface AllEventsOptions {
  readonly told: ToldEvents;
  readonly feed: Pick<EventFeed, 'after'>;
  /** Asked each time: ids may come back with another owner. `undefined` where there is no such session. */
  readonly ownerOf: (sessionId: string) => Promise<string | undefined>;
  readonly owner: string;
  /** The number behind which it begins; `undefined`: nobody knows what the reader has missed. */
  readonly after: number | undefined;
  readonly sink: ByteSink;
  readonly heartbeatMs: number;
  readonly onClose: () => void;
}

/** As that of one session: see `EventStream`. */
type State = 'reading' | 'live' | 'stalled' | 'closed';

/** The events of all sessions of an owner on their way to one reader, in the order in which they were told. */
export class AllEventsStream {
  readonly #options: AllEventsOptions;
  #state: State = 'reading';
  #sent: number;
  #hasMissed: boolean;
  #timer: NodeJS.Timeout | undefined;
  #cutOff: NodeJS.Timeout | undefined;

  constructor(options: AllEventsOptions) {
    this.#options = options;
    this.#sent = options.after ?? options.told.last;
    this.#hasMissed = options.after === undefined;
  }

  start(): void {
    const { sink, heartbeatMs, told } = this.#options;
    this.#timer = setInterval(() => this.#beat(), heartbeatMs);
    this.#timer.unref();
    sink.listen({
      onDrain: () => {
        if (this.#state === 'stalled') void this.#read();
      },
      onClose: () => {
        clearTimeout(this.#cutOff);
        this.#closed();
      },
    });
    if (this.#state === 'closed') return;
    // Whoever loses the connection before the first event goes on from here, too.
    sink.write(opening);
    if (sink.write(Buffer.from(`id: ${told.idOf(this.#sent)}\n\n`))) void this.#read();
    else this.#state = 'stalled';
  }

  /** Something was told. */
  wake(): void {
    if (this.#state === 'live') void this.#read();
  }

  close(reason: CloseReason): void {
    if (this.#state === 'closed') return;
    const { sink } = this.#options;
    if (this.#state === 'stalled') this.#cutOff = setTimeout(() => sink.destroy(), lastBytesMs);
    this.#closed();
    sink.write(closedFrame(reason));
    sink.end();
  }

  async #read(): Promise<void> {
    const { told } = this.#options;
    this.#state = 'reading';
    try {
      while (this.#state === 'reading') {
        const page = this.#hasMissed ? undefined : told.after(this.#sent, pageSize);
        if (!page) this.#tellMissed();
        else if (page.length === 0) this.#state = 'live';
        else await this.#sendPage(page);
      }
    } catch {
      this.close('store-failed');
    }
  }

  /** What was missed is named nowhere any more: the reader has to look at its sessions again. */
  #tellMissed(): void {
    const { told, sink } = this.#options;
    this.#hasMissed = false;
    this.#sent = told.last;
    const frame = `event: stream:missed\nid: ${told.idOf(this.#sent)}\ndata: {"type":"stream:missed"}\n\n`;
    if (!sink.write(Buffer.from(frame))) this.#state = 'stalled';
  }

  async #sendPage(page: readonly ToldEvent[]): Promise<void> {
    for (const [first, ...others] of runsOf(page)) {
      if (!first || this.#state !== 'reading') return;
      const from = this.#sent;
      const stored = await this.#eventsOf(first.sessionId, [first, ...others]);
      if (this.#state !== 'reading') return;
      this.#sent = from + 1 + others.length;
      const { sink, told } = this.#options;
      const frames = stored.map(({ event, place }) =>
        frameOf(event, { sessionId: first.sessionId, id: told.idOf(from + 1 + place) }),
      );
      if (frames.length > 0 && !sink.write(Buffer.from(frames.join('')))) this.#state = 'stalled';
    }
  }

  /** Those that the journal still has: chunks of a text that has ended are in it as one. */
  async #eventsOf(
    sessionId: string,
    names: readonly ToldEvent[],
  ): Promise<readonly { readonly event: AgentEvent; readonly place: number }[]> {
    const { feed, ownerOf, owner } = this.#options;
    if ((await ownerOf(sessionId)) !== owner) return [];
    const places = new Map(names.map(({ seq }, place) => [seq, place]));
    const seqs = [...places.keys()];
    const [least, most] = [Math.min(...seqs), Math.max(...seqs)];
    try {
      const events = await feed.after(sessionId, least - 1, most - least + 1);
      return events.flatMap((event) => {
        const place = places.get(event.seq);
        return place === undefined ? [] : [{ event, place }];
      });
    } catch (error) {
      if (ContextError.is(error, 'not-found')) return [];
      throw error;
    }
  }

  #beat(): void {
    if (this.#state === 'live' && !this.#options.sink.write(heartbeat)) this.#state = 'stalled';
  }

  #closed(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearInterval(this.#timer);
    this.#options.onClose();
  }
}

/** Events of one session that follow each other. */
function runsOf(page: readonly ToldEvent[]): readonly (readonly ToldEvent[])[] {
  const runs: ToldEvent[][] = [];
  for (const name of page) {
    const last = runs.at(-1);
    if (last?.[0]?.sessionId === name.sessionId) last.push(name);
    else runs.push([name]);
  }
  return runs;
}

function frameOf(
  event: AgentEvent,
  { sessionId, id }: { readonly sessionId: string; readonly id: string },
): string {
  return `event: ${event.type}\nid: ${id}\ndata: ${JSON.stringify({ sessionId, ...event })}\n\n`;
}
