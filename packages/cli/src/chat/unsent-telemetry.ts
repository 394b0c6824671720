import { printable } from '../terminal/printable.ts';
import type { Config } from '@throughline/config';
import type { Host } from '../host.ts';
import type { Problems } from '../composition/otlp-sdk.ts';

/** Remembers that something could not be sent, and tells it at the end: in a chat it would be in the way. */
interface UnsentTelemetry extends Problems {
  readonly tell: () => void;
}

export function unsentTelemetry(
  { endpoint }: Pick<Config['telemetry'], 'endpoint'>,
  host: Pick<Host, 'err'>,
): UnsentTelemetry {
  let isUnsent = false;
  return {
    warn: () => void (isUnsent = true),
    tell: () => {
      if (isUnsent) host.err(`throughline: Telemetry could not be sent to ${printable(endpoint)}.\n`);
    },
  };
}
