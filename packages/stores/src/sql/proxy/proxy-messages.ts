import { setImmediate as giveWay } from 'node:timers/promises';
import { sql } from 'kysely';
import { bytesOf, countBytes, hashesTogether, requireScope, scopeKey } from './proxy-scopes.ts';
import type { ChainedMessage } from '@throughline/ports';
import type { Tx } from '../kit/schema.ts';
import type { ProxySurroundings } from './proxy-scopes.ts';

/** Messages that are stored in one transaction, which others wait for. */
const messagesTogether = 500;
/** Hashes that are looked up first: most requests add little to what is known. */
const firstHashes = 30;

/** See `ProxyStore.addMessages`. */
export async function addMessages(
  { database, clock }: ProxySurroundings,
  scope: string,
  after: string | null,
  messages: readonly ChainedMessage[],
): Promise<boolean> {
  let parent = after;
  for (let start = 0; start < messages.length; start += messagesTogether) {
    if (start > 0) await giveWay();
    const some = messages.slice(start, start + messagesTogether);
    const [before, addedAtMs] = [parent, clock.nowMs()];
    // A pass that stands on them is written behind them and waits for the disk, which brings them there, too.
    const isStored = await database.write((tx) => addSome(tx, scope, before, { some, addedAtMs }), {
      lasting: 'while-machine-runs',
      about: scope,
    });
    if (!isStored) return false;
    parent = some.at(-1)?.hash ?? parent;
  }
  return true;
}

async function addSome(
  tx: Tx,
  scope: string,
  after: string | null,
  { some, addedAtMs }: { readonly some: readonly ChainedMessage[]; readonly addedAtMs: number },
): Promise<boolean> {
  const known = after === null ? { key: undefined, length: 0 } : await messageAt(tx, scope, after);
  if (!known) return false;
  const scope_key = known.key ?? (await requireScope(tx, scope));
  const added = await tx
    .insertInto('proxy_messages')
    .values(
      some.map(({ hash, message }, index) => ({
        scope_key,
        hash,
        parent: some[index - 1]?.hash ?? after,
        length: known.length + index + 1,
        bytes: bytesOf(message),
        added_at_ms: addedAtMs,
        message,
      })),
    )
    .onConflict((conflict) => conflict.columns(['scope_key', 'hash']).doNothing())
    .returning('bytes')
    .execute();
  await countBytes(
    tx,
    scope_key,
    added.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  return true;
}

/** The message of this hash; `key` is that of the scope. */
export function messageAt(
  tx: Tx,
  scope: string,
  hash: string,
): Promise<{ readonly key: number; readonly length: number } | undefined> {
  return tx
    .selectFrom('proxy_messages')
    .innerJoin('proxy_scopes', 'proxy_scopes.key', 'proxy_messages.scope_key')
    .select(['proxy_scopes.key', 'length'])
    .where('proxy_scopes.name', '=', scope)
    .where('hash', '=', hash)
    .executeTakeFirst();
}

/** What `find` knows of the newest of these hashes of which it knows something; a few are asked for at a time. */
export async function newestOf<Found>(
  hashes: readonly string[],
  find: (some: readonly string[]) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  let size = firstHashes;
  for (let end = hashes.length; end > 0;) {
    const start = Math.max(0, end - size);
    const found = await find(hashes.slice(start, end));
    if (found !== undefined) return found;
    end = start;
    size = hashesTogether;
  }
  return undefined;
}

/** See `ProxyStore.knownLength`. */
export function knownLength(
  { database }: ProxySurroundings,
  scope: string,
  hashes: readonly string[],
): Promise<number> {
  return database.read(async (tx) => {
    const scope_key = await scopeKey(tx, scope);
    if (scope_key === undefined) return 0;
    const newest = await newestOf(hashes, (some) =>
      tx
        .selectFrom('proxy_messages')
        .select('length')
        .where('scope_key', '=', scope_key)
        .where('hash', 'in', some)
        .orderBy('length', 'desc')
        .limit(1)
        .executeTakeFirst(),
    );
    return newest?.length ?? 0;
  });
}

/** A message, without its text. */
interface Step {
  readonly key: number;
  readonly hash: string;
  readonly parent: string | null;
}

/** The message of this hash and those before it, the newest first, `limit` at most. */
export async function pathFrom(
  tx: Tx,
  scope: number,
  { hash, limit }: { readonly hash: string; readonly limit: number },
): Promise<readonly Step[]> {
  const { rows } = await sql<Step>`
    with recursive path (key, hash, parent, step) as (
      select key, hash, parent, 1 from proxy_messages where scope_key = ${scope} and hash = ${hash}
      union all
      select message.key, message.hash, message.parent, path.step + 1
      from path join proxy_messages as message on message.scope_key = ${scope} and message.hash = path.parent
      where path.step < ${limit}
    )
    select key, hash, parent from path order by step`.execute(tx);
  return rows;
}
