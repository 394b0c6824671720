import { ask, call, dataOf, look, openAgent, record, storyOf } from './agent-bench.ts';
import { builtInToolNames, createBuiltInTools, openWorkspace } from '../../src/index.ts';
import { describe, expect, it } from 'vitest';
import { longTurn, openNarrow } from './long-bench.ts';
import { tmpdir } from 'node:os';
import type { BuiltInToolName, Tool } from '../../src/index.ts';
import type { ModelFailure, StepRequest } from '@throughline/ports';

async function builtIn(only?: readonly BuiltInToolName[]): Promise<readonly Tool[]> {
  const workspace = await openWorkspace(tmpdir());
  const bash = { sandbox: { type: 'none', reason: 'a test' }, environment: {} } as const;
  return createBuiltInTools({ workspace, bash, ...(only ? { only } : {}) });
}

function toldIn(request: StepRequest | undefined): readonly string[] {
  return (request?.tools ?? []).map(({ name }) => name);
}

const few = ['bash', 'read', 'write', 'edit'];

describe('the built-in tools', () => {
  it('take little of a request, and few of them still less', async () => {
    const bytes = (tools: readonly Tool[]): number =>
      JSON.stringify(
        tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
      ).length;
    const all = await builtIn();
    expect(all.map(({ name }) => name)).toEqual(builtInToolNames);
    expect(bytes(all)).toBeLessThan(3_000);
    expect(bytes(all.filter(({ isSpare }) => isSpare !== true))).toBeLessThan(1_400);
  });

  it('check arguments that their schema does not speak of', async () => {
    const [glob] = await builtIn(['glob']);
    expect(JSON.stringify(glob?.inputSchema)).not.toMatch(/additionalProperties|maxLength/);
    expect(glob?.prepare({ pattern: '', more: 1 }).type).toBe('bad-input');
  });

  it('are those that are asked for', async () => {
    expect((await builtIn(['read', 'grep'])).map(({ name }) => name)).toEqual(['read', 'grep']);
  });
});

describe('a small window', () => {
  it('gets few tools from the beginning, and a person is told once', async () => {
    const { agent, driver } = await openAgent([{ text: 'Hi.' }, { text: 'Hi again.' }], {
      tools: await builtIn(),
      context: { windowTokens: 4_096 },
    });
    const session = await agent.create();
    const events = record(session);
    expect(await ask(session, 'Hello')).toEqual({ type: 'completed', finish: 'stop' });
    await ask(session, 'Hello again');
    expect(driver.requests.map(toldIn)).toEqual([few, few]);
    expect(dataOf(events, 'context:warning')).toMatchObject([
      { message: expect.stringContaining('grep, glob, todo, recall are left out') },
    ]);
  });

  it('gets all where they take little of it', async () => {
    const { agent, driver } = await openAgent([{ text: 'Hi.' }], {
      tools: await builtIn(),
      context: { windowTokens: 16_000 },
    });
    await ask(await agent.create(), 'Hello');
    expect(toldIn(driver.requests[0])).toEqual(builtInToolNames);
  });

  it('gets few where only the provider knew how small it is, and the request goes through', async () => {
    const failure: ModelFailure = {
      kind: 'overflow',
      message: 'the request exceeds the available context size',
      recoverable: true,
      promptTokens: 7_100,
      limitTokens: 4_096,
    };
    const { agent, driver } = await openAgent([{ failure }, { text: 'Hi.' }], { tools: await builtIn() });
    const session = await agent.create();
    const events = record(session);
    expect(await ask(session, 'Hello')).toEqual({ type: 'completed', finish: 'stop' });
    expect(driver.requests.map(toldIn)).toEqual([builtInToolNames, few]);
    expect(JSON.stringify(dataOf(events, 'context:warning'))).toContain('are left out');
    expect(dataOf(events, 'compaction:error')).toEqual([]);
  });

  it('ends as cannot-fit, with the tools first, where even few are too many', async () => {
    const failure: ModelFailure = { kind: 'overflow', message: 'too long', recoverable: true };
    const { agent, driver } = await openAgent([{ failure }, { failure }], { tools: await builtIn() });
    expect(await ask(await agent.create(), 'Hello')).toMatchObject({
      type: 'cannot-fit',
      parts: [{ name: 'tools' }, {}],
      refusal: failure,
    });
    expect(driver.requests).toHaveLength(2);
  });
});

describe('a tool that is denied', () => {
  it.each(['by a rule', 'by itself'])('is not told to the model: %s', async (how) => {
    const denied: Tool = { ...look, name: 'denied', approval: how === 'by itself' ? 'deny' : 'allow' };
    const { agent, driver, store } = await openAgent(
      [{ calls: [call('a', 'denied'), call('b')] }, { text: 'Done.' }],
      {
        tools: [look, denied],
        ...(how === 'by a rule' ? { approvals: { rules: { denied: 'deny' } } } : {}),
      },
    );
    const session = await agent.create();
    await ask(session, 'Go');
    expect(toldIn(driver.requests[0])).toEqual(['look']);
    expect((await storyOf(store, session)).filter((line) => line.startsWith('tool'))).toEqual([
      expect.stringMatching(/^tool result:a!There is no tool/),
      'tool result:b=seen x',
    ]);
  });

  it('is told where a rule goes before what it says of itself', async () => {
    const tools: readonly Tool[] = [{ ...look, approval: 'deny' }];
    const { agent, driver } = await openAgent([{ text: 'Hi.' }], {
      tools,
      approvals: { rules: { look: 'allow' } },
    });
    await ask(await agent.create(), 'Go');
    expect(toldIn(driver.requests[0])).toEqual(['look']);
  });
});

it('says that automatic compaction is off where that is why nothing fits', async () => {
  const { agent } = await openNarrow(longTurn(1, 14), { context: { auto: false } });
  const session = await agent.create();
  const events = record(session);
  expect(await ask(session, 'Go')).toMatchObject({ type: 'cannot-fit', canCompact: true });
  expect(dataOf(events, 'compaction:error')).toMatchObject([
    { error: { message: expect.stringContaining('automatic compaction is off') }, canRetry: true },
  ]);
  expect(await session.compact()).toMatchObject({ type: 'compacted' });
});
