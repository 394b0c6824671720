import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contextOf } from '../../test/tool-bench.ts';
import { defineTool } from '../tools/define-tool.ts';
import { executeCalls } from '../tools/execute-calls.ts';
import { createMemoryApprovalStore, noPause, tellingStore } from '../../test/memory-approvals.ts';
import { SessionApprovals } from './approvals.ts';
import type { Decision, PreparedCall, Tool, ToolCall } from '../tools/tool.ts';
import type { ApprovalEvent } from '../../test/memory-approvals.ts';
import type { SessionApprovalsOptions, ApprovalStore } from './approvals.ts';

const input = z.looseObject({});
const shared = { description: '', input, execute: () => 'ran' };
const shell = defineTool({
  ...shared,
  name: 'bash',
  warning: 'No sandbox.',
  approvalKey: (args) => String(args['command']),
});
const write = defineTool({ ...shared, name: 'write', writes: () => [] });
const read = defineTool({ ...shared, name: 'read', reads: () => [] });

function open(changes: Partial<SessionApprovalsOptions> = {}): {
  approvals: SessionApprovals;
  events: ApprovalEvent[];
  store: ApprovalStore;
} {
  const store = changes.store ?? createMemoryApprovalStore();
  const events: ApprovalEvent[] = [];
  let ids = 0;
  const approvals = new SessionApprovals({
    isAttended: () => true,
    nowMs: () => 7,
    newId: () => `a${(ids += 1)}`,
    pause: noPause,
    ...changes,
    store: tellingStore(store, (event) => void events.push(event)),
  });
  return { approvals, events, store };
}

function ask(
  approvals: SessionApprovals,
  tool: Tool,
  command = 'ls',
  signal = new AbortController().signal,
): Promise<Decision> {
  const call: ToolCall = { callId: 'call_0', name: tool.name, input: { command } };
  const prepared = tool.prepare(call.input);
  if (prepared.type === 'bad-input') throw new Error(prepared.message);
  const ready: PreparedCall = prepared;
  return approvals.decide(call, tool, ready, signal);
}

