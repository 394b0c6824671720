export { runStep } from './run-step.ts';
export type { RunStepOptions } from './run-step.ts';
