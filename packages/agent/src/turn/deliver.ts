import { composeWaiting } from '../queue/compose-waiting.ts';
import type { RunContext } from './run-context.ts';

/** Takes all that waits into the history, as one message; `false` where nothing waits. */
export async function deliver({ context, writer, options, runId }: RunContext): Promise<boolean> {
  let taken: ReturnType<typeof composeWaiting> | undefined;
  await writer.commit({
    type: 'deliver',
    compose: (waiting) => {
      taken = composeWaiting(waiting, { nowMs: options.clock.nowMs(), runId });
      return taken;
    },
  });
  if (!taken) return false;
  context.append([await context.hydrate(taken.message.message)]);
  return true;
}
