import { findModel } from '@throughline/core/settings';
import { nearestKey } from './nearest-key.ts';
import { providerNames, providers } from '../sections/providers.ts';

/** What somebody who wrote `gpt-5` or `openai/gpt-5` most likely meant, as `provider:name`. */
export function suggestModel(value: string): string | undefined {
  const [, first = '', rest = ''] = /^([^:/\s]+)[:/](\S+)$/.exec(value.trim()) ?? [];
  const provider = nearestKey(first, providerNames);
  if (rest !== '' && provider !== undefined) return `${provider}:${rest}`;
  const known = findModel(value)?.entry.provider;
  return known !== undefined && Object.hasOwn(providers, known) ? `${known}:${value.trim()}` : undefined;
}
