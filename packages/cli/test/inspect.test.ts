import { agentCodec } from '@throughline/core/internal';
import { captureCli, chatSession, temporaryFolder, widestLine, writeInto } from './support.ts';
import { createStrategy, emptyState, openTranscript, prepare } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { inspect } from '../src/commands/inspect.ts';
import type { InspectOptions } from '../src/commands/inspect.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { Inspection } from '../src/inspect/inspection.ts';

interface Answer {
  readonly version: number;
  readonly files: readonly Inspection[];
  readonly total: { readonly files: number; readonly messages: number; readonly tokens: number };
}

async function inspectJson(content: unknown, options: InspectOptions = {}): Promise<Inspection> {
  const path = writeInto(temporaryFolder(), 'session.json', content);
  const cli = captureCli();
  expect(await inspect([path], { ...options, json: true }, cli)).toBe(0);
  const [first] = (JSON.parse(cli.stdout()) as Answer).files;
  return first!;
}

describe('inspect', () => {
  it('adds up: roles and turns make the total, kinds make their role', async () => {
    const { tokens, byRole, turns } = await inspectJson({
      messages: chatSession(20),
      tools: [{ type: 'function', function: { name: 'read_file' } }],
    });
    const sum = (items: readonly { readonly tokens: number }[]): number =>
      items.reduce((total, item) => total + item.tokens, 0);
    expect(Math.abs(sum(byRole) - tokens.total)).toBeLessThanOrEqual(byRole.length);
    expect(Math.abs(sum(turns) - tokens.messages)).toBeLessThanOrEqual(turns.length);
    for (const { kinds, tokens: ofRole } of byRole)
      expect(Math.abs(sum(kinds) - ofRole)).toBeLessThanOrEqual(kinds.length);
    expect(tokens.tools).toBeGreaterThan(0);
  });

  it('tells calls from results, per tool', async () => {
    const { byTool } = await inspectJson(chatSession(10));
    expect(byTool).toHaveLength(1);
    expect(byTool[0]).toMatchObject({ name: 'read_file', calls: 10, results: 10 });
    expect(byTool[0]!.resultTokens).toBeGreaterThan(byTool[0]!.callTokens);
  });

  it('counts turns from user request to user request, and shows what stands before the first', async () => {
    const { turns, session } = await inspectJson(chatSession(3));
    expect(turns.map(({ number, recallId, messages }) => [number, recallId, messages])).toEqual([
      [0, 'm0', 1],
      [1, 'm1', 8],
      [2, 'm9', 1],
    ]);
    expect(session.turns).toBe(2);
  });

  it('finds what was read again, and what the earlier results cost', async () => {
    const { duplicates, largest } = await inspectJson(chatSession(9));
    expect(duplicates.map(({ what, times }) => [what, times])).toEqual([
      ['src/parser/part-0.ts', 2],
      ['src/parser/part-1.ts', 2],
    ]);
    expect(duplicates[0]?.recallIds).toEqual(['m3', 'm17']);
    expect(duplicates[0]!.repeatedTokens).toBeGreaterThan(100);
    expect(largest[0]?.kind).toBe('result');
  });

  it('takes another part of the same file for the same file, and an edit of it for something else', async () => {
    const call = (id: string, name: string, input: object): object[] => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
      },
      { role: 'tool', tool_call_id: id, content: 'some lines' },
    ];
    const { duplicates } = await inspectJson([
      { role: 'user', content: 'Go on.' },
      ...call('a', 'read', { path: 'a.ts', offset: 1 }),
      ...call('b', 'read', { path: 'a.ts', offset: 200 }),
      ...call('c', 'edit', { path: 'a.ts', text: 'one' }),
      ...call('d', 'edit', { path: 'a.ts', text: 'two' }),
    ]);
    expect(duplicates.map(({ tool, times }) => [tool, times])).toEqual([['read', 2]]);
  });

  it('says what pruning and compacting would free, from the engine itself', async () => {
    const { wouldFree, percentOfUsable } = await inspectJson(chatSession(60), { window: 16_000 });
    expect(percentOfUsable).toBeGreaterThan(100);
    expect(wouldFree.prune.freedTokens).toBeGreaterThan(0);
    expect(wouldFree.compact.afterTokens).toBeLessThan(11_360);
    expect(wouldFree.compact.cannotFit).toBe(false);
    expect(wouldFree.compact.steps.join()).toContain('written by code');
  });

  it('takes the window from the option, the model, or says that it is assumed', async () => {
    const session = { model: 'gpt-4o', messages: chatSession(2) };
    expect((await inspectJson(session, { window: 50_000 })).window).toMatchObject({
      tokens: 50_000,
      source: 'option',
    });
    expect((await inspectJson(session)).window).toMatchObject({ tokens: 128_000, source: 'recorded model' });
    expect((await inspectJson(session, { model: 'claude-sonnet-4-5' })).window.source).toBe('model');
    expect((await inspectJson(chatSession(2))).window.source).toBe('assumed');
  });

  it('counts with a vocabulary when asked to', async () => {
    const { estimator } = await inspectJson({ model: 'gpt-4o', messages: chatSession(2) }, { exact: true });
    expect(estimator).toBe('o200k_base');
    const other = await inspectJson(chatSession(2), { exact: true });
    expect(other.estimator).toContain('10 %');
  });

  it('puts recorded usage beside the estimate, and learns the part that the log lacks', async () => {
    const lines: object[] = [{ type: 'session', id: 's', timestamp: '2026-03-02T10:00:00Z', cwd: '/' }];
    let prompt = 9_000;
    for (let step = 0; step < 8; step += 1) {
      const text = `Step ${step}: ${'several plain words of a question '.repeat(100)}`;
      prompt += 620;
      const usage = { input: prompt, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: prompt + 10 };
      lines.push(
        {
          type: 'message',
          timestamp: '2026-03-02T10:00:00Z',
          message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 },
        },
        {
          type: 'message',
          timestamp: '2026-03-02T10:00:01Z',
          message: {
            role: 'assistant',
            content: [{ type: 'text', text: 'Done.' }],
            model: 'claude-opus-4-5',
            usage,
            stopReason: 'stop',
            timestamp: 1,
          },
        },
      );
    }
    const { usage, format } = await inspectJson(lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(format).toBe('pi');
    expect(usage).toMatchObject({
      calls: 8,
      holdsWholePrompt: false,
      calibratedOn: 3,
      last: { recordedTokens: prompt },
    });
    expect(usage!.before!.p50).toBeGreaterThan(0.5);
    expect(usage!.after!.p90).toBeLessThan(0.1);
    expect(usage!.notInLogTokens).toBeGreaterThan(6_000);
  });

  it('says plainly in the text where the log lacks system prompt and tools', async () => {
    const usage = { input: 9_000, output: 10, cacheRead: 0, cacheWrite: 0 };
    const lines = [
      { type: 'session', id: 's', timestamp: '2026-03-02T10:00:00Z', cwd: '/' },
      {
        type: 'message',
        timestamp: '2026-03-02T10:00:00Z',
        message: { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      },
      {
        type: 'message',
        timestamp: '2026-03-02T10:00:00Z',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Yes' }], usage },
      },
    ];
    const path = writeInto(
      temporaryFolder(),
      's.jsonl',
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    const cli = captureCli();
    await inspect([path], {}, cli);
    expect(cli.stdout()).toContain('system prompt and the tools');
  });

  it('stays within 80 columns, also with wide characters, and sends no escape of the transcript', async () => {
    const session = chatSession(30);
    session[1] = { role: 'user', content: `\u001b]0;title\u0007${'日本語の長い依頼文です。'.repeat(30)}` };
    session.push({ role: 'assistant', content: '\u001b[2J\u202e' });
    const path = writeInto(temporaryFolder(), `${'long-name-'.repeat(12)}.json`, session);
    const cli = captureCli();
    expect(await inspect([path], {}, cli)).toBe(0);
    expect(widestLine(cli.stdout())).toBeLessThanOrEqual(80);
    expect(/[\p{Cc}\u202e]/u.test(cli.stdout().replaceAll('\n', ''))).toBe(false);
  });

  it('shows a strip instead of a list when there are many turns', async () => {
    const session = Array.from({ length: 80 }, (_, index) => ({
      role: index % 2 ? 'assistant' : 'user',
      content: `words ${index}`,
    }));
    const cli = captureCli();
    await inspect([writeInto(temporaryFolder(), 's.json', session)], {}, cli);
    expect(cli.stdout()).toMatch(/[▁▂▃▄▅▆▇█]{40}/);
    expect(cli.stdout()).toContain('40 turns');
  });

  it('counts the turns in the head and above their list alike', async () => {
    const system = { role: 'system', content: 'You are careful.' };
    const session = Array.from({ length: 80 }, (_, index) => ({
      role: index % 2 ? 'assistant' : 'user',
      content: `words ${index}`,
    }));
    const cli = captureCli();
    await inspect([writeInto(temporaryFolder(), 's.json', [system, ...session])], {}, cli);
    expect(cli.stdout().match(/\d+ turns/g)).toEqual(['40 turns', '40 turns']);
  });

  it('uses colours only where they are wanted', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(3));
    const colored = captureCli({ hasColor: true });
    await inspect([path], {}, colored);
    expect(colored.stdout()).toContain('\u001b[');
    const plain = captureCli({ hasColor: true });
    await inspect([path], { color: false }, plain);
    expect(plain.stdout()).not.toContain('\u001b[');
  });

  it('lists the other sessions of a file and opens each by number', async () => {
    const content = {
      data: [
        { id: 'a', messages: chatSession(1) },
        { id: 'b', messages: chatSession(4) },
      ],
    };
    const lines = content.data.map((item) => JSON.stringify(item)).join('\n');
    const first = await inspectJson(lines);
    expect(first.otherSessions).toMatchObject([{ number: 2, messages: 12 }]);
    expect((await inspectJson(lines, { session: '2' })).session).toMatchObject({ number: 2, messages: 12 });
  });

  it('names the sessions there are when another is asked for', async () => {
    const cli = captureCli();
    const path = writeInto(temporaryFolder(), 's.json', chatSession(1));
    expect(await inspect([path], { session: '7' }, cli)).toBe(2);
    expect(cli.stderr()).toContain('There is no session 7');
  });
});

