import { DatabaseError } from 'pg';
import { ContextError } from '@throughline/core';
import { errorMessage } from '@throughline/core/internal';
import type { StoreFailure } from '@throughline/core/internal';

/** The connection failed, or there was none: nothing that the database has said. */
export class ConnectionFailure extends Error {
  override readonly name: string = 'ConnectionFailure';

  constructor(cause: unknown) {
    super(`no connection (${reasonIn(cause)})`, { cause });
  }
}

/** A connection that was cut before its transaction was committed: nothing is stored, and another does the same. */
export class StaleConnection extends ConnectionFailure {
  override readonly name = 'StaleConnection';
}

/** A host with several addresses fails once for each. */
function reasonIn(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') return reasonIn(cause.errors[0]);
  return errorMessage(cause);
}

/** What a person can do. */
interface Failure {
  readonly reason: StoreFailure;
  readonly advice: string;
}

const unreachable: Failure = {
  reason: 'unreachable',
  advice: 'See that the server runs, and that its address has the right host and port.',
};
const refused: Failure = {
  reason: 'not-permitted',
  advice: 'See that user and password of its address are right, and that pg_hba.conf lets them in.',
};
const noRight: Failure = {
  reason: 'not-permitted',
  advice:
    'The user needs the right to create a schema in the database, or to own the schema that is there: ' +
    '"grant create on database … to …".',
};
const tooMany: Failure = {
  reason: 'no-connection-free',
  advice:
    'Lower store.connections of each process, or raise max_connections of the server: every process may open as many.',
};
const locked: Failure = { reason: 'locked', advice: 'Another process holds it: try again.' };
const damaged: Failure = {
  reason: 'corrupt',
  advice: 'Keep a copy of the data folder of the server, and restore the database from its last back-up.',
};

// https://www.postgresql.org/docs/current/errcodes-appendix.html; what is not here by its code is by its class.
const failures: ReadonlyMap<string, Failure> = new Map([
  ['08', unreachable],
  ['28', refused],
  ['3D000', { reason: 'not-permitted', advice: 'Make the database first: "create database …".' }],
  ['42501', noRight],
  ['25006', { reason: 'not-permitted', advice: 'The server is a standby: name the primary.' }],
  ['53300', tooMany],
  ['53100', { reason: 'full', advice: 'The disk of the server is full.' }],
  ['40001', locked],
  ['40P01', locked],
  ['55P03', locked],
  ['57P01', unreachable],
  ['57P02', unreachable],
  ['57P03', { reason: 'unreachable', advice: 'The server starts or stops: try again.' }],
  ['XX001', damaged],
  ['XX002', damaged],
]);

export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** Whether the connection is gone, by itself or because the server ended it. */
export function hasLeft(error: unknown): boolean {
  return error instanceof ConnectionFailure || /^(57P|08)/.test(sqlState(error) ?? '');
}

/**
 * Whether another transaction was in the way, and this one was ended for it, or its connection was cut: the same again may
 * succeed. Where all connections of a process are cut at once the next may be one of those; where the server is away
 * there is none to be had, which is told at once.
 */
export function isBusy(error: unknown): boolean {
  if (error instanceof StaleConnection) return true;
  return ['40001', '40P01'].includes(sqlState(error) ?? '');
}

/**
 * Whether the same again may succeed at once: a row breaks a constraint, which is perhaps one that another connection
 * has stored, or removed, meanwhile.
 */
export function isRace(error: unknown): boolean {
  return ['23505', '23503'].includes(sqlState(error) ?? '');
}

/** Whether a row cannot be stored because of what it holds. */
export function isRefusal(error: unknown): boolean {
  const state = sqlState(error) ?? '';
  return state.startsWith('23') || state.startsWith('22') || state === '54000';
}

/** What `pg` threw as an error of ours; anything else as it is. */
export function postgresFailure(store: string, error: unknown): unknown {
  if (error instanceof ConnectionFailure) return storeFailed(store, unreachable, error);
  const state = sqlState(error);
  if (state === undefined) return error;
  const found = failures.get(state) ?? failures.get(state.slice(0, 2));
  return storeFailed(store, found ?? { reason: 'other', advice: '' }, error);
}

/** @param store its address without user and password */
export function storeFailed(
  store: string,
  { reason, advice }: Failure,
  cause?: unknown,
): ContextError<'store-failed'> {
  const detail = cause instanceof Error ? `: ${cause.message}` : '';
  const message = [`Cannot use the store ${store}${detail}.`, advice].filter(Boolean).join(' ');
  return new ContextError('store-failed', message, { store, reason }, { cause });
}
