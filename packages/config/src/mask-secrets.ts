import type { Config } from './config.ts';

/** Stands for a secret that is there. */
const mask = '(hidden)';

/** Keys whose values are secrets, each text below them too. */
const secretKeys: ReadonlySet<string> = new Set(['apiKey', 'headers', 'env']);

/** A configuration that can be shown. */
export function maskSecrets(config: Config): Config {
  return masked(config, false) as Config;
}

function masked(value: unknown, isSecret: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, isSecret));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, masked(one, isSecret || secretKeys.has(key))]),
    );
  }
  return isSecret && value !== undefined ? mask : value;
}
