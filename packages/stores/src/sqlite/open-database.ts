import { DatabaseSync } from 'node:sqlite';
import { ContextError } from '@throughline/core';
import { upgradeChange, upgradeCheckpoint, upgradeState } from '@throughline/core/internal';
import { dirname } from 'node:path';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { migrations as ourMigrations } from './migrations.ts';
import { isBusy, sqliteCode, sqliteFailure, storeFailed } from './sqlite-failure.ts';
import type { Migration } from './migrations.ts';

/** `thrl`: tells our files from those of other programs. */
const applicationId = 0x74_68_72_6c;
const cannotOpen = 14;

/** How long SQLite itself waits for another connection. It blocks the process, so the waiting is done in `Database`. */
const blockingWaitMs = 20;

/**
 * Opens a file, or makes it, and brings it to the newest version. What is no file of ours, or one of a newer version,
 * is left as it is; a migration that fails is taken back.
 *
 * @param file `:memory:` for one that lasts as long as it is open.
 * @throws {ContextError} `store-failed`, `store-version`
 */
export function openDatabase(file: string, migrations: readonly Migration[] = ourMigrations): DatabaseSync {
  const database = openFile(file);
  try {
    database.exec(`pragma busy_timeout = ${blockingWaitMs}; pragma foreign_keys = on;`);
    const version = checkedVersion(database, file, migrations);
    database.exec('pragma journal_mode = wal');
    // A message that was accepted is on the disk, also when the power fails.
    database.exec('pragma synchronous = full');
    if (version < newestOf(migrations)) migrate(database, file, migrations);
    return database;
  } catch (error) {
    database.close();
    throw isBusy(error) ? error : sqliteFailure(file, error);
  }
}

function openFile(file: string): DatabaseSync {
  try {
    // What people and models say is nobody else's business. SQLite gives its other files the rights of this one.
    if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    throw storeFailed(file, existsSync(dirname(file)) ? 'not-permitted' : 'no-such-folder', error);
  }
  try {
    return new DatabaseSync(file);
  } catch (error) {
    if (sqliteCode(error) === cannotOpen && existsSync(file) && statSync(file).isDirectory())
      throw storeFailed(file, 'not-a-store', error);
    throw sqliteFailure(file, error);
  }
}

/** The version of the file, 0 for an empty one. */
function checkedVersion(database: DatabaseSync, file: string, migrations: readonly Migration[]): number {
  const stored = pragma(database, 'user_version');
  const isOurs = pragma(database, 'application_id') === applicationId;
  const isEmpty = database.prepare('select 1 from sqlite_master limit 1').get() === undefined;
  if (!isOurs && !(isEmpty && stored === 0)) throw storeFailed(file, 'not-a-store');
  const supportedVersion = newestOf(migrations);
  if (stored > supportedVersion) {
    throw new ContextError(
      'store-version',
      `The store ${file} has version ${stored}, and this program knows versions up to ${supportedVersion}: use a newer one.`,
      { store: file, storedVersion: stored, supportedVersion },
    );
  }
  return stored;
}

function migrate(database: DatabaseSync, file: string, migrations: readonly Migration[]): void {
  addFunctions(database);
  database.exec('begin immediate');
  try {
    // Read again: another process may have done it while this one waited.
    const version = checkedVersion(database, file, migrations);
    database.exec(`pragma application_id = ${applicationId}`);
    for (const step of migrations) {
      if (step.version <= version) continue;
      database.exec(step.sql);
      database.exec(`pragma user_version = ${step.version}`);
    }
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** What a migration needs beside SQL. */
function addFunctions(database: DatabaseSync): void {
  const upgrades = {
    upgraded_state: upgradeState,
    upgraded_change: upgradeChange,
    upgraded_checkpoint: upgradeCheckpoint,
  };
  for (const [name, upgrade] of Object.entries(upgrades)) {
    database.function(name, { deterministic: true }, (text) => {
      const value: unknown = JSON.parse(String(text));
      const upgraded = upgrade(value);
      return upgraded === value ? text : JSON.stringify(upgraded);
    });
  }
}

function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

function pragma(database: DatabaseSync, name: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}
