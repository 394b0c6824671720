import { composeWaiting } from '../queue/compose-waiting.ts';
import type { RunScene } from './run-scene.ts';

/** Takes all that waits into the history, as one message; `false` where nothing waits. */
export async function deliver({ context, writer, options, runId }: RunScene): Promise<boolean> {
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
