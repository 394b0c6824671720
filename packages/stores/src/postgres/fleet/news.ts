import { parseJson } from '@throughline/core/internal';
import type { DirectConnection } from './direct-connection.ts';

type NewsListener = (sessionId: string | undefined) => void;

/**
 * At the end of a notification the whole database waits for its turn, and everybody reads it. A process rests after each,
 * longer for each that it heard meanwhile: so all processes together send a thousand a second, however many there are.
 */
const [leastPauseMs, pauseForHeardMs] = [10, 1];
/** A session is told so many times a second at the most: while an answer streams, a reader gets several events at once. */
const sessionPauseMs = 50;
/** Postgres takes 8 000 bytes. */
const longestText = 2_000;

/**
 * Tells other processes in which sessions something was stored, and hears it of them: ids alone, and behind the
 * transaction that stored it. What is lost here others find when they look for themselves.
 */
export class News {
  readonly #channel: string;
  readonly #listeners = new Set<NewsListener>();
  readonly #waiting = new Set<string>();
  /** When a session may be told again, soonest first. */
  readonly #resting = new Map<string, number>();
  #connection: DirectConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<unknown> = Promise.resolve();
  #isResting = false;
  #heard = 0;

  constructor(schema: string) {
    this.#channel = `throughline_${schema}`.slice(0, 63);
  }

  readonly tell = (sessionId: string): void => {
    if (!this.#connection) return;
    this.#waiting.add(sessionId);
    this.#plan();
  };

  readonly onNews = (listener: NewsListener): Disposable => {
    const own: NewsListener = (sessionId) => listener(sessionId);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  };

  /** Everybody looks for themselves: in this process, too. */
  tellAll(): void {
    this.#hear(undefined);
  }

  async listenOn(connection: DirectConnection): Promise<void> {
    connection.onNotification((payload) => this.#read(payload, connection.name));
    await connection.ask(`listen "${this.#channel}"`);
    this.#connection = connection;
    // What was told while nobody listened.
    this.tellAll();
  }

  stop(): void {
    this.#connection = undefined;
    clearTimeout(this.#timer);
    this.#waiting.clear();
    this.#resting.clear();
    this.#isResting = false;
  }

  async flush(): Promise<void> {
    this.#send([...this.#waiting]);
    await this.#sending;
  }

  #plan(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    // What is stored in the same turn is told together.
    setImmediate(() => this.#send(this.#due()));
    const pauseMs = leastPauseMs + this.#heard * pauseForHeardMs;
    this.#heard = 0;
    this.#timer = setTimeout(() => {
      this.#isResting = false;
      if (this.#waiting.size > 0) this.#plan();
    }, pauseMs).unref();
  }

  /** Those that were not told a moment ago. */
  #due(): readonly string[] {
    const now = performance.now();
    for (const [sessionId, until] of this.#resting) {
      if (until > now) break;
      this.#resting.delete(sessionId);
    }
    return [...this.#waiting].filter((sessionId) => !this.#resting.has(sessionId));
  }

  #send(sessionIds: readonly string[]): void {
    if (!this.#connection || sessionIds.length === 0) return;
    const { ask, name } = this.#connection;
    const until = performance.now() + sessionPauseMs;
    for (const sessionId of sessionIds) {
      this.#waiting.delete(sessionId);
      // Behind all others again.
      this.#resting.delete(sessionId);
      this.#resting.set(sessionId, until);
    }
    const texts = textsOf(name, sessionIds);
    const text = 'select pg_notify($1, payload) from unnest($2::text[]) as payload';
    this.#sending = ask(text, [this.#channel, texts]).catch(() => undefined);
  }

  #read(payload: string, own: string): void {
    const told: unknown = parseJson(payload);
    if (!Array.isArray(told) || told[0] === own) return;
    this.#heard += 1;
    for (const id of told.slice(1)) if (typeof id === 'string') this.#hear(id);
  }

  #hear(sessionId: string | undefined): void {
    for (const listener of this.#listeners) listener(sessionId);
  }
}

/** Texts that name the sender and ids, each short enough; an id that is too long is not told. */
function textsOf(name: string, ids: readonly string[]): readonly string[] {
  const groups: string[][] = [];
  let left = 0;
  for (const id of ids.filter((one) => one.length < longestText / 2)) {
    if (left < id.length || groups.length === 0) {
      groups.push([name]);
      left = longestText;
    }
    groups.at(-1)?.push(id);
    left -= id.length + 3;
  }
  return groups.map((group) => JSON.stringify(group));
}
