import { openInMemory } from './stores.ts';
import { describeStore } from './store-contract.ts';
import { describeStoreModels } from './store-models.ts';

describeStore('memory', openInMemory);
describeStoreModels('memory', openInMemory);
