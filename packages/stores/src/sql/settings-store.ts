import type { Database } from './kit/database.ts';
import type { Json } from '@throughline/core/codec';
import type { SettingsStore } from '@throughline/ports';

/** The one row that there is. */
const onlyKey = 1;

export function settingsStoreOf(database: Database): SettingsStore {
  return {
    read: () =>
      database.look(async (tables) => {
        const row = await tables
          .selectFrom('settings')
          .select(['revision', 'value'])
          .where('key', '=', onlyKey)
          .executeTakeFirst();
        return row ? { revision: Number(row.revision), settings: JSON.parse(row.value) as Json } : null;
      }),
    keep: (revision, settings) =>
      database.write(
        async (tx) => {
          const next = { revision: revision + 1, value: JSON.stringify(settings) };
          const isKept =
            revision === 0
              ? await tx
                  .insertInto('settings')
                  .values({ key: onlyKey, ...next })
                  .onConflict((conflict) => conflict.doNothing())
                  .executeTakeFirst()
                  .then(({ numInsertedOrUpdatedRows: rows = 0n }) => rows > 0n)
              : await tx
                  .updateTable('settings')
                  .set(next)
                  .where('key', '=', onlyKey)
                  .where('revision', '=', revision)
                  .executeTakeFirst()
                  .then(({ numUpdatedRows: rows }) => rows > 0n);
          return isKept ? { revision: next.revision, settings } : null;
        },
        { about: 'settings' },
      ),
  };
}
