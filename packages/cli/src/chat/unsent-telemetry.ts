import { printable } from '../terminal/printable.ts';
import type { Config } from '@throughline/config';
import type { Cli } from '../cli.ts';
import type { Problems } from '../composition/composition.ts';

/** Remembers that something could not be sent, and tells it at the end: in a chat it would be in the way. */
interface UnsentTelemetry extends Problems {
  readonly tell: () => void;
}

export function unsentTelemetry(
  { endpoint }: Pick<Config['telemetry'], 'endpoint'>,
  cli: Pick<Cli, 'err'>,
): UnsentTelemetry {
  let isUnsent = false;
  return {
    warn: () => void (isUnsent = true),
    tell: () => {
      if (isUnsent) cli.err(`throughline: Telemetry could not be sent to ${printable(endpoint)}.\n`);
    },
  };
}
