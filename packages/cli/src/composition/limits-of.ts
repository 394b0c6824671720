import { modelLimits } from '@throughline/core/settings';
import type { DiscoveredLimits } from '@throughline/drivers';
import type { ModelConfig } from '@throughline/config';
import type { ModelLimits } from '@throughline/core/types';

/** Window of the demo model: large enough to try things out, small enough to see a compaction. */
const demoWindowTokens = 32_000;

/** What the user set, else what the server says, else the catalogue. */
export function limitsOf(model: ModelConfig, discovered?: DiscoveredLimits): ModelLimits {
  if (model.provider === 'demo') {
    const windowTokens = model.windowTokens ?? demoWindowTokens;
    return modelLimits({ endpoint: 'local', discovered: { windowTokens } });
  }
  const { name, endpoint, windowTokens, maxOutputTokens } = model;
  return modelLimits({
    model: name,
    endpoint,
    user: {
      ...(windowTokens !== undefined && { windowTokens }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
    ...(discovered && { discovered }),
  });
}
