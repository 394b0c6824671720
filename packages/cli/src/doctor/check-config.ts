import { countOf } from '../terminal/numbers.ts';
import { fail, ok, warn } from './finding.ts';
import { faultSentence } from '@throughline/config';
import type { Check, Finding } from './finding.ts';
import type { LoadedConfig } from '../config/load-config.ts';

const name = 'configuration';

/** Whether the configuration is in order, and where it is from. */
export function checkConfig({ file, result }: LoadedConfig): Check {
  const from = file?.path ?? 'no file: the defaults hold';
  const variables =
    result.variables.length > 0 ? `, and ${countOf(result.variables.length, 'variable')}` : '';
  return {
    name,
    run: () => {
      const told = result.warnings.map((warning): Finding => warn(name, faultSentence(warning)));
      if (result.type === 'config') return [ok(name, from + variables), ...told];
      return [...result.faults.map((fault) => fail(name, faultSentence(fault))), ...told];
    },
  };
}
