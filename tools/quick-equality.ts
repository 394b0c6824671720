import { expect } from 'vitest';
import { isDeepStrictEqual } from 'node:util';

/**
 * What is equal is seen to be so by Node, sooner: a tenth of the laws over long histories went into comparing them.
 * All else, and what only a matcher calls equal, is left to vitest: by its word alone a test fails.
 */
expect.addEqualityTesters([(one, other) => isDeepStrictEqual(one, other) || undefined]);
