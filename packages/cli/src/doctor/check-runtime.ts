import { fail, ok } from './finding.ts';
import type { Check } from './finding.ts';

const leastMajor = 24;

/** @param version as `process.versions.node` has it */
export function checkRuntime(version: string): Check {
  const name = 'runtime';
  return {
    name,
    run: () =>
      Number(version.split('.')[0]) >= leastMajor
        ? [ok(name, `Node ${version}`)]
        : [fail(name, `Node ${version} is too old: at least ${leastMajor} is needed.`)],
  };
}
