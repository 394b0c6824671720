export { createBpeEstimator, type BpeEncoding, withMargin } from './create-bpe-estimator.ts';
