import fc from 'fast-check';
// A setup file is run for each test file, what it imports once in a worker.
import './bounded-laws.ts';
import './quick-equality.ts';

/**
 * Property tests of a default run draw the same histories every time, so that a change is judged by what it changed.
 * `PROPERTY_SEED=random` (or a number) draws others; fast-check prints the seed and the path of what it finds.
 */
const { PROPERTY_SEED = '20261121' } = process.env;

if (PROPERTY_SEED !== 'random')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(PROPERTY_SEED) });
