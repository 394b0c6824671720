import { sql } from 'kysely';
import type { KeyRange, TextIndex } from '../sql/text-index.ts';
import type { Tx } from '../sql/schema.ts';

/** Trigrams: a text shorter than that is in none. */
const shortestQuery = 3;
/** A phrase is matched trigram by trigram. What is longer is checked on the text itself. */
const longestPhrase = 120;

/** SQLite's FTS5 with the trigram tokenizer: any part of a word in any script, whatever its case. */
export const ftsIndex: TextIndex = {
  anyCaseLike: 'like',
  async add(tx, key, text) {
    await sql`insert into texts (rowid, text) values (${key}, ${plain(text)})`.execute(tx);
  },
  async removeRange(tx, first, end) {
    await sql`delete from texts where rowid >= ${first} and rowid < ${end}`.execute(tx);
  },
  async find(tx, query, range) {
    const characters = [...plain(query)].slice(0, longestPhrase);
    if (characters.length < shortestQuery) return undefined;
    return keysWith(tx, characters.join(''), range);
  },
};

async function keysWith(tx: Tx, text: string, { first, end, limit }: KeyRange): Promise<readonly number[]> {
  const phrase = `"${text.replaceAll('"', '""')}"`;
  const { rows } = await sql<{ key: number }>`
    select rowid as key from texts
    where texts match ${phrase} and rowid >= ${first} and rowid < ${end}
    order by rowid desc limit ${limit}`.execute(tx);
  return rows.map(({ key }) => key);
}

/** SQLite ends a text at NUL, and has no lone surrogates. */
function plain(text: string): string {
  return text.replaceAll('\0', ' ').toWellFormed();
}
