import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { everyday } from '@throughline/testkit';

/** The laws hold for SQL that all stores share: SQLite in a file tries all cases of a default run, the others a few. */
export function tryFewerCases(): void {
  const usual = fc.readConfigureGlobal();
  const fewer = { ...usual, plugins: [everyday(12)] };
  beforeAll(() => fc.configureGlobal(fewer));
  afterAll(() => fc.configureGlobal(usual));
}
