import { defineConfig } from 'vitest/config';

/** What needs a registry and minutes: `npm run test:install`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.install.ts'],
    reporters: ['default', '../../tools/plain-reporter.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 1,
  },
});
