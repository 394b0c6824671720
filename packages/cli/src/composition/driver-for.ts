import { pricingOf } from '@throughline/core';
import type { Composition } from './composition.ts';
import type { DiscoveredLimits } from '@throughline/drivers';
import type { DriverAbilities, ModelDriver } from '@throughline/ports';
import type { Config, ModelConfig } from '@throughline/config';
import type { SummariserChoice } from '@throughline/agent';

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

/** Who writes the summaries of a configuration. A scripted model writes none: code does. */
export async function summariserOf(
  { model, summarizer }: Pick<Config, 'model' | 'summarizer'>,
  composition: Composition,
): Promise<SummariserChoice> {
  const writer = summarizer === 'same' ? model : summarizer;
  if (writer.provider === 'demo') return { type: 'code' };
  if (summarizer === 'same') return { type: 'same', driverOf: composition.createSummariserFrom };
  const driver = await driverFor(writer, composition);
  const { window, model: found } = composition.limitsOf(writer);
  const pricing = found && pricingOf(found.entry);
  return {
    type: 'model',
    driver: composition.createSummariserFrom(atTemperature(driver, writer.temperature)),
    windowTokens: driver.limits?.windowTokens ?? window.tokens,
    ...(pricing && { pricing }),
  };
}

/** The engine has a temperature for prose of its own; what is said of a model goes before. */
function atTemperature(driver: ModelDriver, temperature: number | undefined): ModelDriver {
  if (temperature === undefined) return driver;
  return { ...driver, stream: (request, call) => driver.stream({ ...request, temperature }, call) };
}
