import { defineConfig } from 'vitest/config';
import { fileURLToPath } from 'node:url';

const conditions = ['throughline-source'];

/** Several real nodes, disturbed for minutes: `npm run test:machines`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    root: import.meta.dirname,
    include: ['*.machines.ts'],
    reporters: ['default', '../../../../tools/plain-reporter.ts'],
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('../../../../node_modules/.cache/compiled', import.meta.url)),
    },
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    maxWorkers: 1,
  },
});
