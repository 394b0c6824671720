import { defineConfig } from 'vitest/config';

// Packages are tested from source, so that a test run needs no build and shows the lines people wrote.
// Not `source`: packages of others have that one too, and Node does not run TypeScript out of node_modules.
const conditions = ['throughline-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'test/**/*.test.ts',
      'bench/**/*.test.ts',
      'examples/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', '**/test/live/**'],
    reporters: ['default', './tools/plain-reporter.ts'],
    setupFiles: ['./tools/property-tests.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'threads',
    // Files share the modules of their worker: a third of the time went into loading them anew for each. No test mocks
    // a module, and what modules remember is never a source of truth.
    isolate: false,
    maxWorkers: '100%',
  },
});
