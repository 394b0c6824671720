import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { join } from 'node:path';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { systemTimer } from '@throughline/ports';
import { isDeepRun, memoryFolder } from '@throughline/testkit';
import { createAgent } from '../../src/index.ts';
import { createCheckedDriver } from './checked-driver.ts';
import { createJournalTool } from './journal-tool.ts';
import { createKillPoints } from './kill-points.ts';
import { createReader } from './reader-tool.ts';
import { findSessionFaults } from './find-session-faults.ts';
import type { Agent, AgentOptions, AgentSession } from '../../src/index.ts';
import type { DemoCall, DemoTurn } from '@throughline/drivers';
import type { ModelDriver, SessionStore, StepRequest } from '@throughline/ports';
import type { Remains } from './kill-points.ts';
import type { SentMessage } from './find-session-faults.ts';

const sessionId = 'killed';
const windowTokens = 3_500;
const leaseTtlMs = 1_000;
const task = 'The task TASK-9c: note what you find.';
const later = 'Also look at the weather: token-later.';

/** What the model says depends on what it sees, so that it can be asked again; no line is noted under one name twice. */
function createModel(boot: string): (request: StepRequest) => DemoTurn {
  let lines = 0;
  const note = (name: string, mark: string): DemoCall => ({
    name,
    input: { line: `${mark} line-${boot}-${(lines += 1)}.` },
  });
  const read = (of: string): DemoCall => ({ name: 'read-much', input: { of } });
  const plan: readonly (readonly [mark: string, turn: () => DemoTurn])[] = [
    [
      'mark-one',
      () => ({
        reasoning: 'Two things at once.',
        text: 'I note and read.',
        calls: [note('note', 'mark-one'), read('first'), note('note', 'mark-one-b')],
      }),
    ],
    [
      'mark-two',
      () => ({
        text: `I ask before I note${' and say why'.repeat(300)}.`,
        calls: [note('asked-note', 'mark-two')],
      }),
    ],
    ['mark-three', () => ({ text: `I read more${' and more'.repeat(500)}.`, calls: [read('mark-three')] })],
  ];
  const weather = (): DemoTurn => ({ text: 'The weather.', calls: [note('note', 'mark-rain')] });
  return ({ messages }) => {
    const seen = JSON.stringify(messages);
    const next = plan.find(([mark]) => !seen.includes(mark));
    if (next) return next[1]();
    if (seen.includes('token-later') && !seen.includes('mark-rain')) return weather();
    return { text: 'All is done.' };
  };
}

interface Life extends AsyncDisposable {
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly store: SessionStore;
  readonly faults: string[];
}

interface LifeOptions {
  readonly boot: string;
  readonly nowMs: number;
  readonly look?: (at: string) => void;
  readonly watchStore?: (store: SessionStore) => SessionStore;
  readonly watchDriver?: (driver: ModelDriver) => ModelDriver;
}

