export { createBackgroundSummary } from './background-summary.ts';
export type { BackgroundSource, BackgroundSummary, BackgroundSummaryOptions } from './background-summary.ts';
export { runStep } from './run-step.ts';
export type { RunStepOptions } from './run-step.ts';
