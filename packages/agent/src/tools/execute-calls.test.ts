import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callTool, contextOf, recordEvents, textOf } from '../../test/tool-bench.ts';
import { defineTool } from './define-tool.ts';
import { executeCalls } from './execute-calls.ts';
import type { Tool, ToolCall, ToolContext, ToolReply } from './tool.ts';

const anything = z.looseObject({});

function toolOf(name: string, execute: (context: ToolContext) => Promise<ToolReply> | ToolReply): Tool {
  return defineTool({
    name,
    description: '',
    input: anything,
    reads: () => [],
    execute: (_, context) => execute(context),
  });
}

const call = (name: string, callId = name): ToolCall => ({ callId, name, input: {} });
const never = (): Promise<ToolReply> => new Promise(() => {});

/** Starts and ends of calls of three tools over named places. */
function logged(): { readonly tools: Tool[]; readonly log: string[] } {
  const log: string[] = [];
  const input = z.strictObject({ id: z.int(), places: z.array(z.string()), turns: z.int() });
  const execute = async ({ id, turns }: z.output<typeof input>): Promise<string> => {
    log.push(`start ${id}`);
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    log.push(`end ${id}`);
    return `done ${id}`;
  };
  const shared = { description: '', input, execute };
  return {
    log,
    tools: [
      defineTool({ ...shared, name: 'reads', reads: ({ places }) => places }),
      defineTool({ ...shared, name: 'writes', writes: ({ places }) => places }),
      defineTool({ ...shared, name: 'anything' }),
    ],
  };
}

const places = fc.uniqueArray(fc.constantFrom('/w/a', '/w/b', '/w/a/x', '/w', '/w/ab'), { maxLength: 2 });
const asked = fc.array(
  fc.record({ name: fc.constantFrom('reads', 'writes', 'anything', 'unknown'), places, turns: fc.nat(3) }),
  { maxLength: 12 },
);
const meet = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

