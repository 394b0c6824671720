import { systemClock, systemTimer, withIdleTimeout, withRetry } from '@throughline/system';
import type { ModelDriver } from '@throughline/ports';
import type { AgentOptions } from '../options/agent-options.ts';

/**
 * The driver with what a run that nobody watches cannot do without, as far as it has it not already: a limit for
 * silence, and further tries of a step that failed before anything was seen of it.
 */
export function steadyDriver(
  driver: ModelDriver,
  options: Pick<AgentOptions, 'clock' | 'timer' | 'retry' | 'idle'>,
): ModelDriver {
  const { clock = systemClock, timer = systemTimer, retry = {}, idle = {} } = options;
  const { hasIdleLimit = false, hasRetry = false } = driver.guards ?? {};
  const watched = hasIdleLimit || idle === false ? driver : withIdleTimeout(driver, { ...idle, timer });
  return hasRetry || retry === false ? watched : withRetry(watched, { ...retry, clock, timer });
}
