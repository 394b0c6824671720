export { createBpeEstimator, type BpeEncoding } from './create-bpe-estimator.ts';
export { withMargin } from './with-margin.ts';