describe('inspect of several files', () => {
  it('goes on after a broken one, ends with 3, and adds the others up', async () => {
    const folder = temporaryFolder();
    const good = writeInto(folder, 'good.json', chatSession(2));
    const broken = writeInto(folder, 'broken.json', '[{"role": "user"');
    const cli = captureCli();
    expect(await inspect([good, broken, good], {}, cli)).toBe(3);
    expect(cli.stderr()).toContain('broken.json: line 1');
    expect(cli.stdout()).toContain('2 files');
    expect(cli.stdout()).toContain('1 file could not be read');
  });

  it('says the same in JSON', async () => {
    const folder = temporaryFolder();
    const good = writeInto(folder, 'good.json', chatSession(2));
    const broken = writeInto(folder, 'empty.json', '');
    const cli = captureCli();
    expect(await inspect([broken, good], { json: true }, cli)).toBe(3);
    const { files, total } = JSON.parse(cli.stdout()) as Answer;
    expect(files[0]).toMatchObject({ file: broken, error: { code: 'unreadable-file' } });
    expect(total).toMatchObject({ files: 1, messages: 8 });
  });

  it('reads standard input for -', async () => {
    async function* input(): AsyncGenerator<string> {
      yield JSON.stringify(chatSession(2)).slice(0, 50);
      yield JSON.stringify(chatSession(2)).slice(50);
    }
    const cli = captureCli({ readInput: input });
    expect(await inspect(['-'], { json: true }, cli)).toBe(0);
    expect((JSON.parse(cli.stdout()) as Answer).files[0]?.file).toBe('standard input');
  });
});

