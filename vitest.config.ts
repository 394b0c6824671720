import { defineConfig } from 'vitest/config';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SlowFirst } from './tools/slow-first.ts';

// Packages are tested from source, so that a test run needs no build and shows the lines people wrote.
// Not `source`: packages of others have that one too, and Node does not run TypeScript out of node_modules.
const conditions = ['throughline-source'];

const tests = [
  'packages/*/{src,test}/**/*.test.ts',
  'test/**/*.test.ts',
  'bench/**/*.test.ts',
  'examples/**/*.test.ts',
];

// What lies beside its source, the laws and the borders: enough for most faults while one edits.
const nearest = [
  'packages/*/src/**/*.test.ts',
  'packages/*/test/**/*{law,laws}.test.ts',
  'test/borders.test.ts',
];

// `long` ones drive a real browser, kill and load programs for a long time or try the packages as published: a run of
// their own (`npm run test:long`). `slow` ones start processes, or read recordings for seconds.
const kinds = {
  all: { include: tests, leftOut: [] },
  everyday: { include: tests, leftOut: ['**/*.long.test.ts'] },
  fast: { include: nearest, leftOut: ['**/*.long.test.ts', '**/*.slow.test.ts'] },
  long: { include: tests.map((path) => path.replace('*.test', '*.long.test')), leftOut: [] },
};
const { THROUGHLINE_TESTS: kind = 'all' } = process.env;
if (!Object.hasOwn(kinds, kind))
  throw new Error(`Expected ${Object.keys(kinds).join(', ')} in THROUGHLINE_TESTS, got "${kind}".`);
const { include, leftOut } = kinds[kind as keyof typeof kinds];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include,
    exclude: ['**/node_modules/**', '**/dist/**', '**/test/live/**', ...leftOut],
    reporters: ['default', './tools/plain-reporter.ts'],
    setupFiles: ['./tools/property-tests.ts'],
    // Programs that tests start find what the one before them compiled.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    // For what hangs. A law takes ten seconds on a quiet machine, and has been seen to take a minute on a busy one.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // So is this: a page on a busy machine has taken more than the second that a wait has by default.
    expect: { poll: { timeout: 60_000 } },
    pool: 'threads',
    // Files share the modules of their worker: a third of the time went into loading them anew for each. No test mocks
    // a module, and what modules remember is never a source of truth.
    isolate: false,
    // Two more than there are processors: who waits for a process, a page or the disk leaves them idle.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SlowFirst },
  },
});
