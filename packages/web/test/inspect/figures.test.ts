import { cacheAt } from '../../src/inspect/prefix-cache.ts';
import { describe, expect, it } from 'vitest';
import { fatesAt } from '../../src/inspect/fates.ts';
import { floorOf } from '../../src/inspect/floor.ts';
import { forecast } from '../../src/inspect/forecast.ts';
import { fromFile, readFile } from '../../src/inspect/source/from-file.ts';
import { looked, runEngine, user } from './run-engine.ts';
import { measuredTokens, requestAt, shareScale } from '../../src/inspect/request-at.ts';
import { replayStrategies } from '../../src/inspect/compare/replayed.ts';
import { whatIf } from '../../src/inspect/compare/what-if.ts';
import type { InspectedStep, StepIndex } from '../../src/inspect/inspected.ts';
import type { SessionMessage } from '@throughline/core/codec';

const text = Array.from({ length: 60 }, (_, line) => `lib/unit.ts:${line} says the same as always`).join(
  '\n',
);
const busy = [user('Go on.'), ...Array.from({ length: 12 }, (_, n) => looked(n, `${n} ${text}`)).flat()];
const pricing = {
  prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  cache: { kind: 'marked', lifetimeMs: 300_000 },
} as const;

describe('the prefix cache', () => {
  const stepOf = (more: (index: number) => Partial<InspectedStep>) =>
    runEngine(busy, { windowTokens: 200_000, setup: { pricing }, stepOf: more }).inspected;

  it('is kept where a request only grows', () => {
    const { cause, breakAt, rewrittenTokens, rewrittenUsd, messages } = cacheAt(
      stepOf(() => ({})),
      5,
    );
    expect({ cause, breakAt, rewrittenTokens, rewrittenUsd }).toEqual({
      cause: null,
      breakAt: null,
      rewrittenTokens: 0,
      rewrittenUsd: 0,
    });
    expect(messages.map(({ state }) => state)).toEqual([
      ...Array.from({ length: 9 }, () => 'cached'),
      'new',
      'new',
    ]);
  });

  it('is lost to another model', () => {
    const switched = stepOf((index) => ({ model: index < 5 ? 'one' : 'other' }));
    expect(cacheAt(switched, 5)).toMatchObject({
      cause: { type: 'model-switched', from: 'one', to: 'other' },
      breakAt: 0,
    });
    expect(cacheAt(switched, 6).cause).toBeNull();
  });

  it('is not lost to another model as far as the provider says that it read it', () => {
    const read = (cacheReadTokens: number) =>
      stepOf((index) => ({
        model: index < 5 ? 'one' : 'other',
        usage: { inputTokens: 4_000, outputTokens: 1, cacheReadTokens, cacheWriteTokens: 0 },
      }));
    const states = (cacheReadTokens: number) => {
      const { messages, cause } = cacheAt(read(cacheReadTokens), 5);
      expect(cause?.type).toBe('model-switched');
      return new Set(messages.map(({ state }) => state));
    };
    expect(states(0)).toEqual(new Set(['rewritten', 'new']));
    expect(states(4_000)).toEqual(new Set(['cached', 'new']));
  });

  it('is lost to another system text, and to other tools', () => {
    const inspected = stepOf((index) => ({
      systemHash: index < 2 ? 's' : 'other',
      toolsHash: index < 3 ? 't' : 'others',
    }));
    expect(cacheAt(inspected, 1).cause).toBeNull();
    expect(cacheAt(inspected, 2)).toMatchObject({
      cause: { type: 'beginning-changed', system: true, tools: false },
      breakAt: 0,
    });
    expect(cacheAt(inspected, 3).cause).toEqual({ type: 'beginning-changed', system: false, tools: true });
  });

  it('is lost after a pause, unless the provider says that it was not', () => {
    const slow = (cacheReadTokens: number) =>
      stepOf((index) => ({
        startedAtMs: index * 400_000,
        durationMs: 0,
        usage: { inputTokens: 9_000, outputTokens: 1, cacheReadTokens, cacheWriteTokens: 0 },
      }));
    const { cause, messages, rewrittenTokens, rewrittenUsd } = cacheAt(slow(0), 5);
    expect(cause).toEqual({ type: 'cache-expired', idleMs: 400_000 });
    expect(messages.some(({ state }) => state === 'cached')).toBe(false);
    expect(rewrittenUsd).toBeCloseTo((rewrittenTokens * (3.75 - 0.3)) / 1e6, 10);
    expect(cacheAt(slow(9_000), 5).cause).toBeNull();
  });

  it('was not read where the provider says so, although all is as it was', () => {
    const unread = stepOf(() => ({
      usage: { inputTokens: 9_000, outputTokens: 1, cacheReadTokens: 10, cacheWriteTokens: 0 },
    }));
    const { cause, readTokens, messages, rewrittenTokens } = cacheAt(unread, 9);
    expect([cause?.type, readTokens]).toEqual(['not-read', 10]);
    expect(messages.some(({ state }) => state === 'cached')).toBe(false);
    expect(rewrittenTokens).toBeGreaterThan(2_000);
    const half = stepOf(() => ({
      usage: { inputTokens: 6_000, outputTokens: 1, cacheReadTokens: 2_000, cacheWriteTokens: 0 },
    }));
    const seen = cacheAt(half, 11);
    expect(seen.cause?.type).toBe('not-read');
    const cached = seen.messages.filter(({ state }) => state === 'cached');
    expect(cached.length).toBe(seen.breakAt);
    expect(cached.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(2_000);
    expect(cached.length).toBeGreaterThan(0);
    // Too short to say anything.
    expect(cacheAt(unread, 1).cause).toBeNull();
  });

  it('breaks where a result comes late, and no change says why', () => {
    const [call, result] = looked(99, 'late') as [SessionMessage, SessionMessage];
    const answer = {
      id: '',
      role: 'assistant',
      parts: [{ type: 'text', text: 'Well.' }],
    } as unknown as SessionMessage;
    const { inspected } = runEngine([user('Go'), call, user('And?'), answer, result, user('So?'), answer]);
    expect(cacheAt(inspected, 1)).toMatchObject({ cause: null });
    expect(cacheAt(inspected, 2).cause?.type).toBe('edited-history');
  });
});

describe('the share of a message', () => {
  it('is one of what the provider has counted, and as it was estimated where a log holds only messages', () => {
    const usage = { inputTokens: 5_000, outputTokens: 1, cacheReadTokens: null, cacheWriteTokens: null };
    const file = runEngine(busy, { windowTokens: 200_000, stepOf: () => ({ usage }) }).inspected;
    const inspected = { ...file, source: 'session' } as const;
    const request = requestAt(inspected, 3);
    const { systemTokens, toolsTokens } = request.transcript;
    const estimated = systemTokens + toolsTokens + request.items.reduce((sum, { tokens }) => sum + tokens, 0);
    const scale = shareScale(inspected, request);
    expect(Math.abs(scale - 1)).toBeGreaterThan(0.1);
    expect(Math.abs(estimated * scale - usage.inputTokens)).toBeLessThan(5);
    expect(shareScale(file, requestAt(file, 3))).toBe(1);
  });
});

describe('what goes next', () => {
  it('comes after as many steps as are left at the present rate', () => {
    const { inspected } = runEngine(busy, {
      windowTokens: 60_000,
      stepOf: (index) => ({ startedAtMs: index * 2_000 }),
    });
    const { currentTokens, triggerTokens, tokensPerStep, stepsLeft, msPerStep, msLeft, next } =
      forecast(inspected);
    expect(tokensPerStep).toBeGreaterThan(300);
    expect(stepsLeft).toBe(Math.ceil((triggerTokens - currentTokens) / tokensPerStep));
    expect([msPerStep, msLeft]).toEqual([2_000, (stepsLeft ?? 0) * 2_000]);
    expect(next?.range?.end).toBeGreaterThan(1);
    expect(next?.tokensAfter).toBeLessThan(currentTokens);
  });

  it('never comes by itself where it is switched off, waits for the user, or nothing grows', () => {
    const neverOf = (setup: object): unknown => {
      const { never, stepsLeft, msLeft } = forecast(runEngine(busy, { setup }).inspected);
      expect([stepsLeft, msLeft]).toEqual([null, null]);
      return never;
    };
    expect(neverOf({ isAutomatic: false })).toBe('switched-off');
    expect(neverOf({ trigger: 'manual' })).toBe('only-by-hand');
    const { never, next } = forecast(runEngine([user('Hi')]).inspected);
    expect([never, next]).toEqual(['not-growing', null]);
    expect(forecast(runEngine([]).inspected).next).toBeNull();
  });
});

describe('the floor', () => {
  const tool = (name: string, words: number) => ({
    name,
    description: 'word '.repeat(words),
    inputSchema: { type: 'object' },
  });

  it('has the tools by the server that they come from, and says which is too large', () => {
    const tools = [tool('mcp__git__log', 900), tool('mcp__git__diff', 300), tool('bash', 50)];
    const { parts, tokens, advice } = floorOf(runEngine([user('Hi')], { setup: { tools } }).inspected);
    expect(parts.map(({ kind, name }) => [kind, name])).toEqual(
      expect.arrayContaining([
        ['tools', 'git'],
        ['tools', 'tools of the agent'],
        ['system', 'system text'],
        ['task', 'the task'],
      ]),
    );
    expect(parts[0]).toMatchObject({
      name: 'git',
      tools: [{ name: 'mcp__git__log' }, { name: 'mcp__git__diff' }],
    });
    expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(tokens);
    for (const { kind, tools: ofServer, tokens: all } of parts)
      if (kind === 'tools') expect(ofServer.reduce((sum, one) => sum + one.tokens, 0)).toBe(all);
    expect(advice).toMatch(
      /^The tools of git take [\d.]+K of your [\d.]+K tokens: turn that server off, or leave out mcp__git__log/,
    );
  });

  it('says nothing where nothing stands out', () => {
    expect(floorOf(runEngine([user('Hi')]).inspected).advice).toBeNull();
  });

  it.each([
    ['system', { system: 'word '.repeat(2_000) }, [user('Hi')]],
    ['Pinned messages', { pins: [2] }, [user('Hi'), ...looked(1, 'word '.repeat(2_000)), user('So?')]],
  ] as const)('names %s where it takes most', (name, setup, messages) => {
    expect(floorOf(runEngine(messages, { setup }).inspected).advice).toContain(name);
  });
});

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a recorded file', () => {
  const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
  const messages = [
    { role: 'user', content: 'Look at lib/unit.ts: ünïcødé 🧵' },
    ...Array.from({ length: 30 }, (_, n) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `c${n}`, type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: `c${n}`, content: `${n} ${text}` },
    ]).flat(),
    { role: 'assistant', content: 'Done.' },
  ];
  const open = async (options = {}) =>
    fromFile(await readFile(new Blob([line({ messages })]), 'a.json'), 0, options);

  it('is opened with its steps, and nothing of it was changed', async () => {
    const inspected = await open();
    expect(inspected).toMatchObject({
      source: 'file',
      passes: [],
      setup: { isWindowKnown: false, windowTokens: 128_000 },
    });
    expect(inspected.steps).toHaveLength(31);
    expect(inspected.transcript.conversation.entries).toHaveLength(messages.length);
    expect(inspected.transcript.conversation.entries.at(0)?.wire).toEqual(messages[0]);
    expect((await open({ windowTokens: 9_000 })).setup).toMatchObject({
      isWindowKnown: true,
      windowTokens: 9_000,
    });
    expect((await open({ model: 'claude-sonnet-4-5' })).setup.pricing).not.toBeNull();
    const recording = await readFile(new Blob([line({ messages })]), 'a.json');
    expect(() => fromFile(recording, 1)).toThrow(RangeError);
  });

  it('says why it cannot be read, with its name', async () => {
    await expect(readFile(new Blob(['no']), 'notes.txt')).rejects.toMatchObject({ code: 'unreadable-file' });
  });

  it('is tried under every strategy at once, and as a whole', async () => {
    const inspected = await open({ windowTokens: 12_000 });
    const outcomes = whatIf(inspected);
    expect(outcomes.length).toBeGreaterThan(4);
    for (const { state, tokensBefore, tokensAfter, cachedShare, messagesLost, partsChanged } of outcomes) {
      expect(state).toBe('compacted');
      expect(tokensAfter).toBeLessThan(tokensBefore);
      expect(messagesLost + partsChanged).toBeGreaterThan(0);
      expect(cachedShare).toBeLessThan(1);
    }
    const replayed = await collected(replayStrategies(inspected, undefined, ['none', 'digest']));
    expect(replayed).toMatchObject([
      { strategy: 'none', compactions: 0, requests: 31, costUsd: null },
      { strategy: 'digest', overflows: 0, requests: 31 },
    ]);
    const [none, digest] = replayed;
    expect(none?.overflows).toBeGreaterThan(0);
    expect(digest?.compactions).toBeGreaterThan(0);
    expect(digest?.largestTokens).toBeLessThan(none?.largestTokens ?? 0);
    const stopped = replayStrategies(inspected, AbortSignal.abort(new Error('enough')), ['digest']);
    await expect(collected(stopped)).rejects.toThrow('enough');
  });
});

