import { countOf } from '../terminal/numbers.ts';
import { fail, ok, warn } from './finding.ts';
import { faultSentence } from '@throughline/config';
import { wantedKeys } from '../config/with-trust.ts';
import type { Check, Finding } from './finding.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { TrustQuestion } from '../config/with-trust.ts';

const name = 'configuration';

/** Whether the configuration is in order, and where it is from. */
export function checkConfig({ file, result }: LoadedConfig, question?: TrustQuestion): Check {
  const from = file?.path ?? 'no file: the defaults hold';
  const variables =
    result.variables.length > 0 ? `, and ${countOf(result.variables.length, 'variable')}` : '';
  return {
    name,
    run: () => {
      const told = result.warnings.map((warning): Finding => warn(name, faultSentence(warning)));
      if (result.type === 'config')
        return [ok(name, from + variables), ...untrustedFinding(question), ...told];
      return [...result.faults.map((fault) => fail(name, faultSentence(fault))), ...told];
    },
  };
}

function untrustedFinding(question: TrustQuestion | undefined): readonly Finding[] {
  if (!question) return [];
  const keys = wantedKeys(question.wants);
  const why = question.hasChanged ? 'has changed since it was trusted' : 'is not trusted yet';
  return [
    warn(
      name,
      `${question.file.name ?? question.file.path} ${why}: nothing here counts ${keys}. chat asks; --trust looks at all.`,
    ),
  ];
}
