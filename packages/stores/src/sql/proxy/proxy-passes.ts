import { messageAt, newestOf, pathFrom } from './proxy-messages.ts';
import { bytesOf, countBytes, hashesTogether, scopeKey } from './proxy-scopes.ts';
import { conversationRow } from './conversation-rows.ts';
import type { ContextState } from '@throughline/core';
import type { KeptPass, NewPass, PassReport, ProxyPasses, StoredPass, Whose } from '@throughline/ports';
import type { Selectable } from 'kysely';
import type { Schema, Tx } from '../kit/schema.ts';
import type { ProxySurroundings } from './proxy-scopes.ts';

export function passesOf({ database, clock }: ProxySurroundings): ProxyPasses {
  return {
    find: (scope, hashes) => database.read((tx) => findPass(tx, scope, hashes)),
    add: (scope, pass) =>
      database.write((tx) => keepPass(tx, scope, { pass, nowMs: clock.nowMs(), replaced: undefined }), {
        about: scope,
      }),
    replace: (scope, pass, version) =>
      database.write((tx) => keepPass(tx, scope, { pass, nowMs: clock.nowMs(), replaced: version }), {
        about: scope,
      }),
    list: (whose, conversationId) => database.read((tx) => listPasses(tx, whose, conversationId)),
  };
}

type PassRow = Selectable<Schema['proxy_passes']>;

async function findPass(tx: Tx, scope: string, hashes: readonly string[]): Promise<StoredPass | undefined> {
  const scope_key = await scopeKey(tx, scope);
  if (scope_key === undefined) return undefined;
  const row = await newestOf(hashes, (some) =>
    passesFor(tx, scope_key, some, hashes.at(-1) ?? '')
      .orderBy('length', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
  return row && passOf(row);
}

function passesAt(tx: Tx, scope_key: number, hashes: readonly string[]) {
  return tx
    .selectFrom('proxy_passes')
    .selectAll()
    .where('scope_key', '=', scope_key)
    .where('hash', 'in', hashes);
}

/** Those that count for the history with the name `head`. */
function passesFor(tx: Tx, scope_key: number, hashes: readonly string[], head: string) {
  return passesAt(tx, scope_key, hashes).where((where) =>
    where.or([where('is_late', '=', 0), where('hash', '=', head)]),
  );
}

interface Wanted {
  readonly pass: NewPass;
  readonly nowMs: number;
  /** Version of the one in whose place it is put, where it may be put in the place of one. */
  readonly replaced: number | undefined;
}

async function keepPass(
  tx: Tx,
  scope: string,
  { pass, nowMs, replaced }: Wanted,
): Promise<KeptPass | undefined> {
  const message = await messageAt(tx, scope, pass.hash);
  if (!message) return undefined;
  const scope_key = message.key;
  const standing = await passesAt(tx, scope_key, [pass.hash]).executeTakeFirst();
  if (standing && standing.version !== replaced) return { pass: passOf(standing), isOwn: false };
  const [report, state] = [JSON.stringify(pass.report), JSON.stringify(pass.state)];
  const row: PassRow = {
    scope_key,
    hash: pass.hash,
    length: message.length,
    version: (standing?.version ?? 0) + 1,
    is_late: standing?.is_late ?? (await hasLonger(tx, scope_key, pass.hash)),
    conversation_id: pass.conversationId,
    bytes: bytesOf(report, state),
    created_at_ms: nowMs,
    report,
    state,
  };
  // Another process may have been first, where a transaction that reads keeps nobody from writing.
  const stored = await tx
    .insertInto('proxy_passes')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['scope_key', 'hash'])
        .doUpdateSet(row)
        .where('proxy_passes.version', '=', standing?.version ?? 0),
    )
    .returning('version')
    .executeTakeFirst();
  if (!stored)
    return {
      pass: passOf(await passesAt(tx, scope_key, [pass.hash]).executeTakeFirstOrThrow()),
      isOwn: false,
    };
  await countBytes(tx, scope_key, row.bytes - (standing?.bytes ?? 0));
  return { pass: passOf(row), isOwn: true };
}

/** 1 where a history is stored that goes on behind this one. */
async function hasLonger(tx: Tx, scope_key: number, hash: string): Promise<0 | 1> {
  const longer = await tx
    .selectFrom('proxy_messages')
    .select('key')
    .where('scope_key', '=', scope_key)
    .where('parent', '=', hash)
    .limit(1)
    .executeTakeFirst();
  return longer ? 1 : 0;
}

async function listPasses(tx: Tx, whose: Whose, conversationId: string): Promise<readonly StoredPass[]> {
  const { scope_key, head_hash, length } = await conversationRow(tx, whose, conversationId);
  const path = await pathFrom(tx, scope_key, { hash: head_hash, limit: length });
  const hashes = path.map(({ hash }) => hash).toReversed();
  const rows: PassRow[] = [];
  for (let start = 0; start < hashes.length; start += hashesTogether) {
    const some = hashes.slice(start, start + hashesTogether);
    rows.push(...(await passesFor(tx, scope_key, some, head_hash).orderBy('length').execute()));
  }
  return rows.map(passOf);
}

function passOf(row: PassRow): StoredPass {
  return {
    hash: row.hash,
    conversationId: row.conversation_id,
    state: JSON.parse(row.state) as ContextState,
    report: JSON.parse(row.report) as PassReport,
    length: row.length,
    version: row.version,
    isLate: row.is_late === 1,
    bytes: row.bytes,
    createdAtMs: row.created_at_ms,
  };
}
