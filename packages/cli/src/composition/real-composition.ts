import { askEndpoint } from './ask-endpoint.ts';
import { createDriverFrom } from './create-driver-from.ts';
import { createSummariser, discoverLimits } from '@throughline/drivers';
import { limitsOf } from './limits-of.ts';
import { startTelemetry } from './open-telemetry.ts';
import { openStoreFrom } from './open-store-from.ts';
import { randomIds, systemClock, systemTimer } from '@throughline/system';
import type { Composition } from './composition.ts';

/** The real one. Loading it loads drivers and stores. */
export const realComposition: Composition = {
  createDriverFrom,
  createSummariserFrom: (driver, session) => createSummariser(driver, session ? { session } : {}),
  openStoreFrom,
  askEndpoint,
  discoverLimitsOf: ({ baseUrl, name: model, apiKey, headers }, signal) =>
    discoverLimits({
      baseUrl,
      model,
      headers,
      ...(apiKey !== undefined && { apiKey }),
      ...(signal && { signal }),
    }),
  limitsOf,
  startTelemetry,
  clock: systemClock,
  timer: systemTimer,
  ids: randomIds,
};
