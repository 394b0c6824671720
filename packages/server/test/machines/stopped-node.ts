import { openTalk } from './talks.ts';
import { until } from '../operation/serve-process.ts';
import type { Fleet } from './fleet.ts';
import type { ServeNode } from '@throughline/testkit';
import type { Talk } from './talks.ts';

/** A model that lets a node be stopped before its first word. */
export const slowModel = { wordMs: 10, firstMs: 800 };

export interface StoppedNode {
  readonly node: ServeNode;
  readonly talks: readonly Talk[];
  /** Whether another node has all of the sessions. */
  readonly isReplaced: () => Promise<boolean>;
  /** Rows of what the node has stored since another has the session. */
  readonly writtenSince: () => Promise<readonly unknown[]>;
}

/**
 * Stops the only node of a fleet, as a suspended machine, in the middle of an answer, of a tool, and of a request whose
 * answer is a call: that lies in the socket when it comes back.
 */
export async function stopInTheMiddle(fleet: Fleet, random: () => number): Promise<StoppedNode> {
  const [node] = fleet.nodes;
  if (!node) throw new Error('There is no node.');
  const open = (name: string, job: Parameters<Talk['send']>[1]): Promise<Talk> =>
    openTalk({ fleet, name, job, random, stayMs: 500 });
  const inAnswer = await open('answer', { steps: 0, words: 300, tool: 0 });
  const inTool = await open('tool', { steps: 2, words: 5, tool: 1_000 });
  await until(() => fleet.toolStarts().length > 0 && inAnswer.told.some(({ type }) => type === 'llm:chunk'));
  const asked = fleet.model.asked();
  const inRequest = await open('request', { steps: 2, words: 5, tool: 50 });
  await until(() => fleet.model.asked() > asked);
  node.signal('SIGSTOP');
  const { audit } = fleet;
  return {
    node,
    talks: [inAnswer, inTool, inRequest],
    async isReplaced() {
      const rows = await audit.query('select count(distinct session_key) from audit.owners where epoch > 1');
      return rows[0]?.['count'] === '3';
    },
    writtenSince: () =>
      audit.query(`select session_key, epoch from audit.writes where epoch > 1 and node = '${node.name}'`),
  };
}
