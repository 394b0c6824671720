import { createAgent, defineTool } from '@throughline/agent';
import { createClient } from '@throughline/client';
import { createServer } from '@throughline/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '@throughline/stores/postgres';
import { scriptedModelDriver, testPostgres } from '@throughline/testkit';
import { systemClock, systemTimer } from '@throughline/ports';
import { z } from 'zod';
import type { Client } from '@throughline/client';
import type { HistoryMessage } from '@throughline/protocol/types';
import type { ScriptedModelDriver, ScriptedStep } from '@throughline/testkit';

const postgres = await testPostgres();

/** A server with a store and an agent of its own, as a process of its own would have them. */
interface Node {
  readonly client: Client;
  readonly url: string;
  readonly driver: ScriptedModelDriver;
}

async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await systemTimer.wait(5);
  }
}

const textOf = ({ parts }: HistoryMessage): string =>
  parts.map((part) => ('text' in part ? part.text : part.type)).join(' ');

if (typeof postgres === 'string') describe('any node', () => it.skip(postgres));
else {
  const openNode = async (script: readonly ScriptedStep[] = []): Promise<Node> => {
    const schema = `other_node_${process.pid}`;
    const store = await openPostgresStore({ url: postgres.url, schema, connections: 4 });
    const driver = scriptedModelDriver(script);
    const write = defineTool({
      name: 'write',
      description: 'Writes',
      input: z.object({}),
      approval: 'ask',
      reads: () => [],
      execute: () => 'written',
    });
    const agent = createAgent({
      driver,
      store,
      tools: [write],
      approvals: { isAttended: () => true },
      context: { auto: false },
    });
    const watch = agent.watch();
    const models = { names: [driver.name], driverNamed: () => Promise.resolve(driver) };
    const server = await createServer({ agent, models, clock: systemClock }, { port: 0 });
    onTestFinished(async () => {
      await server.stop();
      await watch[Symbol.asyncDispose]();
      await agent[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    });
    const { url } = server.address;
    return { client: createClient({ baseUrl: url }), url, driver };
  };
  const said = async ({ client }: Node, id: string): Promise<readonly string[]> =>
    (await client.listMessages({ id })).items.map(textOf);
  const begin = async ({ client }: Node, content: string): Promise<string> =>
    (await client.sendMessage({ content })).sessionId;

  describe('a node that does not run the session', () => {
    it('shows the question of a run and takes its answer, once', async () => {
      const owner = await openNode([
        { calls: [{ callId: 'c', name: 'write', input: {} }] },
        { text: 'It is written.' },
      ]);
      const other = await openNode();
      const id = await begin(owner, 'Write it');
      const asked = await until(async () => (await other.client.listApprovals({ id })).items[0]);
      expect(asked).toMatchObject({ toolName: 'write' });
      await other.client.answerApproval({ id, approvalId: asked.id, type: 'allow', scope: 'once' });
      await expect(
        owner.client.answerApproval({ id, approvalId: asked.id, type: 'deny' }),
      ).rejects.toMatchObject({ problem: { status: 404 } });
      await other.client.settleRun({ id });
      expect((await said(other, id)).at(-1)).toBe('It is written.');
      expect(other.driver.requests).toHaveLength(0);
    });

    it('queues messages for the run, and changes and removes those that wait', async () => {
      const owner = await openNode([{ text: 'One', hangs: true }]);
      const other = await openNode([{ text: 'Two' }]);
      const id = await begin(owner, 'Go');
      await until(async () => (owner.driver.requests.length === 1 ? true : undefined));
      for (const content of ['first', 'second', 'third'])
        expect(await other.client.sendMessage({ sessionId: id, content })).toMatchObject({ queued: true });
      const [first, second, third] = (await other.client.listQueue({ sessionId: id })).items;
      await other.client.removeWaiting({ sessionId: id, id: second?.id ?? '' });
      await other.client.changeWaiting({ sessionId: id, id: first?.id ?? '', content: 'changed' });
      await other.client.changeWaiting({ sessionId: id, id: third?.id ?? '', position: 1 });
      await other.client.cancelRun({ id });
      await other.client.settleRun({ id });
      await other.client.resumeRun({ id });
      await other.client.settleRun({ id });
      expect((await said(owner, id)).at(-2)).toBe('First: third\n\nAlso: changed');
    });

    it('branches at a message while the run goes on, and the branch is one of its own', async () => {
      const owner = await openNode([{ text: 'A' }, { text: 'B', hangs: true }]);
      const other = await openNode([{ text: 'Instead.' }]);
      const id = await begin(owner, 'Go');
      await owner.client.settleRun({ id });
      await owner.client.sendMessage({ sessionId: id, content: 'Go on' });
      await until(async () => (owner.driver.requests.length === 2 ? true : undefined));
      const branch = await other.client.branchSession({ id, at: 0, content: 'Go elsewhere' });
      await other.client.settleRun({ id: branch.session.id });
      expect(await said(owner, branch.session.id)).toEqual(['Go elsewhere', 'Instead.']);
      await owner.client.cancelRun({ id });
    });

    it('compacts and takes it back, and the node that ran it goes on with what is there', async () => {
      const long = 'A long answer. '.repeat(400);
      const owner = await openNode([
        ...Array.from({ length: 6 }, () => ({ text: long })),
        { text: 'After the compaction' },
        { text: 'After the undo' },
      ]);
      const other = await openNode();
      const id = await begin(owner, 'One');
      await owner.client.settleRun({ id });
      for (let turn = 0; turn < 5; turn += 1) {
        await owner.client.sendMessage({ sessionId: id, content: `More ${turn}` });
        await owner.client.settleRun({ id });
      }
      const compacted = await other.client.compact({ id, strategy: 'threshold-tail' });
      expect(compacted).toMatchObject({ type: 'compacted' });
      await owner.client.sendMessage({ sessionId: id, content: 'Go on' });
      await owner.client.settleRun({ id });
      const sizes = (): readonly number[] =>
        owner.driver.requests.map(({ messages }) => JSON.stringify(messages).length);
      expect(sizes()[6]).toBeLessThan(sizes()[5] ?? 0);
      await other.client.undoCompaction({ id });
      await owner.client.sendMessage({ sessionId: id, content: 'Go on again' });
      await owner.client.settleRun({ id });
      expect(sizes()[7]).toBeGreaterThan(sizes()[5] ?? 0);
    });

    it('says that it is busy where something needs the session alone, and changes nothing', async () => {
      const owner = await openNode([{ text: 'One' }, { text: 'Two', hangs: true }]);
      const other = await openNode();
      const id = await begin(owner, 'Go');
      await owner.client.settleRun({ id });
      await owner.client.sendMessage({ sessionId: id, content: 'Go on' });
      await until(async () => (owner.driver.requests.length === 2 ? true : undefined));
      await expect(other.client.compact({ id })).rejects.toMatchObject({ problem: { status: 409 } });
      await expect(other.client.pin({ id, ordinal: 0 })).rejects.toMatchObject({ problem: { status: 409 } });
      await owner.client.cancelRun({ id });
      await owner.client.settleRun({ id });
      expect((await other.client.pin({ id, ordinal: 0 })).pins).toEqual([0]);
    });

    it('deletes it: its run ends, and nothing of it is there any more', async () => {
      const owner = await openNode([{ text: 'One', hangs: true }]);
      const other = await openNode();
      const id = await begin(owner, 'Go');
      await until(async () => (owner.driver.requests.length === 1 ? true : undefined));
      await other.client.deleteSession({ id });
      await expect(other.client.getSession({ id })).rejects.toMatchObject({ problem: { status: 404 } });
      await expect(owner.client.getSession({ id })).rejects.toMatchObject({ problem: { status: 404 } });
      const metrics = async (): Promise<string> => await (await fetch(`${owner.url}/metrics`)).text();
      await until(async () =>
        (await metrics()).includes('throughline_busy_sessions 0\n') ? true : undefined,
      );
      await expect(
        owner.client.sendMessage({ sessionId: id, content: 'Still there?' }),
      ).rejects.toMatchObject({ problem: { status: 404 } });
    });

    it('reads bytes that were sent to another', async () => {
      const owner = await openNode([{ text: 'Seen.' }]);
      const other = await openNode();
      const data = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
      const { sessionId: id } = await owner.client.sendMessage({
        content: [
          { type: 'text', text: 'Look' },
          { type: 'file', data, mediaType: 'application/octet-stream', filename: 'a.bin' },
        ],
      });
      await owner.client.settleRun({ id });
      const [message] = (await other.client.listMessages({ id })).items;
      const [hash] = /[0-9a-f]{64}/.exec(JSON.stringify(message)) ?? [];
      const answer = await fetch(`${other.url}/api/sessions/${id}/blobs/${hash}`);
      expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(data);
    });
  });
}