async function begin(folder: string, options: LifeOptions): Promise<Life> {
  const { boot, nowMs, look, watchStore = (one) => one, watchDriver = (one) => one } = options;
  const clock = { nowMs: () => nowMs };
  let ids = 0;
  const idSource = { nextId: (kind: string): string => `${kind}-${boot}-${(ids += 1)}` };
  const faults: string[] = [];
  const store = await openSqliteStore({
    file: join(folder, 'sessions.db'),
    blobs: folderBlobs(join(folder, 'blobs')),
    clock,
    ids: idSource,
  });
  const journal = join(folder, 'journal.txt');
  const pause = async (): Promise<void> => look?.('inside a call');
  const driver = createCheckedDriver({
    timer: systemTimer,
    windowTokens,
    task,
    next: createModel(boot),
    onRequest: (_, own) => void faults.push(...own),
    onRefused: (message) => void faults.push(message),
  });
  const agentOptions: AgentOptions = {
    driver: watchDriver(driver),
    store: watchStore(store),
    clock,
    // A lease is renewed by the clock, which stands still.
    timer: { wait: (ms, signal) => systemTimer.wait(ms > 100 ? 1e6 : 1, signal) },
    ids: idSource,
    tools: [
      createJournalTool('note', journal, pause),
      createJournalTool('asked-note', journal, pause),
      createReader('read-much'),
    ],
    approvals: { rules: { note: 'allow' }, isAttended: () => true },
    owner: boot,
    leaseTtlMs,
  };
  const agent = createAgent(agentOptions);
  await store.sessions.create({ id: sessionId }).catch(() => undefined);
  const session = await agent.open(sessionId);
  const answer = async (): Promise<void> => {
    for (const { id } of await session.approvals.pending()) {
      await session.approvals.answer(id, { type: 'allow', scope: 'once' });
    }
  };
  session.subscribe(({ type }) => void (type === 'approval:requested' && setTimeout(() => void answer(), 5)));
  await answer();
  return {
    agent,
    session,
    store,
    faults,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Sends the task, and something else while it is worked on; ends when all is done. */
async function workOnce(folder: string, into: string): Promise<readonly Remains[]> {
  const points = createKillPoints(folder, into);
  const { look, watchStore, watchDriver, tell } = points;
  await using life = await begin(folder, { boot: 'p', nowMs: 1_000_000, look, watchStore, watchDriver });
  const { session } = life;
  const asked = Promise.withResolvers<void>();
  session.subscribe(({ type }) => void (type === 'approval:requested' && asked.resolve()));
  await session.send(task, { id: 'sent-0' });
  tell('sent-0');
  await asked.promise;
  await session.send(later, { id: 'sent-1' });
  tell('sent-1');
  await session.settled();
  look('at the end');
  expect(life.faults).toEqual([]);
  return points.remains;
}

/** Another process comes, when the lease is over, and goes on. */
async function goOn({ folder, told }: Remains): Promise<readonly string[]> {
  await using life = await begin(folder, { boot: 'q', nowMs: 2_000_000 });
  const { agent, session, store, faults } = life;
  await agent.recover();
  await session.resume();
  await session.settled();
  // Who was not told sends again.
  const sent: SentMessage[] = [];
  for (const [index, text] of [task, later].entries()) {
    const id = `sent-${index}`;
    const item = told.includes(id) ? undefined : await store.inbox.item(sessionId, id);
    if (!told.includes(id) && item?.state !== 'delivered') await session.send(text, { id });
    await session.settled();
    sent.push({ id, texts: [text] });
  }
  const lines = (await readFile(join(folder, 'journal.txt'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '');
  const facts = { sent, lines, journalTools: new Set(['note', 'asked-note']) };
  return [...faults, ...(await findSessionFaults(store, sessionId, facts))];
}

describe('a process that dies', () => {
  let own = '';
  let remains: readonly Remains[] = [];
  beforeAll(async () => {
    own = await mkdtemp(join(memoryFolder(), 'throughline-kill-'));
    await mkdir(join(own, 'work'));
    await mkdir(join(own, 'kept'));
    await writeFile(join(own, 'work', 'journal.txt'), '');
    remains = await workOnce(join(own, 'work'), join(own, 'kept'));
  });
  afterAll(() => rm(own, { recursive: true, force: true }));

  it('can leave many different things: of approvals, of calls under way, of waiting messages, of a compaction', async () => {
    expect(remains.length).toBeGreaterThan(30);
    expect(remains.filter(({ at }) => at.includes('inside a call')).length).toBeGreaterThan(2);
    const last = remains.at(-1);
    await using life = await begin(last?.folder ?? '', { boot: 'look', nowMs: 2_000_000 });
    const checkpoints = await life.session.checkpoints();
    expect(checkpoints.map(({ checkpoint }) => checkpoint.reason)).toEqual(['overflow']);
    const events = await life.store.journal.after(sessionId, 0, 100_000);
    expect(events.filter(({ type }) => type === 'approval:resolved')).toHaveLength(1);
    expect(await life.store.approvals.list(sessionId)).toEqual([]);
    expect(await life.store.inbox.item(sessionId, 'sent-1')).toMatchObject({ state: 'delivered' });
  });

  it('anywhere in a run leaves a session that goes on: no call runs twice, no message is lost', async () => {
    const faults: string[] = [];
    for (const [index, one] of remains.entries()) {
      // A default run goes on from every other one.
      if (!isDeepRun && index % 2 === 1) continue;
      for (const fault of await goOn(one)) faults.push(`${index}, ${one.at.join(', ')}: ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});
