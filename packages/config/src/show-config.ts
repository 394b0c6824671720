import { maskSecrets } from './mask-secrets.ts';
import { stringify } from 'yaml';
import type { Config } from './config.ts';

/** A configuration as YAML for people, with its secrets hidden. */
export function showConfig(config: Config): string {
  return stringify(maskSecrets(config), { lineWidth: 0 });
}
