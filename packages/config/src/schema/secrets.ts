import { stringify } from 'yaml';
import type { Config } from './config.ts';

/** Stands for a secret that is there. */
export const mask = '(hidden)';

/** Keys whose values are secrets, each text below them too. */
export const secretKeys: ReadonlySet<string> = new Set(['apiKey', 'headers', 'env', 'databaseUrl']);

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

/** A configuration as YAML for people, with its secrets hidden. */
export function showConfig(config: Config): string {
  return stringify(maskSecrets(config), { lineWidth: 0 });
}

const maxShownChars = 60;

/** Texts that look like a key, a token or a password. */
const secretStart =
  /^(sk|pk|rk|ghp|gho|ghs|github_pat|xox[abp]|AKIA|AIza|hf|gsk|glpat|eyJ|bearer|basic)[-_ A-Za-z0-9]/i;
const randomLooking = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+=_-]{20,}$/;

/** Keys of which no value is ever shown. */
const secretKey =
  /^(headers|env|database[-_]?url|api[-_]?keys?|key|token|secret|password|passwd|authorization|credentials?)$/i;

/** Whether nothing that stands at this path is shown. */
export function isSecretPath(path: readonly PropertyKey[]): boolean {
  return path.some((key) => typeof key === 'string' && secretKey.test(key));
}

/** A value in a sentence: short, in one line, and no secret. */
export function shownValue(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'a section';
  if (isSecretPath(path)) return 'a value that is not shown';
  if (typeof value !== 'string') return JSON.stringify(value) ?? typeof value;
  const safe = shownText(value);
  if (safe.length <= maxShownChars) return JSON.stringify(safe);
  return `${JSON.stringify(safe.slice(0, maxShownChars).toWellFormed())}… (${value.length} characters)`;
}

/** A text of the configuration without what looks like a secret in it. */
export function shownText(text: string): string {
  if (secretStart.test(text) || randomLooking.test(text)) return '(not shown)';
  if (!text.includes('://')) return text;
  return text.replace(/:\/\/[^/@\s]*@/g, '://(not shown)@').replace(/\?\S*/g, '?(not shown)');
}
