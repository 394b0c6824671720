import { ContextError } from '@throughline/core';
import { opening } from './event-frame.ts';
import { ReaderConnection } from './reader-connection.ts';
import { randomUUID } from 'node:crypto';
import type { AgentEvent } from '@throughline/agent';
import type { CloseReason } from './event-frame.ts';
import type { ConnectionOptions } from './reader-connection.ts';
import type { EventFeed } from './event-feed.ts';

/** Names that are looked up in one go. */
const pageSize = 64;

interface AllEventsOptions extends ConnectionOptions {
  readonly told: ToldEvents;
  readonly feed: Pick<EventFeed, 'after'>;
  /** Asked each time: ids may come back with another owner. `undefined` where there is no such session. */
  readonly ownerOf: (sessionId: string) => Promise<string | undefined>;
  readonly owner: string;
  /** The number behind which it begins; `undefined`: nobody knows what the reader has missed. */
  readonly after: number | undefined;
}

/** The events of all sessions of an owner on their way to one reader, in the order in which they were told. */
export class AllEventsStream {
  readonly #options: AllEventsOptions;
  readonly #connection: ReaderConnection;
  #sent: number;
  #hasMissed: boolean;

  constructor(options: AllEventsOptions) {
    this.#options = options;
    this.#connection = new ReaderConnection(options, () => this.#readMissed());
    this.#sent = options.after ?? options.told.last;
    this.#hasMissed = options.after === undefined;
  }

  start(): void {
    // Whoever loses the connection before the first event goes on from here, too.
    const place = Buffer.from(`id: ${this.#options.told.idOf(this.#sent)}\n\n`);
    this.#connection.start(Buffer.concat([opening, place]));
  }

  /** Something was told. */
  wake(): void {
    if (this.#connection.isLive) this.#connection.read();
  }

  close(reason: CloseReason): void {
    this.#connection.close(reason);
  }

  async #readMissed(): Promise<void> {
    const { told } = this.#options;
    try {
      while (this.#connection.isReading) {
        const page = this.#hasMissed ? undefined : told.after(this.#sent, pageSize);
        if (!page) this.#tellMissed();
        else if (page.length === 0) this.#connection.goLive();
        else await this.#sendPage(page);
      }
    } catch {
      this.close('store-failed');
    }
  }

  /** What was missed is named nowhere any more: the reader has to look at its sessions again. */
  #tellMissed(): void {
    const { told } = this.#options;
    this.#hasMissed = false;
    this.#sent = told.last;
    const frame = `event: stream:missed\nid: ${told.idOf(this.#sent)}\ndata: {"type":"stream:missed"}\n\n`;
    this.#connection.send(Buffer.from(frame));
  }

  async #sendPage(page: readonly ToldEvent[]): Promise<void> {
    for (const [first, ...others] of runsOf(page)) {
      if (!first || !this.#connection.isReading) return;
      const from = this.#sent;
      const stored = await this.#eventsOf(first.sessionId, [first, ...others]);
      if (!this.#connection.isReading) return;
      this.#sent = from + 1 + others.length;
      const { told } = this.#options;
      const frames = stored.map(({ event, place }) =>
        frameOf(event, { sessionId: first.sessionId, id: told.idOf(from + 1 + place) }),
      );
      if (frames.length > 0) this.#connection.send(Buffer.from(frames.join('')));
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

/** An event by its name: what it says is in the journal. */
export interface ToldEvent {
  readonly sessionId: string;
  readonly seq: number;
}

/** Names that are kept for readers who come back or are slow, at the least. */
const leastKept = 20_000;

/**
 * In which order this process was told of the events of all sessions. Each gets a number; the newest are kept by name,
 * so that a reader goes on behind any of them, at a cost that does not grow.
 */
export class ToldEvents {
  /** Another process counts anew. */
  readonly #epoch = randomUUID().slice(0, 8);
  #names: ToldEvent[] = [];
  /** Names that were dropped before the first one that is kept. */
  #dropped = 0;

  /** The number of the newest; 0 before the first. */
  get last(): number {
    return this.#dropped + this.#names.length;
  }

  take(sessionId: string, { seq }: { readonly seq: number }): void {
    this.#names.push({ sessionId, seq });
    if (this.#names.length < 2 * leastKept) return;
    this.#names = this.#names.slice(leastKept);
    this.#dropped += leastKept;
  }

  /** Those behind a number, oldest first; `undefined` where some of them are kept no more. */
  after(number: number, limit: number): readonly ToldEvent[] | undefined {
    if (number < this.#dropped) return undefined;
    return this.#names.slice(number - this.#dropped, number - this.#dropped + limit);
  }

  /** The number as clients have it. */
  idOf(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  /** The number in an id; `'foreign'` of one that another process gave, `undefined` of what is none. */
  read(id: string): number | 'foreign' | undefined {
    const [, epoch, digits] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(id) ?? [];
    if (digits === undefined) return undefined;
    if (epoch !== this.#epoch) return 'foreign';
    return Number(digits) <= this.last ? Number(digits) : undefined;
  }
}
