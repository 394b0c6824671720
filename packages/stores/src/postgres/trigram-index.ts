import { sql } from 'kysely';
import type { KeyRange, TextIndex } from '../sql/kit/database.ts';
import type { Tx } from '../sql/kit/schema.ts';

/** Trigrams: what is shorter than that is in none. */
const shortestQuery = 3;
/** What is longer is checked on the text itself. */
const longestPhrase = 120;

/**
 * Postgres's `pg_trgm`: any part of a word. Letters are made small here and not there: which letters a database knows
 * the small form of depends on the language it was made for.
 */
export const trigramIndex: TextIndex = {
  anyCaseLike: 'ilike',
  async add(tx, key, text) {
    await sql`insert into texts (key, text) values (${key}, ${caseless(text)})`.execute(tx);
  },
  async removeRange(tx, first, end) {
    await sql`delete from texts where key >= ${first} and key < ${end}`.execute(tx);
  },
  async find(tx, query, range) {
    const characters = [...caseless(query)].slice(0, longestPhrase);
    if (characters.length < shortestQuery) return undefined;
    return keysWith(tx, characters.join(''), range);
  },
};

async function keysWith(tx: Tx, text: string, { first, end, limit }: KeyRange): Promise<readonly number[]> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const { rows } = await sql<{ key: number }>`
    select key from texts
    where text like ${pattern} and key >= ${first} and key < ${end}
    order by key desc limit ${limit}`.execute(tx);
  return rows.map(({ key }) => key);
}

function caseless(text: string): string {
  return text.toLowerCase().replaceAll('\0', ' ').toWellFormed();
}
