import { asked } from './connection/postgres-dialect.ts';
import type { Clock } from '@throughline/ports';
import type { Pool } from 'pg';

const lookAgainMs = 60_000;

/**
 * The time of the database: machines whose clocks differ agree on when a lease ends. It is asked for at the beginning
 * and once a minute; between, this machine only counts on, by a clock that nobody sets.
 */
export class DatabaseClock implements Clock, Disposable {
  readonly #pool: Pool;
  readonly #timer: NodeJS.Timeout;
  #offsetMs: number;

  private constructor(pool: Pool, offsetMs: number) {
    this.#pool = pool;
    this.#offsetMs = offsetMs;
    this.#timer = setInterval(() => void this.#look(), lookAgainMs).unref();
  }

  static async open(pool: Pool): Promise<DatabaseClock> {
    return new DatabaseClock(pool, await offsetOf(pool));
  }

  nowMs(): number {
    return performance.now() + this.#offsetMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    // Where the database does not answer, what needs it says so.
    this.#offsetMs = await offsetOf(this.#pool).catch(() => this.#offsetMs);
  }
}

/** The answer is as old as half of the way there and back. */
async function offsetOf(pool: Pool): Promise<number> {
  // Twice: the first may have waited for a connection.
  let offsetMs = 0;
  for (let turn = 0; turn < 2; turn += 1) {
    const asking = performance.now();
    const text = 'select extract(epoch from clock_timestamp()) * 1000 as now_ms';
    const { rows } = await asked(pool.query<{ now_ms: string }>(text));
    offsetMs = Number(rows[0]?.now_ms) - (asking + performance.now()) / 2;
  }
  return offsetMs;
}
