import { setTimeout as sleep } from 'node:timers/promises';
import { isAtRest, settle } from './talks.ts';
import type { Fleet } from './fleet.ts';

/** Twice the life of a lease: what is stopped or cut off so long has lost all that it had. */
export const longerThanLeasesMs = 10_000;

/** What is done to the node at a place, until all is well again. */
export type Act = (fleet: Fleet, place: number) => Promise<void>;

/** By name: what may happen to a node, or to all. */
export const acts = {
  async kill(fleet, place) {
    await fleet.nodes[place]?.end('SIGKILL');
    await fleet.start(place);
  },
  /** As a machine that is suspended: it comes back and believes that nothing has happened. */
  async suspend({ nodes }, place) {
    nodes[place]?.signal('SIGSTOP');
    await sleep(longerThanLeasesMs);
    nodes[place]?.signal('SIGCONT');
  },
  async silence({ lines }, place) {
    lines[place]?.set('silent');
    await sleep(longerThanLeasesMs);
    lines[place]?.set('open');
    // What stood still so long is given up by both ends in the world, too.
    lines[place]?.drop();
  },
  drop({ lines }, place) {
    lines[place]?.drop();
    return Promise.resolve();
  },
  async slow({ lines }, place) {
    lines[place]?.delay(100);
    await sleep(5_000);
    lines[place]?.delay(0);
  },
  async restart(fleet, place) {
    await fleet.nodes[place]?.end('SIGTERM');
    await fleet.start(place);
  },
  async crashPostgres({ postgres }) {
    await postgres.stop('immediate');
    await sleep(500);
    await postgres.start();
  },
  async restartPostgres({ postgres }) {
    await postgres.stop('fast');
    await postgres.start();
  },
} as const satisfies Record<string, Act>;

export type ActName = keyof typeof acts;

/**
 * Waits for the end of all work. A node goes on with what others have left when it starts: where something is left
 * after all leases have run out, the nodes are started anew, one after the other.
 */
export async function goOn(fleet: Fleet): Promise<void> {
  await settle(fleet, 20_000);
  if (await isAtRest(fleet)) return;
  for (const place of fleet.nodes.keys()) await acts.restart(fleet, place);
  await settle(fleet);
}
