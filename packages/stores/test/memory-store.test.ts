import { tryFewerCases } from './fewer-cases.ts';
import { openInMemory } from './stores.ts';
import { describeStore } from '../src/contract/store-contract.ts';
import { describeWildHistories } from './wild-histories.ts';
import { describeStoreModels } from '../src/contract/store-models.ts';

tryFewerCases();
describeStore('memory', openInMemory);
describeWildHistories('memory', openInMemory);
describeStoreModels('memory', openInMemory);
