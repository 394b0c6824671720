export * from '@throughline/core';
export { createBackgroundSummary, runStep } from '@throughline/ports';
export type {
  BackgroundSource,
  BackgroundSummary,
  BackgroundSummaryOptions,
  RunStepOptions,
} from '@throughline/ports';
