import { anthropicModels } from './anthropic-models.ts';
import { googleModels } from './google-models.ts';
import { hostedModels } from './hosted-models.ts';
import { openWeightsModels } from './open-weights-models.ts';
import { openaiModels } from './openai-models.ts';
import type { ModelEntry } from './model-entry.ts';

const models = [...openaiModels, ...anthropicModels, ...googleModels, ...hostedModels, ...openWeightsModels];

/** The built-in catalogue. Ids and aliases are unique and lower case. */
export function knownModels(): readonly ModelEntry[] {
  return models;
}
