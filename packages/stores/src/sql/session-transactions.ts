import { SessionTransaction, sessionRow } from './session-transaction.ts';
import type { Database } from './database.ts';
import type { SessionRow, Tx } from './schema.ts';
import type { Surroundings } from './session-transaction.ts';

/** Where the parts of a store get their transactions: one method call, one transaction, one session. */
export class SessionTransactions {
  readonly database: Database;
  readonly around: Surroundings;

  constructor(database: Database, around: Surroundings) {
    this.database = database;
    this.around = around;
  }

  /** @throws {ContextError} `not-found` */
  read<Result>(sessionId: string, work: (tx: Tx, row: SessionRow) => Promise<Result>): Promise<Result> {
    return this.database.read(async (tx) => work(tx, await sessionRow(tx, sessionId)));
  }

  /** @throws {ContextError} `not-found` */
  async change<Result>(
    sessionId: string,
    change: (work: SessionTransaction) => Promise<Result>,
  ): Promise<Result> {
    const { result, afterwards } = await this.database.write(async (tx) => {
      const work = await SessionTransaction.open(tx, this.around, sessionId);
      const done = await change(work);
      await work.save();
      return { result: done, afterwards: work.afterwards };
    });
    for (const act of afterwards) act();
    return result;
  }
}
