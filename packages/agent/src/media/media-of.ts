import { findModel } from '@throughline/core';
import { providerMedia } from './provider-media.ts';
import type { ModelDriver } from '@throughline/ports';
import type { ProviderMedia } from './provider-media.ts';

/** What is known of a model by its provider; of one that is in no catalogue, what its format tells. */
export function mediaOf({ model, codec }: Pick<ModelDriver, 'model' | 'codec'>): ProviderMedia {
  const entry = findModel(model)?.entry;
  if (entry) return providerMedia(entry.provider);
  return { ...providerMedia(codec.name === 'anthropic' ? 'anthropic' : ''), takes: () => true };
}
