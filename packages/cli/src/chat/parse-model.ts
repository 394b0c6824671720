import { parseConfig } from '@throughline/config';
import { joined, usageFailure } from '../failure.ts';
import type { ConfigResult } from '@throughline/config';
import type { Cli } from '../cli.ts';

/** Only the model: what else stands in the environment is told elsewhere. */
export function parseModel(
  name: string,
  { env, workingFolder }: Pick<Cli, 'env' | 'workingFolder'>,
  baseUrl?: string,
): ConfigResult {
  const others = Object.entries(env).filter(
    ([key]) => !key.startsWith('THROUGHLINE_') || key === 'THROUGHLINE_API_KEY',
  );
  const environment = {
    ...Object.fromEntries(others),
    THROUGHLINE_MODEL: name,
    ...(baseUrl !== undefined && { THROUGHLINE_MODEL_BASE_URL: baseUrl }),
  };
  return parseConfig({ environment, workingFolder });
}

/** What is wrong with the name of a model, and what else could have been meant. */
export function wrongModel(name: string, parsed: ConfigResult, hint = ''): Error {
  const [fault] = parsed.type === 'faults' ? parsed.faults : [];
  return usageFailure(joined(`${name} is no model: ${fault?.message ?? 'nothing is called so.'}`, hint));
}
