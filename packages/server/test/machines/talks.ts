import { createClient } from '@throughline/client';
import { historyOf, sentIdsIn } from '../operation/serve-process.ts';
import { jobText } from '@throughline/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { follow, isPassing, readJournal } from './follower.ts';
import type { Fleet } from './fleet.ts';
import type { Told } from './follower.ts';

type Job = Omit<Parameters<typeof jobText>[0], 'id'>;

/** A session, what was sent to it, and what somebody who follows it was told. */
export interface Talk {
  readonly id: string;
  /** Ids of messages that a node has accepted. */
  readonly accepted: readonly string[];
  readonly told: readonly Told[];
  /** Sends one more message, to whatever node takes it. */
  send(messageId: string, job: Job): Promise<void>;
  /** Stops following. */
  end(): Promise<void>;
}

export interface TalkOptions {
  readonly fleet: Fleet;
  /** Also of its first message. */
  readonly name: string;
  readonly job: Job;
  readonly random: () => number;
  /** How long the follower stays with a node. */
  readonly stayMs: number;
}

/** Begins a session with a message. */
export async function openTalk({ fleet, name, job, random, stayMs }: TalkOptions): Promise<Talk> {
  const nextUrl = (): string => aliveUrl(fleet, random);
  const done = new AbortController();
  const accepted: string[] = [];
  const told: Told[] = [];
  const send = async (messageId: string, one: Job, sessionId?: string): Promise<string> => {
    const content = jobText({ id: messageId, ...one });
    const id = await accept(nextUrl, {
      messageId,
      content,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    accepted.push(messageId);
    return id;
  };
  const id = await send(name, job);
  const following = follow({ sessionId: id, nextUrl, signal: done.signal, stayMs }, told);
  return {
    id,
    accepted,
    told,
    send: async (messageId, one) => void (await send(messageId, one, id)),
    async end() {
      done.abort();
      await following;
    },
  };
}

/** Sent again under the same id until some node says that it has it, as a client does whose request had no answer. */
async function accept(nextUrl: () => string, body: object): Promise<string> {
  for (;;) {
    const answer = await post(`${nextUrl()}/api/message`, body).catch(() => undefined);
    if (answer?.status === 202) return (JSON.parse(answer.text) as { readonly sessionId: string }).sessionId;
    // 408: a node that was stopped tells so whoever waited meanwhile.
    if (answer && answer.status < 500 && answer.status !== 408)
      throw new Error(`A message was refused: ${answer.text}`);
    await sleep(30);
  }
}

async function post(url: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: answer.status, text: await answer.text() };
}

function aliveUrl({ nodes }: Fleet, random: () => number): string {
  const alive = nodes.filter((node) => !node.hasEnded());
  return alive[Math.floor(random() * alive.length)]?.url ?? 'http://127.0.0.1:1';
}

/** Whether nothing runs and nothing waits, as the database has it. */
export async function isAtRest({ audit }: Fleet): Promise<boolean> {
  const rows = await audit
    .query(
      `select (select count(*) from throughline.runs where ended_at_ms is null)
            + (select count(*) from throughline.inbox where state = 'accepted')
            + (select count(*) from throughline.sessions where lease_owner is not null) as open`,
    )
    .catch(() => []);
  return rows[0]?.['open'] === '0';
}

/** Waits until all rest, and no longer than leases last: what is stuck is found by the checks that follow. */
export async function settle(fleet: Fleet, ms = 60_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await isAtRest(fleet)) && Date.now() < end) await sleep(100);
}

/** Sentences on what must not be, from the database, the file of the tools, and what followers were told. */
export async function faultsOf(fleet: Fleet, talks: readonly Talk[]): Promise<readonly string[]> {
  const url = aliveUrl(fleet, () => 0);
  const client = createClient({ baseUrl: url });
  const faults = [
    ...(await fleet.audit.faults()),
    ...twice(fleet.toolStarts(), 'the tool was started twice'),
    ...(fleet.postgres.log().match(/deadlock detected/g) ?? []),
  ];
  for (const talk of talks) {
    const sent = sentIdsIn(await historyOf(client, talk.id));
    const session = await client.getSession({ id: talk.id });
    const journal = await readJournal(url, talk.id, session.lastEventSeq);
    await toldUntil(talk, session.lastEventSeq);
    faults.push(
      ...twice(sent, 'is in the history twice'),
      ...talk.accepted.filter((id) => !sent.includes(id)).map((id) => `${id} was accepted and is lost`),
      ...streamFaults(talk, journal),
    );
  }
  return faults;
}

/** What is not told after so many tries is not going to be: the check says so. */
async function toldUntil({ told }: Talk, seq: number): Promise<void> {
  for (let tries = 0; tries < 500 && (told.at(-1)?.seq ?? 0) < seq; tries += 1) await sleep(20);
}

function twice(values: readonly string[], sentence: string): readonly string[] {
  return values
    .filter((value, index) => values.indexOf(value) !== index)
    .map((value) => `${value} ${sentence}`);
}

/** What a follower was told over all nodes is what a fresh reader reads, and before it pieces of what has ended since. */
function streamFaults({ id, told }: Talk, journal: readonly Told[]): readonly string[] {
  const kept = new Map(journal.map((event) => [event.seq, event.text]));
  const faults: string[] = [];
  let last = 0;
  for (const event of told) {
    if (event.seq <= last) faults.push(`${id}: ${event.seq} was told behind ${last}`);
    last = event.seq;
    const text = kept.get(event.seq);
    if (text === undefined && !isPassing(event))
      faults.push(`${id}: ${event.seq} was told and is not stored`);
    if (text !== undefined && text !== event.text)
      faults.push(`${id}: ${event.seq} was told with another content`);
  }
  const seen = new Set(told.map(({ seq }) => seq));
  return [
    ...faults,
    ...journal.filter(({ seq }) => !seen.has(seq)).map(({ seq }) => `${id}: ${seq} was never told`),
  ];
}