describe('a recorded file whose provider has counted', () => {
  /** As Claude Code writes it: without system text and tools, which its provider counts. */
  const line = (at: number, message: object) =>
    JSON.stringify({
      type: at % 2 === 0 ? 'user' : 'assistant',
      uuid: `u${at}`,
      parentUuid: at === 0 ? null : `u${at - 1}`,
      sessionId: 's',
      message,
    });
  const said = `The parser needs a new table. ${'It has none. '.repeat(60)}`;
  const lines = Array.from({ length: 12 }, (_, at) =>
    at % 2 === 0
      ? line(at, { role: 'user', content: `${at}: ${said}` })
      : line(at, {
          role: 'assistant',
          id: `msg_${at}`,
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text: 'Yes.' }],
          usage: { input_tokens: 40_000 + at * 200, output_tokens: 3 },
        }),
  );

  it('has the count of each request, what that says of the next one, and what the file does not hold', async () => {
    const inspected = fromFile(await readFile(new Blob([lines.join('\n')]), 'claude.jsonl'));
    const of = (step: StepIndex) => measuredTokens(inspected, requestAt(inspected, step));
    expect(inspected.steps.map((_, at) => of(at))).toEqual(
      [1, 3, 5, 7, 9, 11].map((at) => 40_000 + at * 200),
    );
    expect(of('next')).toBeGreaterThan(42_200);
    expect(of('next')).toBeLessThan(42_400);
    expect(forecast(inspected).currentTokens).toBe(of('next'));
    expect(whatIf(inspected, 3, ['digest'])[0]?.tokensBefore).toBe(of(3));
    const [biggest] = floorOf(inspected).parts;
    expect(biggest).toMatchObject({
      kind: 'uncounted',
      name: 'system text and tools, which are not in the file',
    });
    expect(biggest?.tokens).toBeGreaterThan(38_000);
  });

  it('is counted alike in a window that is chosen smaller', async () => {
    const recording = await readFile(new Blob([lines.join('\n')]), 'claude.jsonl');
    const inspected = fromFile(recording, 0, { windowTokens: 16_000 });
    expect(measuredTokens(inspected, requestAt(inspected, 'next'))).toBeGreaterThan(42_200);
  });
});

it('says of what came after the compaction of a client that it did, and not that nothing was compacted', async () => {
  const summary = 'This session is being continued from a previous conversation that ran out of context.';
  const messages = [summary, 'Yes.', 'Go on.', 'I did.', 'And?', 'Done.', 'Fine.'].map((content, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  const inspected = fromFile(await readFile(new Blob([JSON.stringify({ messages })]), 'chat.json'));
  const because = fatesAt(inspected, 'next').map((fate) => fate.state === 'shown' && fate.because);
  expect(because.slice(0, 6)).toEqual([
    'client-summary',
    'since-client',
    'task',
    'since-client',
    'since-client',
    'since-client',
  ]);
  expect(inspected.title).toBe('Go on.');
});