describe('executeCalls', () => {
  it('keeps the order of calls that meet in a place or may touch anything, and loses and doubles none', async () => {
    await fc.assert(
      fc.asyncProperty(asked, fc.integer({ min: 1, max: 4 }), async (plan, maxParallel) => {
        const { tools, log } = logged();
        const calls = plan.map(({ name, ...rest }, id) => ({ callId: 'same', name, input: { id, ...rest } }));
        const { results } = await executeCalls(calls, contextOf(tools, { maxParallel }));
        expect(results.map(textOf).map((text) => text.replace(/^There is no tool.*/, 'unknown'))).toEqual(
          plan.map(({ name }, id) => (name === 'unknown' ? 'unknown' : `done ${id}`)),
        );
        const ran = plan.flatMap(({ name }, id) => (name === 'unknown' ? [] : [id]));
        expect([...log].sort()).toEqual(ran.flatMap((id) => [`start ${id}`, `end ${id}`]).sort());
        for (const later of ran) {
          for (const earlier of ran.filter((id) => id < later)) {
            const [one, other] = [plan[earlier]!, plan[later]!];
            const isOrdered =
              one.name === 'anything' ||
              other.name === 'anything' ||
              ((one.name === 'writes' || other.name === 'writes') &&
                one.places.some((place) => other.places.some((next) => meet(place, next))));
            if (isOrdered) expect(log.indexOf(`end ${earlier}`)).toBeLessThan(log.indexOf(`start ${later}`));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('runs reading calls side by side', async () => {
    const barrier = Promise.withResolvers<string>();
    const waits = toolOf('waits', () => barrier.promise);
    const frees = toolOf('frees', () => (barrier.resolve('freed'), 'ok'));
    const { results } = await executeCalls([call('waits'), call('frees')], contextOf([waits, frees]));
    expect(results.map(textOf)).toEqual(['freed', 'ok']);
  });

  it('tells pending, running and live output, and one end', async () => {
    const { events, emit } = recordEvents();
    const talks = toolOf('talks', async ({ emit: say }) => {
      say('a');
      say('');
      setTimeout(() => say('too late'), 5);
      return 'ab';
    });
    const fails = toolOf('fails', () => Promise.reject(new Error('no luck')));
    await executeCalls([call('talks'), call('fails'), call('nobody')], contextOf([talks, fails], { emit }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const of = (name: string): string[] =>
      events.flatMap((event) =>
        event.name === name ? [event.type === 'tool-state' ? event.state : event.delta] : [],
      );
    expect(of('talks')).toEqual(['pending', 'running', 'a', 'completed']);
    expect(of('fails')).toEqual(['pending', 'running', 'error']);
    expect(of('nobody')).toEqual(['pending', 'error']);
  });

  it('makes an error result of what a tool throws, with what it had put out', async () => {
    const fails = toolOf('fails', ({ emit }) => {
      emit('half');
      throw new Error('no luck');
    });
    expect(await callTool(fails, {})).toMatchObject({ state: 'error', text: 'half\nno luck' });
  });

  it('ends soon after an abort although no tool listens, and keeps what was put out', async () => {
    const abort = new AbortController();
    const deaf = toolOf('deaf', ({ emit }) => {
      emit('partial');
      queueMicrotask(() => abort.abort());
      return never();
    });
    const alone = defineTool({
      name: 'alone',
      description: '',
      input: anything,
      execute: () => 'never runs',
    });
    const { results } = await executeCalls(
      [call('deaf', 'one'), call('deaf', 'two'), call('alone')],
      contextOf([deaf, alone], { signal: abort.signal }),
    );
    expect(results.map(textOf)).toEqual([
      'partial\n[cancelled before it finished]',
      'partial\n[cancelled before it finished]',
      'The call was cancelled before it started; nothing was done.',
    ]);
    expect(results.map(({ isCancelled, isUnstarted }) => [isCancelled, isUnstarted])).toEqual([
      [true, false],
      [true, false],
      [true, true],
    ]);
  });

  it('runs no call where the lease is lost, cannot be looked at, or is looked at until an abort', async () => {
    const ran: string[] = [];
    const tool = toolOf('look', () => (ran.push('look'), 'seen'));
    const stop = new AbortController();
    const fences = [
      () => Promise.reject(new Error('the lease is lost')),
      () => Promise.reject(new Error('the database is away')),
      () => Promise.resolve(stop.abort()),
    ];
    for (const fence of fences) {
      const context = { ...contextOf([tool]), fence, signal: stop.signal };
      const { results } = await executeCalls([call('look')], context);
      expect(results).toMatchObject([{ isUnstarted: true, isCancelled: true }]);
    }
    expect(ran).toEqual([]);
    const { results } = await executeCalls(
      [call('look')],
      contextOf([tool], { fence: () => Promise.resolve() }),
    );
    expect(results.map(textOf)).toEqual(['seen']);
  });

  it('takes what a tool still says after an abort, and does not wait for approvals that hang', async () => {
    const abort = new AbortController();
    const listens = toolOf('listens', async ({ signal }) => {
      queueMicrotask(() => abort.abort());
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { content: 'tidied up', isError: true, isCancelled: true };
    });
    const { results } = await executeCalls(
      [call('listens'), call('hangs')],
      contextOf([listens, toolOf('hangs', never)], {
        signal: abort.signal,
        decide: ({ name }) =>
          name === 'hangs' ? new Promise(() => {}) : Promise.resolve({ type: 'allowed' }),
      }),
    );
    expect(results.map(textOf)).toEqual([
      'tidied up',
      'The call was cancelled before it started; nothing was done.',
    ]);
  });

  it('says which tools there are, which argument is wrong, and why a call was denied', async () => {
    const strict = defineTool({
      name: 'strict',
      description: '',
      input: z.strictObject({ path: z.string(), count: z.int().max(9).optional() }),
      execute: () => 'ran',
    });
    const { results } = await executeCalls(
      [
        call('missing'),
        { callId: '2', name: 'strict', input: { count: 10, extra: 1 } },
        { callId: '3', name: 'strict', input: '{"path": "cut' },
        { callId: '4', name: 'strict', input: [] },
        { callId: '5', name: 'strict', input: '' },
      ],
      contextOf([strict]),
    );
    const [unknown, wrong, broken, list, empty] = results.map(textOf);
    expect(unknown).toBe('There is no tool "missing". Tools: strict.');
    for (const words of ['path:', 'expected string', 'count:', '<=9', '"extra"'])
      expect(wrong).toContain(words);
    expect(broken).toContain('not valid JSON');
    expect(list).toContain('expected object');
    expect(empty).toContain('path:');
    const denied = await callTool(
      strict,
      { path: 'x' },
      { decide: () => Promise.resolve({ type: 'denied', reason: 'No.' }) },
    );
    expect(denied).toMatchObject({ state: 'error', text: 'No.', isUnstarted: true });
    const broke = await callTool(
      strict,
      { path: 'x' },
      { decide: () => Promise.reject(new Error('store down')) },
    );
    expect(broke.text).toContain('store down');
  });

  it('cuts a long text, keeps it whole in the store, and names its id', async () => {
    const kept: string[] = [];
    const outputs = {
      keep: (_: string, output: { type: string; text?: string }) =>
        Promise.resolve((kept.push(output.text ?? ''), 'o7')),
    };
    const long = `head ${'x'.repeat(1_000)} tail`;
    const result = await callTool(
      toolOf('long', () => long),
      {},
      {
        session: { outputs },
        limitsOf: () => ({ maxOutputChars: 100 }),
      },
    );
    expect(result).toMatchObject({ state: 'completed', truncated: true, wholeId: 'o7' });
    expect(result.text).toMatch(
      /^head x+\n\[… \d+ characters left out; recall "o7" returns it whole …\]\nx+ tail$/,
    );
    expect(kept).toEqual([long]);
  });

  it('gives the cut text also when the store fails, and counts many parts together', async () => {
    const part = { type: 'text' as const, text: 'y'.repeat(60) };
    const image = {
      type: 'media' as const,
      mediaType: 'image/png',
      source: { type: 'base64' as const, data: 'AA==' },
    };
    const result = await callTool(
      toolOf('parts', () => ({ content: [part, image, part, part] })),
      {},
      {
        session: { outputs: { keep: () => Promise.reject(new Error('disk full')) } },
        limitsOf: () => ({ maxOutputChars: 100 }),
      },
    );
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'media']);
    expect(result.text.length).toBeLessThan(160);
    expect(result.wholeId).toBeUndefined();
  });

  it('makes results that every database takes', async () => {
    const result = await callTool(
      toolOf('odd', () => 'a\0b\ud800c'),
      {},
    );
    expect(result).toMatchObject({ text: 'a␀b\ufffdc', sanitized: true });
    expect(
      (
        await callTool(
          toolOf('silent', () => ''),
          {},
        )
      ).text,
    ).toBe('(no output)');
  });

  it('turns a value into words by toModelOutput', async () => {
    const counts = defineTool({
      name: 'counts',
      description: '',
      input: anything,
      execute: () => ({ count: 3 }),
      toModelOutput: ({ count }) => `${count} things`,
    });
    expect((await callTool(counts, {})).text).toBe('3 things');
  });
});

describe('the guard against imitated placeholders', () => {
  const write = toolOf('write', () => 'ran');
  const recall = {
    get: (id: string) => Promise.resolve(id === 'm3.1' ? { id, text: 'the file' } : undefined),
    search: () => Promise.resolve([]),
  };
  const line = (id: string): string =>
    `before\n[[cleared argument ${id}, 900 tokens; recall "${id}" returns it]\nafter`;

  it('refuses a call whose argument holds a placeholder of something that exists, however deep', async () => {
    const result = await callTool(
      write,
      { deep: [{ content: line('m9') + line('m3.1') }] },
      { session: { recall } },
    );
    expect(result).toMatchObject({ state: 'error', isUnstarted: true });
    expect(result.text).toContain('recall (id "m3.1")');
  });

  it.each([
    ['the id does not exist', line('m4.1'), { recall }],
    ['the grammar is not ours', '[cleared m3.1] cleared argument m3.1,', { recall }],
    ['the session has no archive', line('m3.1'), {}],
  ])('lets a call run when %s', async (_, content, session) => {
    expect((await callTool(write, { content }, { session })).text).toBe('ran');
  });
});
