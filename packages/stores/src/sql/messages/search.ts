import { excerptOf, hasNoCase, likePattern } from '../kit/text-match.ts';
import { keysOf } from '../kit/database.ts';
import { indexedText, partText, searchableText } from './part-text.ts';
import { readMessages } from './read-messages.ts';
import { withStreamed } from './write-messages.ts';
import type { BlobStore, RecalledText, SearchHit } from '@throughline/ports';
import type { KeyRange } from '../kit/database.ts';
import type { SessionRow, Tx } from '../kit/schema.ts';
import type { SessionTransactions } from '../kit/session-transactions.ts';

/** Texts that are looked at in one go: few at first, since most of what the index finds is a hit. */
const firstBatch = 50;
const largestBatch = 1_000;

/** A text that may hold the query: of a part, or of a whole output. */
type Candidate =
  | { readonly type: 'part'; readonly id: string; readonly role: string; readonly content: string }
  | { readonly type: 'output'; readonly id: string; readonly hash: string };

interface Search {
  readonly query: string;
  readonly limit: number;
}

/** Newest first. What the index finds is checked on the text: it knows no letter case but its own. */
export class Searcher {
  readonly #transactions: SessionTransactions;
  readonly #blobs: BlobStore;

  constructor(transactions: SessionTransactions, blobs: BlobStore) {
    this.#transactions = transactions;
    this.#blobs = blobs;
  }

  /** @throws {ContextError} `not-found` */
  async find(sessionId: string, search: Search): Promise<readonly SearchHit[]> {
    const key = await this.#transactions.read(sessionId, (_tx, session) => Promise.resolve(session.key));
    return await this.findIn(key, search);
  }

  /** Nothing where the session was deleted meanwhile. */
  async findIn(key: number, { query, limit }: Search): Promise<readonly SearchHit[]> {
    const wanted = query.toLowerCase();
    const hits: SearchHit[] = [];
    if (wanted === '' || limit < 1) return hits;
    let before = Infinity;
    for (let size = firstBatch; ; size = Math.min(largestBatch, size * 2)) {
      // A transaction each: nobody waits while the bytes of outputs are read.
      const { keys, candidates } = await this.#transactions.database.read(async (tx) => {
        const { first, end } = keysOf({ key });
        const found = await this.#nextKeys(tx, query, { first, end: Math.min(end, before), limit: size });
        return { keys: found, candidates: await candidatesOf(tx, found) };
      });
      for (const candidate of candidates) {
        const hit = await this.#hitIn(candidate, wanted);
        if (hit && hits.push(hit) === limit) return hits;
      }
      before = keys.at(-1) ?? 0;
      if (keys.length < size) return hits;
    }
  }

  /** The next keys below `end` that may hold it: by the index, or all of them for a query that it cannot answer. */
  async #nextKeys(tx: Tx, query: string, range: KeyRange): Promise<readonly number[]> {
    const { textIndex } = this.#transactions.around;
    const found = await textIndex.find(tx, query, range);
    if (found) return found;
    const parts = tx
      .selectFrom('parts')
      .select('key')
      .where('key', '>=', range.first)
      .where('key', '<', range.end)
      .$if(hasNoCase(query), (some) =>
        some.where('content', textIndex.anyCaseLike, likePattern(query, textIndex.anyCaseLike)),
      );
    const outputs = tx
      .selectFrom('outputs')
      .select('key')
      .where('key', '>=', range.first)
      .where('key', '<', range.end);
    const rows = await parts.unionAll(outputs).orderBy('key', 'desc').limit(range.limit).execute();
    return rows.map(({ key }) => key);
  }

  async #hitIn(candidate: Candidate, wanted: string): Promise<SearchHit | undefined> {
    const { id } = candidate;
    if (candidate.type === 'part') {
      const excerpt = excerptOf(searchableText(withStreamed(candidate.content, [])), wanted);
      return excerpt === undefined ? undefined : { id, role: candidate.role, excerpt };
    }
    const bytes = await this.#blobs.get(candidate.hash);
    const excerpt = bytes && excerptOf(indexedText(textOfBytes(bytes)), wanted);
    return excerpt === undefined ? undefined : { id, role: 'tool', excerpt };
  }
}

async function candidatesOf(tx: Tx, keys: readonly number[]): Promise<readonly Candidate[]> {
  if (keys.length === 0) return [];
  const parts = await tx
    .selectFrom('parts')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.session_key', '=', 'parts.session_key')
        .onRef('messages.ordinal', '=', 'parts.ordinal'),
    )
    .select(['parts.key', 'parts.ordinal', 'parts.part', 'parts.content', 'parts.is_open', 'messages.role'])
    .select((row) =>
      row
        .selectFrom('parts as next')
        .select('next.part')
        .whereRef('next.session_key', '=', 'parts.session_key')
        .whereRef('next.ordinal', '=', 'parts.ordinal')
        .where('next.part', '=', 1)
        .as('second'),
    )
    .where('parts.key', 'in', keys)
    .execute();
  const outputs = await tx
    .selectFrom('outputs')
    .select(['key', 'number', 'hash'])
    .where('key', 'in', keys)
    .execute();
  const byKey = new Map<number, Candidate>();
  for (const { key, ordinal, part, content, role, second } of parts) {
    // As the engine names them: a message of one part goes by its own name.
    const id = second === null ? `m${ordinal}` : `m${ordinal}.${part}`;
    byKey.set(key, { type: 'part', id, role, content });
  }
  for (const { key, number, hash } of outputs) byKey.set(key, { type: 'output', id: `o${number}`, hash });
  return keys.flatMap((key) => byKey.get(key) ?? []);
}

const messageGrammar = /^m(\d{1,15})(?:\.(\d{1,9}))?$/;
const outputGrammar = /^o(\d{1,15})$/;

/** What a recall id of the engine (`m12`, `m12.3`), or of a whole output (`o7`), stands for. */
export async function recallFrom(
  tx: Tx,
  session: SessionRow,
  recallId: string,
): Promise<RecalledText | { readonly hash: string } | undefined> {
  const id = recallId.trim();
  const ofMessage = messageGrammar.exec(id);
  if (ofMessage) return recallMessage(tx, session, id, ofMessage);
  const ofOutput = outputGrammar.exec(id);
  if (!ofOutput) return undefined;
  return tx
    .selectFrom('outputs')
    .select('hash')
    .where('session_key', '=', session.key)
    .where('number', '=', Number(ofOutput[1]))
    .executeTakeFirst();
}

/** The text of an output. */
export async function recallOutput(
  blobs: BlobStore,
  recallId: string,
  hash: string,
): Promise<RecalledText | undefined> {
  const bytes = await blobs.get(hash);
  return bytes && { id: recallId.trim(), role: 'tool', text: textOfBytes(bytes) };
}

export function textOfBytes(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

async function recallMessage(
  tx: Tx,
  session: SessionRow,
  id: string,
  [, ordinal, part]: RegExpExecArray,
): Promise<RecalledText | undefined> {
  const first = Number(ordinal);
  const [stored] = await readMessages(tx, session.key, { first, end: first + 1 });
  if (!stored) return undefined;
  const { role, parts } = stored.message;
  const wanted: readonly unknown[] = part === undefined ? parts : parts.slice(Number(part), Number(part) + 1);
  if (part !== undefined && wanted.length === 0) return undefined;
  return { id, role, text: wanted.map(partText).join('\n') };
}
