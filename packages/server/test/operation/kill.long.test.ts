import { createClient } from '@throughline/client';
import { isDeepRun, memoryFolder } from '@throughline/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  historyOf,
  isPassing,
  journalOf,
  sentIdsIn,
  startServe,
  until,
  untilAllRest,
} from './serve-process.ts';
import { endLeftovers, temporaryFolder } from '../spawn-throughline.ts';
import type { AgentEvent } from '@throughline/protocol/types';
import type { Client } from '@throughline/client';

const sessions = isDeepRun ? 50 : 10;

afterAll(endLeftovers);

interface Talk {
  readonly id: string;
  /** What its reader got, over all connections. */
  readonly received: readonly AgentEvent[];
  readonly followed: Promise<void>;
}

/** A session that is told to say a lot, and a reader of its events. */
async function openTalk(client: Client, index: number, signal: AbortSignal): Promise<Talk> {
  const content = index % 2 === 0 ? '150 words' : 'Work for 4 steps';
  const { sessionId: id } = await client.sendMessage({ content, messageId: `first-${index}` });
  const received: AgentEvent[] = [];
  const followed = (async () => {
    for await (const event of client.events(id, { signal })) received.push(event);
  })();
  return { id, received, followed };
}

/** Sends the second message of each session; those that the server has answered. */
function sendMore(client: Client, talks: readonly Talk[]) {
  const accepted = new Set<number>();
  const sent = talks.map(async ({ id: sessionId }, index) => {
    await client.sendMessage({ sessionId, content: 'help', messageId: `second-${index}` }).then(
      () => accepted.add(index),
      () => {},
    );
  });
  return { accepted, done: Promise.all(sent) };
}

it(
  `loses and doubles nothing when it is killed while ${sessions} sessions stream, and readers go on without a gap`,
  { timeout: 300_000 },
  async () => {
    const home = temporaryFolder(memoryFolder());
    const first = await startServe(home);
    const client = createClient({
      baseUrl: first.url,
      reconnection: { firstWaitMs: 20, longestWaitMs: 200 },
    });
    const reading = new AbortController();
    const talks = await Promise.all(
      Array.from({ length: sessions }, (_, index) => openTalk(client, index, reading.signal)),
    );
    await until(() => talks.every(({ received }) => received.some(({ type }) => type === 'llm:chunk')));
    const more = sendMore(client, talks);
    await until(() => more.accepted.size >= sessions / 5);
    await first.end('SIGKILL');
    await more.done;
    const busy = talks.filter(({ received }) => received.every(({ type }) => type !== 'run:end'));
    expect(busy.length).toBeGreaterThan(sessions / 2);

    const second = await startServe(home, { port: first.port });
    const ids = talks.map(({ id }) => id);
    const accepted = [...more.accepted];
    await untilAllRest(client, ids);
    for (const [index, { id }] of talks.entries()) {
      const known = sentIdsIn(await historyOf(client, id));
      // What nobody has confirmed may be there or not; what was confirmed is, once.
      const times = known.filter((one) => one === `second-${index}`).length;
      if (accepted.includes(index)) expect(times).toBe(1);
      else expect(times).toBeLessThanOrEqual(1);
    }
    // Whoever got no answer sends again, under the same id.
    await sendMore(client, talks).done;
    await untilAllRest(client, ids);
    for (const [index, talk] of talks.entries()) {
      const history = await historyOf(client, talk.id);
      expect(sentIdsIn(history).toSorted()).toEqual([`first-${index}`, `second-${index}`]);
      expect(history.every(({ isOpen }) => !isOpen)).toBe(true);
      expect(history.at(-1)?.role).toBe('assistant');
      const session = await client.getSession({ id: talk.id });
      await until(() => (talk.received.at(-1)?.seq ?? 0) >= session.lastEventSeq);
      const journal = await journalOf(client, session);
      const seqs = talk.received.map(({ seq }) => seq);
      const kept = new Set(journal.map(({ seq }) => seq));
      expect(talk.received.filter(({ seq }) => kept.has(seq))).toEqual(journal);
      expect(talk.received.filter(({ seq }) => !kept.has(seq)).every(isPassing)).toBe(true);
      expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
      const ends = journal.filter(({ type }) => type === 'run:end');
      const outcomes = ends.map((event) => event.type === 'run:end' && event.data.outcome.type);
      expect(new Set(outcomes)).toEqual(new Set(['completed']));
    }
    reading.abort();
    await Promise.all(talks.map(({ followed }) => followed));
    expect(await second.end('SIGTERM')).toBe(0);
  },
);