describe('an export of a session that was compacted', () => {
  const said = (at: number, parts: readonly object[], role: string) => ({ id: `i${at}`, role, parts });
  const text = (words: string) => ({ type: 'text', text: words });
  const messages = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0
      ? said(at, [text(`Question ${at}: ${'what is in it? '.repeat(60)}`)], 'user')
      : said(at, [{ type: 'reasoning', text: 'Hm. '.repeat(50) }, text(`Answer ${at}.`)], 'assistant'),
  ) as unknown as readonly SessionMessage[];

  function exported(windowTokens: number): string {
    const transcript = openTranscript({ codec: agentCodec }, messages.slice(0, 39));
    const step = prepare(transcript, emptyState(), {
      strategy: createStrategy('reactive-overflow'),
      budget: { windowTokens },
    });
    if (step.type !== 'ready') throw new Error(step.type);
    const { changes, ...state } = step.state;
    const limits = { windowTokens, limit: 1, triggerTokens: 1 };
    return [
      { line: 'session', id: 's', state },
      ...messages.map((message) => ({ line: 'message', message })),
      ...changes.map((change) => ({ line: 'change', change })),
      { line: 'event', type: 'context:usage', data: limits },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');
  }

  const inspected = async (windowTokens: number) => {
    const cli = captureCli();
    const path = writeInto(temporaryFolder(), 'export.jsonl', exported(windowTokens));
    expect(await inspect([path], {}, cli)).toBe(0);
    return cli.stdout();
  };

  it('is counted as it was said, and beside that stands what the next request has', async () => {
    const page = await inspected(6_000);
    const whole = Number(/≈ ([\d,]+) tokens: /.exec(page)?.[1]?.replace(',', ''));
    const next = Number(/The next request has ≈ ([\d,]+) /.exec(page)?.[1]?.replace(',', ''));
    expect(whole).toBeGreaterThan(5_000);
    expect(next).toBeGreaterThan(500);
    expect(next).toBeLessThan(whole * 0.8);
    expect(page).toContain('in a window of 6,000 (what the log says)');
    // It is for people, and never sent.
    expect(page).not.toContain('reasoning');
  });

  it('has no second number where nothing was compacted', async () => {
    expect(await inspected(200_000)).not.toContain('The next request');
  });
});
