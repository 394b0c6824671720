import { ok, warn } from './finding.ts';
import type { Check } from './finding.ts';

const name = 'sandbox';

/** What holds commands in. */
export function checkSandbox(network: boolean): Check {
  return {
    name,
    run: async () => {
      const { describeSandbox, detectSandbox } = await import('@throughline/agent');
      const sandbox = await detectSandbox({ network });
      return [(sandbox.type === 'none' ? warn : ok)(name, describeSandbox(sandbox))];
    },
  };
}
