import { access, constants, open, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail, ok, warn } from './finding.ts';
import { isBuiltInProfile } from '@throughline/config';
import type { Check, Finding } from './finding.ts';
import type { Composition, PostgresFacts } from '../composition/composition.ts';
import type { FleetState } from '@throughline/ports';
import type { Config, PostgresConfig, StoreConfig } from '@throughline/config';

const storeName = 'store';

/** The store opens as the runtime would open it, and takes a session, which is deleted at once. */
export function checkStore(config: StoreConfig, { openStoreFrom, lookAtDatabase, ids }: Composition): Check {
  return {
    name: storeName,
    run: async () => {
      // First what the database says: where the store does not open, it shows why.
      const facts = config.type === 'postgres' ? await lookAtDatabase(config) : undefined;
      const store = await openStoreFrom(config);
      let fleet: FleetState | undefined;
      try {
        fleet = await store.fleet?.();
        const { id } = await store.sessions.create({ id: ids.nextId('doctor'), owner: 'doctor' });
        // Blobs of a Postgres may be somewhere else.
        if (config.type === 'postgres') await store.attachments.keep(id, new TextEncoder().encode(id));
        await store.sessions.delete(id);
      } finally {
        await store[Symbol.asyncDispose]();
      }
      if (config.type === 'memory') return [ok(storeName, 'in memory: sessions end with the program.')];
      if (config.type === 'postgres') return databaseFindings(config, facts, fleet);
      const version = await versionOf(config.file);
      return [ok(storeName, `${config.file} is writable (version ${version}).`), await blobFinding(config)];
    },
  };
}

function databaseFindings(
  { connections, blobs }: PostgresConfig,
  facts: PostgresFacts | undefined,
  fleet: FleetState | undefined,
): readonly Finding[] {
  if (!facts) return [];
  const { address, server, user, mayCreate, letterCase, freeConnections } = facts;
  const rights = mayCreate
    ? 'may change its tables'
    : 'may not change its tables: an upgrade needs an administrator';
  return [
    ok(storeName, `${address} is writable: Postgres ${server}, as ${user}, who ${rights}.`),
    ...(blobs.bucket ? [ok('blobs', `${blobs.bucket.address} takes blobs, and gives them up again.`)] : []),
    ...(letterCase === 'C'
      ? [
          warn(
            storeName,
            'the database was made for the language C: search in other scripts than Latin is slow.',
          ),
        ]
      : []),
    ...(freeConnections < connections
      ? [
          warn(
            storeName,
            `the server lets in ${freeConnections} more, and store.connections is ${connections}: raise its max_connections.`,
          ),
        ]
      : []),
    ...databaseDangers(facts, fleet).map((sentence) => warn(storeName, sentence)),
  ];
}

const farMs = 60_000;

/** What works, and not as well as it could. */
function databaseDangers(
  { clockAheadMs, unsafeSettings }: PostgresFacts,
  fleet: FleetState | undefined,
): readonly string[] {
  const minutes = Math.round(Math.abs(clockAheadMs) / 60_000);
  const place = clockAheadMs > 0 ? 'ahead of' : 'behind';
  return [
    ...(fleet?.hasCrashDetector === false
      ? [
          'a pooler hands its connections round: a process that dies is noticed after 5 seconds, and news of others each second. Give the store a direct connection.',
        ]
      : []),
    ...(Math.abs(clockAheadMs) > farMs
      ? [
          `its clock is ${minutes} minutes ${place} that of this machine. Leases go by its clock alone; times in logs and in the page do not agree.`,
        ]
      : []),
    ...(unsafeSettings.length > 0
      ? [`the server may lose what it has stored when it crashes: ${unsafeSettings.join(', ')}.`]
      : []),
  ];
}

/** SQLite keeps `user_version` in its header: https://sqlite.org/fileformat.html. */
async function versionOf(file: string): Promise<number> {
  const handle = await open(file, 'r');
  try {
    const header = new DataView(new ArrayBuffer(64));
    await handle.read(header, 0, 64, 0);
    return header.getUint32(60);
  } finally {
    await handle.close();
  }
}

/** The folder is made with the first blob: until then the one above it has to be writable. */
async function blobFinding({ blobs }: Extract<StoreConfig, { type: 'sqlite' }>): Promise<Finding> {
  const folder = await nearestFolder(blobs.folder);
  try {
    await access(folder, constants.W_OK);
    return ok('blobs', `${blobs.folder} is writable.`);
  } catch {
    return fail('blobs', `${blobs.folder}: ${folder} may not be written to, or is no folder.`);
  }
}

export const storeFolder = (config: StoreConfig): string | undefined =>
  config.type === 'sqlite' ? dirname(config.file) : undefined;

const diskName = 'disk';
const gigabyte = 1_000_000_000;
/** A long session with its outputs. */
const scarceBytes = gigabyte;
/** The database cannot even tidy up. */
const leastBytes = 0.05 * gigabyte;

/** Free space where sessions are kept. */
export function checkDisk(path: string): Check {
  return {
    name: diskName,
    run: async () => {
      const folder = await nearestFolder(path);
      const { bavail, bsize, blocks } = await statfs(folder);
      if (blocks === 0) return [ok(diskName, `${folder} does not say how much is free.`)];
      const freeBytes = bavail * bsize;
      const free = `${(freeBytes / gigabyte).toFixed(1)} GB free in ${folder}`;
      if (freeBytes < leastBytes) return [fail(diskName, `${free}: make room.`)];
      return [
        freeBytes < scarceBytes ? warn(diskName, `${free}: a long session may fill it.`) : ok(diskName, free),
      ];
    },
  };
}

const workspaceName = 'workspace';

/** The folder that tools work in is there, and so is a prompt of one's own. */
export function checkWorkspace({ agent: { workspace }, context }: Config): Check {
  const { profile } = context.compaction.options;
  return {
    name: workspaceName,
    run: async () => [
      await folderFinding(workspace),
      ...(isBuiltInProfile(profile) ? [] : [await profileFinding(profile)]),
    ],
  };
}

async function folderFinding(folder: string): Promise<Finding> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) return fail(workspaceName, `${folder} is not there.`);
  if (!found.isDirectory()) return fail(workspaceName, `${folder} is no folder.`);
  return (await may(folder, constants.W_OK))
    ? ok(workspaceName, folder)
    : warn(workspaceName, `${folder} may not be written to: write, edit and bash change nothing there.`);
}

async function profileFinding(path: string): Promise<Finding> {
  return (await may(path, constants.R_OK))
    ? ok('profile', path)
    : fail(
        'profile',
        `${path} cannot be read: it is the prompt that context.compaction.options.profile names.`,
      );
}

function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** The path, or the nearest above it that is there. */
async function nearestFolder(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const isThere = await stat(folder).then(
      () => true,
      () => false,
    );
    if (isThere || dirname(folder) === folder) return folder;
  }
}
