import { askEndpoint } from './ask-endpoint.ts';
import { createDriverFrom } from './create-driver.ts';
import { createSummariser, discoverLimits, readOverflow } from '@throughline/drivers';
import { systemCodeOf } from '../outcome/failure.ts';
import { limitsOf } from './limits-of.ts';
import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import { folderBlobs, openMemoryStore, openSqliteStore } from '@throughline/stores';
import { ContextError } from '@throughline/core';
import { errorMessage } from '@throughline/core/settings';
import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { Composition, Problems, StartedTelemetry } from './composition.ts';
import type { BucketConfig, Config, StoreConfig } from '@throughline/config';
import type { BlobStore, SessionStore } from '@throughline/ports';

/** The real one. Loading it loads drivers and stores. */
export const realComposition: Composition = {
  createDriverFrom,
  createSummariserFrom: (driver, session) => createSummariser(driver, session ? { session } : {}),
  openStoreFrom,
  lookAtDatabase: async ({ databaseUrl: url }) =>
    (await import('@throughline/stores/postgres')).lookAtPostgres({ url }),
  askEndpoint,
  discoverLimitsOf: ({ baseUrl, name: model, apiKey, headers }, signal) =>
    discoverLimits({
      baseUrl,
      model,
      headers,
      ...(apiKey !== undefined && { apiKey }),
      ...(signal && { signal }),
    }),
  readOverflow,
  limitsOf,
  startTelemetry,
  clock: systemClock,
  timer: systemTimer,
  ids: randomIds,
};

/**
 * Starts to send spans and metrics, where that is enabled: the SDK is loaded only then. Disposing of it, after
 * everything that traces, sends what is left; that takes some seconds at most.
 *
 * @param problems is told when something cannot be sent
 */
export async function startTelemetry(
  config: Config['telemetry'],
  problems?: Problems,
): Promise<StartedTelemetry> {
  const capturesContent = config.recordContent;
  if (!config.enabled) {
    return { options: { capturesContent }, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const { startOtlp } = await import('./otlp-sdk.ts');
  const { api, stop } = startOtlp(config, problems);
  return { options: { api, capturesContent }, [Symbol.asyncDispose]: stop };
}

/**
 * The configured store. Its folder is made where it is not there, for this user alone: what people and models say is
 * nobody else's business.
 *
 * @throws {ContextError} `store-failed`, `store-version`
 */
async function openStoreFrom(config: StoreConfig): Promise<SessionStore> {
  const shared = { clock: systemClock, ids: randomIds };
  if (config.type === 'memory') return openMemoryStore(shared);
  if (config.type === 'postgres') {
    const { databaseUrl: url, connections, blobs } = config;
    const { openPostgresStore } = await import('@throughline/stores/postgres');
    const elsewhere = blobs.bucket ? await blobsInBucket(blobs.bucket) : blobsInFolder(blobs.folder);
    // The time is that of the database.
    return openPostgresStore({ url, connections, ids: randomIds, ...(elsewhere && { blobs: elsewhere }) });
  }
  const { file, blobs } = config;
  await folderFor(file);
  return openSqliteStore({ ...shared, file, blobs: folderBlobs(blobs.folder) });
}

function blobsInFolder(folder: string | undefined): BlobStore | undefined {
  return folder === undefined ? undefined : folderBlobs(folder);
}

/** Keys come from the environment alone, by the names that other programs read. */
async function blobsInBucket(bucket: BucketConfig): Promise<BlobStore> {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    const message = `Cannot use the blobs in ${bucket.address}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.`;
    throw new ContextError('store-failed', message, { store: bucket.address, reason: 'not-permitted' });
  }
  const { s3Blobs } = await import('@throughline/stores/s3');
  return s3Blobs({
    ...bucket,
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  });
}

async function folderFor(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await makeFolder(folder);
  } catch (cause) {
    if (existsSync(folder)) return;
    const reason = errorMessage(cause);
    const message = `Cannot use the store ${file}: its folder cannot be made (${reason}).`;
    throw new ContextError('store-failed', message, { store: file, reason: 'no-such-folder' }, { cause });
  }
}

/**
 * Makes a folder and those above it, for this user alone. One level at a time: Node's own `recursive` never ends where a
 * file system says that a folder it has is not there, as `/proc` does.
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    const above = dirname(folder);
    await makeFolder(above);
    await mkdir(folder, { mode: 0o700 });
  }
}
