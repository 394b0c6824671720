import { defineConfig } from 'vitest/config';
import { fileURLToPath } from 'node:url';

const conditions = ['throughline-source'];

/** The command lines of others, which are large and come from a registry: `npm run test:clients`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    root: import.meta.dirname,
    include: ['*.clients.ts'],
    reporters: ['default', '../../tools/plain-reporter.ts'],
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
    },
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 1,
  },
});
