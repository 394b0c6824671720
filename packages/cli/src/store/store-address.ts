import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { usageFailure } from '../outcome/failure.ts';
import type { Cli } from '../composition/cli.ts';
import type { BucketConfig, StoreConfig } from '@throughline/config';

const connections = 4;

/** A store that is no memory. */
type LastingStore = Exclude<StoreConfig, { readonly type: 'memory' }>;

/**
 * A store by what was typed: the address of a Postgres, the name of the variable that holds one (`${DATABASE_URL}`; an
 * argument is seen by all users of the machine), or a file of SQLite.
 *
 * @param blobs the folder of its blobs, or for Postgres a bucket. @default that of the configuration: beside the file, or in the database
 * @throws {CommandFailure} `usage`
 */
export function storeAt(
  typed: string,
  blobs: string | undefined,
  { env, workingFolder }: Pick<Cli, 'env' | 'workingFolder'>,
): LastingStore {
  const variable = /^\$\{(\w+)\}$/.exec(typed.trim())?.[1];
  const address = variable === undefined ? typed : env[variable];
  if (address === undefined || address === '') throw usageFailure(`The variable ${variable} is not set.`);
  const folder = blobs === undefined ? undefined : resolve(workingFolder, blobs);
  if (/^postgres(ql)?:\/\//.test(address)) {
    if (!URL.canParse(address))
      throw usageFailure('An address of a Postgres cannot be read: expected postgres://user@host/database.');
    const bucket = blobs?.startsWith('s3://') === true ? blobs : undefined;
    const places = bucket === undefined ? { folder } : { bucket: bucketAt(bucket, env) };
    return { type: 'postgres', databaseUrl: address, connections, blobs: places };
  }
  if (/^\w+:\/\//.test(address))
    throw usageFailure('Expected a file of SQLite, or an address as postgres://user@host/database.');
  const file = resolve(workingFolder, address);
  return { type: 'sqlite', file, blobs: { folder: folder ?? join(dirname(file), 'blobs') } };
}

/** What an address does not say is as other programs for buckets have it. */
function bucketAt(address: string, env: Cli['env']): BucketConfig {
  const { AWS_ENDPOINT_URL: endpoint, AWS_REGION: region } = env;
  return { address, ...(endpoint && { endpoint }), ...(region && { region }) };
}

/** As people may read it: without user and password. */
export function shownStore(store: LastingStore): string {
  if (store.type === 'sqlite') return store.file;
  const { host, pathname } = new URL(store.databaseUrl);
  return `postgres://${host}${pathname}`;
}

/**
 * What can be said against a copy before a store is opened, which would make one that is not there.
 *
 * @throws {CommandFailure} `usage`
 */
export function requireTwoStores(from: LastingStore, to: LastingStore): void {
  if (from.type === 'sqlite' && !existsSync(from.file)) throw usageFailure(`There is no file ${from.file}.`);
  const files = [from, to].map((store) => (store.type === 'sqlite' ? realOf(store.file) : undefined));
  if (files[0] !== undefined && files[0] === files[1]) throw sameStore();
  const folders = [from, to].map(({ blobs: { folder } }) =>
    folder === undefined ? undefined : realOf(folder),
  );
  if (folders[0] !== undefined && folders[0] === folders[1])
    throw usageFailure(
      `Both would keep their blobs in ${folders[0]}, and each would delete those of the other: give a folder of its own with --to-blobs.`,
    );
}

export function sameStore(): Error {
  return usageFailure('Both are the same store: there is nothing to copy.');
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), path.slice(above.length));
  }
}
