import { describeExports } from './describe-exports.ts';
import { describeFleet } from './describe-fleet.ts';
import { describeForks } from './describe-forks.ts';
import { describeMessages } from './describe-messages.ts';
import { describeOwners } from './describe-owners.ts';
import { describeProxy } from './describe-proxy.ts';
import { describeRecall } from './describe-recall.ts';
import { describeRuns } from './describe-runs.ts';
import { describeSessions } from './describe-sessions.ts';
import { closing } from './test-store.ts';
import type { OpenStore } from './test-store.ts';

/** What every session store promises, as tests of Vitest. What is not in here is not promised. */
export function describeStore(name: string, openStore: OpenStore): void {
  const open = closing(openStore);
  describeSessions(name, open);
  describeMessages(name, open);
  describeRuns(name, open);
  describeRecall(name, open);
  describeExports(name, open);
  describeForks(name, open);
  describeOwners(name, open);
  describeFleet(name, open);
  describeProxy(name, open);
}
