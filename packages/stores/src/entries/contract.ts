export { describeStore } from '../contract/store-contract.ts';
export { describeStoreModels } from '../contract/store-models.ts';
export { countingIds, scriptedClock } from '../contract/test-store.ts';
export type { OpenedStore, OpenStore, ScriptedClock } from '../contract/test-store.ts';
