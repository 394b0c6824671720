import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { everyday } from '@throughline/testkit';
import { describeStore } from '../src/contract/store-contract.ts';
import { describeStoreModels } from '../src/contract/store-models.ts';
import { describeWildHistories } from './wild-histories.ts';
import { openTestDatabase } from './postgres-stores.ts';

const database = await openTestDatabase('contract');

if (typeof database === 'string') {
  describe('postgres', () => it.skip(database));
} else {
  // The laws hold for SQL that both databases share: SQLite tries all cases of a default run.
  const usual = fc.readConfigureGlobal();
  const fewer = { ...usual, plugins: [everyday(12)] };
  beforeAll(() => fc.configureGlobal(fewer));
  afterAll(async () => {
    fc.configureGlobal(usual);
    await database[Symbol.asyncDispose]();
  });
  describeStore('postgres', database.open);
  describeWildHistories('postgres', database.open);
  describeStoreModels('postgres', database.open);
}
