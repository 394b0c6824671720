import { SqliteDialect } from 'kysely';
import { DatabaseSync } from 'node:sqlite';
import { ContextError } from '@throughline/core';
import { createStore, Database, migrations } from '@throughline/stores/kit';
import type { BlobStore, Clock, IdSource, SessionStore } from '@throughline/ports';
import type { SQLInputValue } from 'node:sqlite';
import type { Engine, TextIndex } from '@throughline/stores/kit';

interface Around {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
}

export async function openMyStore(file: string, around: Around): Promise<SessionStore> {
  const sqlite = new DatabaseSync(file);
  sqlite.exec('pragma journal_mode = wal');
  migrate(sqlite);
  // How long a transaction tries again while another connection is in the way.
  const database = new Database(engineOver(file, sqlite), 5_000);
  return createStore({ database, textIndex: noIndex, ...around });
}

/** The tables of today: all of them in a new file, in one of an older version what has been added since. */
function migrate(sqlite: DatabaseSync): void {
  sqlite.exec('pragma busy_timeout = 5000; begin immediate');
  const made = Number(sqlite.prepare('pragma user_version').get()?.['user_version']);
  // What steps rewrite in older stores there is none of in a new one.
  const rewritten = made > 0 ? [] : ['upgraded_state', 'upgraded_change', 'upgraded_checkpoint'];
  for (const name of rewritten) sqlite.function(name, (text) => text);
  for (const { version, sql } of migrations) {
    if (version > made) sqlite.exec(`${sql}; pragma user_version = ${version}`);
  }
  // From here on it is the kit that waits: in the file the whole process would.
  sqlite.exec('commit; pragma busy_timeout = 0');
}

function engineOver(file: string, sqlite: DatabaseSync): Engine {
  const failed = (reason: 'closed' | 'corrupt', cause?: unknown): ContextError =>
    new ContextError(
      'store-failed',
      `The store ${file} cannot be used: ${reason}.`,
      { store: file, reason },
      { cause },
    );
  return {
    dialect: new SqliteDialect({ database: slimmed(sqlite) }),
    failureOf: (error) => (codeOf(error) === undefined ? error : failed('corrupt', error)),
    isBusy: (error) => [5, 6].includes((codeOf(error) ?? 0) & 0xff),
    isRefusal: (error) => ((codeOf(error) ?? 0) & 0xff) === 19,
    closed: () => failed('closed'),
  };
}

function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** What Kysely asks of a database. */
function slimmed(sqlite: DatabaseSync) {
  return {
    close: () => sqlite.close(),
    prepare: (text: string) => {
      const statement = sqlite.prepare(text);
      const values = (given: readonly unknown[]) => given as readonly SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (given: readonly unknown[]) => statement.all(...values(given)),
        run: (given: readonly unknown[]) => statement.run(...values(given)),
        iterate: (given: readonly unknown[]) =>
          statement.iterate(...values(given)) as IterableIterator<unknown>,
      };
    },
  };
}

/** No index: the store then looks through the texts itself, which takes longer the longer a session is. */
const noIndex: TextIndex = {
  anyCaseLike: 'like',
  add: async () => {},
  removeRange: async () => {},
  find: async () => undefined,
};
