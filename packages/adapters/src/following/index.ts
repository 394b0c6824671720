// What stands behind every adapter, for the proxy: one step of one conversation.
export { followingOptions } from './adapter-options.ts';
export type { AdapterOptions } from './adapter-options.ts';
export { answerRecall, recallDefinition } from './recall-tool.ts';
export { counted, fit, openSnapshot } from './fit.ts';
export type { FitRequest, FittedStep, Snapshot } from './fit.ts';
