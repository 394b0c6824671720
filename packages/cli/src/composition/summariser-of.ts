import { driverFor } from './driver-for.ts';
import { pricingOf } from '@throughline/core';
import type { Composition } from './composition.ts';
import type { Config } from '@throughline/config';
import type { ModelDriver } from '@throughline/ports';
import type { SummariserChoice } from '@throughline/agent';

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
