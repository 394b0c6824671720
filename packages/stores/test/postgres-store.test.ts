import { afterAll, describe, it } from 'vitest';
import { describeStore } from '../src/contract/store-contract.ts';
import { describeStoreModels } from '../src/contract/store-models.ts';
import { describeWildHistories } from './wild-histories.ts';
import { openTestDatabase } from './postgres-stores.ts';
import { tryFewerCases } from './fewer-cases.ts';

const database = await openTestDatabase('contract');

if (typeof database === 'string') {
  describe('postgres', () => it.skip(database));
} else {
  tryFewerCases();
  afterAll(() => database[Symbol.asyncDispose]());
  describeStore('postgres', database.open);
  describeWildHistories('postgres', database.open);
  describeStoreModels('postgres', database.open);
}