const allowed = { type: 'allowed' };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('approvals', () => {
  it('allow what reads, ask about the rest, and follow the rules of the configuration', async () => {
    const { approvals, events } = open({ rules: () => ({ write: 'deny', bash: 'allow' }) });
    expect(await ask(approvals, read)).toEqual(allowed);
    expect(await ask(approvals, shell)).toEqual(allowed);
    expect(await ask(approvals, write)).toMatchObject({
      type: 'denied',
      reason: expect.stringContaining('configuration'),
    });
    expect(events).toEqual([]);
    expect([read, shell, write].map(({ approval }) => approval)).toEqual(['allow', 'ask', 'ask']);
  });

  it('deny when nobody is there to ask, and say so', async () => {
    const { approvals } = open({ isAttended: () => false });
    expect(await ask(approvals, shell)).toEqual({
      type: 'denied',
      reason: 'bash needs an approval and nobody is there to give it; the call was not made.',
    });
    expect(await approvals.pending()).toEqual([]);
  });

  it('hold a request as plain data until it is answered, once', async () => {
    const { approvals, events } = open();
    const decision = ask(approvals, shell, 'make');
    await tick();
    const pending = await approvals.pending();
    expect(JSON.parse(JSON.stringify(pending))).toEqual([
      {
        id: 'a1',
        callId: 'call_0',
        toolName: 'bash',
        input: { command: 'make' },
        grant: { toolName: 'bash', key: 'make' },
        warning: 'No sandbox.',
        requestedAtMs: 7,
      },
    ]);
    const [first, second] = await Promise.all([
      approvals.answer('a1', { type: 'deny', reason: 'not today' }),
      approvals.answer('a1', { type: 'allow', scope: 'always' }),
    ]);
    expect([first, second]).toEqual([true, false]);
    expect(await decision).toEqual({
      type: 'denied',
      reason: 'The user did not allow this call: not today. It was not made.',
    });
    expect(events.map(({ type }) => type)).toEqual(['approval-requested', 'approval-resolved']);
    expect(await approvals.answer('unknown', { type: 'deny' })).toBe(false);
  });

  it('ask again after once, although ids of calls repeat', async () => {
    const { approvals } = open();
    for (const id of ['a1', 'a2']) {
      const decision = ask(approvals, shell, 'make');
      await tick();
      expect(await approvals.answer(id, { type: 'allow', scope: 'once' })).toBe(true);
      expect(await decision).toEqual(allowed);
    }
  });

  it('remember session and always for what the request names, and let go of all that it covers', async () => {
    const { approvals, store } = open();
    const decisions = [
      ask(approvals, shell, 'make'),
      ask(approvals, shell, 'make'),
      ask(approvals, shell, 'rm -r x'),
    ];
    await tick();
    await approvals.answer('a1', { type: 'allow', scope: 'session' });
    expect(await Promise.all(decisions.slice(0, 2))).toEqual([allowed, allowed]);
    expect((await approvals.pending()).map(({ id }) => id)).toEqual(['a3']);
    expect(await ask(approvals, shell, 'make')).toEqual(allowed);
    await approvals.answer('a3', { type: 'deny' });
    expect(await decisions[2]).toMatchObject({ type: 'denied' });
    expect(await store.grants()).toEqual([{ toolName: 'bash', key: 'make' }]);
  });

  it('survive a restart: an answer given meanwhile counts for that call, and only for it', async () => {
    const store = createMemoryApprovalStore();
    void ask(open({ store }).approvals, shell, 'make');
    await tick();
    const restarted = open({ store, newId: () => 'new' });
    await restarted.approvals.answer('a1', { type: 'allow', scope: 'once' });
    expect(await ask(restarted.approvals, shell, 'make')).toEqual(allowed);
    void ask(restarted.approvals, shell, 'make');
    await tick();
    expect((await restarted.approvals.pending()).map(({ id }) => id)).toEqual(['new']);
  });

  it('survive a restart: a request that is still pending waits on under its id', async () => {
    const store = createMemoryApprovalStore();
    void ask(open({ store }).approvals, write);
    await tick();
    const { approvals, events } = open({ store, newId: () => 'new' });
    const decision = ask(approvals, write);
    await tick();
    await approvals.answer('a1', { type: 'allow', scope: 'once' });
    expect(await decision).toEqual(allowed);
    expect(events.map(({ type }) => type)).toEqual(['approval-resolved']);
  });

  it('hold a call back until they are answered, and end with its step', async () => {
    const { approvals } = open();
    const abort = new AbortController();
    const calls = [write, shell, read].map(({ name }) => ({ callId: name, name, input: { command: 'x' } }));
    const executed = executeCalls(
      calls,
      contextOf([write, shell, read], {
        decide: (...call) => approvals.decide(...call),
        signal: abort.signal,
      }),
    );
    await tick();
    expect((await approvals.pending()).map(({ toolName }) => toolName)).toEqual(['write', 'bash']);
    await approvals.answer('a1', { type: 'allow', scope: 'once' });
    await tick();
    abort.abort();
    const { results } = await executed;
    expect(results.map(({ state, isCancelled }) => [state, isCancelled])).toEqual([
      ['completed', false],
      ['error', true],
      ['error', true],
    ]);
    await tick();
    expect(await approvals.pending()).toEqual([]);
  });

  it('end as denied when the run is cancelled, also those nobody waits for', async () => {
    const store = createMemoryApprovalStore();
    void ask(open({ store }).approvals, write, 'old');
    await tick();
    const { approvals } = open({ store, newId: () => 'b1' });
    const abort = new AbortController();
    const decision = ask(approvals, write, 'new', abort.signal);
    await tick();
    abort.abort();
    expect(await decision).toMatchObject({ type: 'denied', reason: expect.stringContaining('cancelled') });
    await approvals.cancelAll();
    expect(await approvals.pending()).toEqual([]);
    expect((await store.load()).map(({ answer }) => answer?.type)).toEqual(['deny', 'deny']);
  });

  it('end as denied when the run is cancelled while the question is stored', async () => {
    const memory = createMemoryApprovalStore();
    const stored = Promise.withResolvers<void>();
    let isAsked = false;
    const store: ApprovalStore = {
      ...memory,
      put: async (approval) => {
        if (approval.answer) return await memory.put(approval);
        isAsked = true;
        await stored.promise;
        await memory.put(approval);
      },
    };
    const { approvals, events } = open({ store });
    const abort = new AbortController();
    const decision = ask(approvals, write, 'new', abort.signal);
    while (!isAsked) await tick();
    abort.abort();
    await tick();
    stored.resolve();
    expect(await decision).toMatchObject({ type: 'denied' });
    expect(await approvals.pending()).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'approval-resolved', answer: { type: 'deny' } });
  });

  it.each([false, true])('end as denied when its signal was aborted before: %s', async (isBefore) => {
    const { approvals } = open();
    const abort = new AbortController();
    if (isBefore) abort.abort();
    const decision = ask(approvals, write, 'new', abort.signal);
    await tick();
    abort.abort();
    expect(await decision).toMatchObject({ type: 'denied' });
    expect(await approvals.pending()).toEqual([]);
  });
});
