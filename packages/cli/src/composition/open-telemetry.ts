import type * as OpenTelemetry from '@opentelemetry/api';
import type { Config } from '@throughline/config';
import type { Problems } from './otlp-sdk.ts';

export interface StartedTelemetry extends AsyncDisposable {
  /** What `createTelemetry` of the agent takes. Without an `api` nothing is traced. */
  readonly options: { readonly api?: typeof OpenTelemetry; readonly capturesContent: boolean };
}

/**
 * Starts to send spans and metrics, where that is enabled: the SDK is loaded only then. Disposing of it, after
 * everything that traces, sends what is left; that takes some seconds at most.
 *
 * @param problems is told when something cannot be sent
 */
export async function startTelemetry(
  config: Config['telemetry'],
  problems?: Problems,
): Promise<StartedTelemetry> {
  const capturesContent = config.recordContent;
  if (!config.enabled) {
    return { options: { capturesContent }, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const { startOtlp } = await import('./otlp-sdk.ts');
  const { api, stop } = startOtlp(config, problems);
  return { options: { api, capturesContent }, [Symbol.asyncDispose]: stop };
}
