import type { Composition } from './composition.ts';
import type { DiscoveredLimits } from '@throughline/drivers';
import type { DriverAbilities, ModelDriver } from '@throughline/ports';
import type { ModelConfig } from '@throughline/config';

/** How long a server may take to say what its model takes. */
const discoveryMs = 3_000;

/** A model with the limits that its server, the user or the catalogue names. */
export async function driverFor(model: ModelConfig, composition: Composition): Promise<ModelDriver> {
  const { createDriverFrom, discoverLimitsOf, limitsOf } = composition;
  if (model.provider === 'demo') return createDriverFrom(model);
  const discovered = await discoverLimitsOf(model, AbortSignal.timeout(discoveryMs));
  const { window, maxOutput, maxInput } = limitsOf(model, discovered);
  const isStated = window.source !== 'default';
  const driver = createDriverFrom(model, {
    windowTokens: () => (isStated ? window.tokens : undefined),
    // A server that loads a model when it is asked knows its window only then.
    discoverWindow: async () =>
      (await discoverLimitsOf(model, AbortSignal.timeout(discoveryMs)))?.windowTokens,
  });
  const limits = {
    windowTokens: window.tokens,
    maxOutputTokens: maxOutput.tokens,
    ...(maxInput && { maxInputTokens: maxInput.tokens }),
  };
  return { ...driver, limits, abilities: abilitiesIn(discovered) };
}

function abilitiesIn({ hasTools, hasImages }: Partial<DiscoveredLimits> = {}): DriverAbilities {
  return { ...(hasTools !== undefined && { hasTools }), ...(hasImages !== undefined && { hasImages }) };
}
