import { captureCli, chatSession, temporaryFolder, widestLine, writeInto } from './support.ts';
import { describe, expect, it } from 'vitest';
import { replay } from '../src/commands/replay.ts';
import { runCommandLine } from '../src/command-line.ts';
import type { ChatMessage } from './support.ts';
import type { Replayed, StrategyReplay } from '../src/replay/replayed.ts';
import type { ReplayOptions } from '../src/commands/replay.ts';

async function replayJson(content: unknown, options: ReplayOptions = {}): Promise<Replayed> {
  const path = writeInto(temporaryFolder(), 'session.json', content);
  const cli = captureCli();
  expect(await replay([path], { ...options, json: true }, cli)).toBe(0);
  const { version, files } = JSON.parse(cli.stdout()) as { version: number; files: readonly Replayed[] };
  expect([version, files.length]).toEqual([1, 1]);
  return files[0]!;
}

async function replayPage(content: unknown, options: ReplayOptions = {}): Promise<string> {
  const path = writeInto(temporaryFolder(), 'session.json', content);
  const cli = captureCli();
  expect(await replay([path], options, cli)).toBe(0);
  expect(cli.stderr()).toBe('');
  expect(widestLine(cli.stdout())).toBeLessThanOrEqual(80);
  return cli.stdout();
}

/** The lines of a page without their breaks. */
function flat(page: string): string {
  return page.replace(/\s+/g, ' ');
}

function rowOf({ strategies }: Replayed, name: string): StrategyReplay {
  return strategies.find(({ strategy }) => strategy === name)!;
}

/** A session that outgrows 16k, and at its end uses again what was named at its beginning. */
function longSession(): ChatMessage[] {
  const lookBack = (id: string, path: string): ChatMessage => ({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ path }) } },
    ],
  });
  return [
    ...chatSession(60),
    lookBack('back', 'src/parser/tokenize.ts'),
    { role: 'tool', tool_call_id: 'back', content: 'the same' },
    { role: 'assistant', content: 'Done.' },
  ];
}

describe('replay', () => {
  it('compares every strategy that needs no model with no management, and says who wrote the summaries', async () => {
    const replayed = await replayJson(longSession(), { window: 16_000 });
    expect(replayed.strategies.map(({ strategy, summariesBy }) => [strategy, summariesBy])).toEqual([
      ['none', 'nobody'],
      ['reactive-overflow', 'code'],
      ['proactive-threshold', 'code'],
      ['threshold-tail', 'code'],
      ['middle-removal', 'nobody'],
      ['digest', 'code'],
    ]);
    const none = rowOf(replayed, 'none');
    expect(none).toMatchObject({ prefixBreaks: 0, compactions: 0, compaction: null, cost: { ofNone: 1 } });
    expect(none.overflows).toBeGreaterThan(10);
    for (const row of replayed.strategies.slice(1)) {
      expect(row).toMatchObject({ requests: replayed.requests, overflows: 0, cannotFit: 0 });
      expect(row.tokens.largest).toBeLessThanOrEqual(replayed.window.promptTokens);
      expect(row.compactions).toBeGreaterThan(0);
      // Nothing breaks the prefix but a compaction.
      expect(row.prefixBreaks).toBeLessThanOrEqual(row.compactions);
      expect(row.contextTokens).toHaveLength(replayed.requests);
      expect(row.cost.total).toBeLessThan(none.cost.total);
      expect(row.compaction!.savedPerRequest).toBeGreaterThan(0);
    }
  });

  it('counts as recall what was still there of what was used again from far back', async () => {
    const { strategies } = await replayJson(longSession(), { window: 16_000, strategy: ['digest'] });
    const [none, digest] = strategies;
    expect(none!.recall.names.used).toBeGreaterThan(0);
    expect(none!.recall.names.kept).toBe(none!.recall.names.used);
    // The task names the file, and the task is never compacted.
    expect(digest!.recall.places.kept).toBeGreaterThan(0);
    expect(digest!.recall.names.recallable).toBeGreaterThanOrEqual(digest!.recall.names.kept);
  });

  it('bills in dollars where the price of the model is known, else in input tokens', async () => {
    const shared = { window: 16_000, strategy: ['digest'] };
    const dollars = await replayJson(longSession(), { ...shared, model: 'gpt-4o' });
    const tokens = await replayJson(longSession(), { ...shared, model: 'nobody-knows-this' });
    expect(dollars.prices).toMatchObject({ unit: 'usd', model: 'gpt-4o' });
    expect(tokens.prices).toMatchObject({ unit: 'input-tokens', model: null, perMillion: { input: 1 } });
    const [inDollars, inTokens] = [dollars, tokens].map((one) => rowOf(one, 'none'));
    expect(inDollars!.cost.total).toBeLessThan(5);
    // Everything once, and again from the cache at every later request.
    expect(inTokens!.cost.total).toBeGreaterThan(inTokens!.tokens.largest);
    expect(Number.isInteger(inTokens!.cost.total)).toBe(true);
    expect(await replayPage(longSession(), shared)).toContain('What it costs (in input tokens) and keeps');
  });

  it('pays for what a model is asked, and says that a stand-in was asked instead', async () => {
    const shared = { window: 16_000, strategy: ['reactive-overflow', 'pruning-agent'] };
    const [, compacted, decided] = (await replayJson(longSession(), { ...shared, summaries: 'stand-in' }))
      .strategies;
    expect(compacted).toMatchObject({ summariesBy: 'stand-in', decisionsBy: null });
    expect(decided).toMatchObject({ summariesBy: 'stand-in', decisionsBy: 'stand-in' });
    for (const row of [compacted, decided]) expect(row!.cost.asked).toBeGreaterThan(0);
    const [, alone, asking] = (await replayJson(longSession(), shared)).strategies;
    expect(alone).toMatchObject({ summariesBy: 'code', cost: { asked: 0 } });
    expect(asking).toMatchObject({ summariesBy: 'stand-in', decisionsBy: 'stand-in' });
    const page = flat(await replayPage(longSession(), shared));
    expect(page).toContain('No model was asked. Code writes the summaries of reactive-overflow.');
    expect(page).toContain('For pruning-agent a stand-in also decides what can go');
  });

  it('counts system text and tools of the file as part of every request', async () => {
    const tools = [{ type: 'function', function: { name: 'read_file', description: 'x'.repeat(8_000) } }];
    const shared = { window: 16_000, strategy: ['digest'] };
    const bare = await replayJson({ messages: longSession() }, shared);
    const held = await replayJson({ messages: longSession(), tools }, shared);
    expect([bare.outsideTokens, bare.notInLog.what]).toEqual([0, ['tools']]);
    expect(held.outsideTokens).toBeGreaterThan(500);
    const first = (one: Replayed): number => rowOf(one, 'none').contextTokens[0] ?? 0;
    expect(first(held) - first(bare)).toBe(held.outsideTokens);
    expect(rowOf(held, 'digest').overflows).toBe(0);
  });

  it('says what a compaction costs and saves, and what is cheapest and keeps most', async () => {
    const page = flat(await replayPage(longSession(), { window: 16_000, model: 'gpt-4o' }));
    expect(page).toMatch(/Cheapest(, and keeps most)?: [\w-]+, \$[\d.]+/);
    expect(page).toMatch(/A compaction of [\w-]+ costs .* saves \$[\d.]+ at each later request/);
    expect(page).toMatch(/With its \d+ compactions? the session is \$[\d.]+ cheaper than without management/);
    expect(page).toMatch(/░ no management · █ [\w-]+ · ┄ most for the prompt/);
  });

  it('says that there is nothing to do where the session never outgrows the window, and proposes one', async () => {
    const content = chatSession(60);
    const { verdict } = await replayJson(content, { window: 400_000 });
    expect(verdict.isIdle).toBe(true);
    const page = flat(await replayPage(content, { window: 400_000 }));
    expect(page).toContain('never outgrows its window');
    expect(page).toContain('--window 32k shows');
    expect(page).toContain('█ no management');
  });

  it('counts what nothing could make fit, and compares the rest', async () => {
    const replayed = await replayJson(chatSession(4), { window: 20 });
    for (const row of replayed.strategies) expect(row.overflows).toBe(replayed.requests);
    expect(rowOf(replayed, 'digest').cannotFit).toBe(replayed.requests);
    expect(rowOf(replayed, 'digest').contextTokens).toContain(null);
    expect(flat(await replayPage(chatSession(4), { window: 20 }))).toContain('could not be made to fit');
  });

  it('refuses a session without an answer', async () => {
    const path = writeInto(temporaryFolder(), 's.json', [{ role: 'user', content: 'Hello?' }]);
    const cli = captureCli();
    expect(await replay([path], {}, cli)).toBe(3);
    expect(cli.stderr()).toMatch(/cannot be replayed: it holds no answer of an agent/);
  });

  it('goes on behind a file that cannot be read', async () => {
    const folder = temporaryFolder();
    const good = writeInto(folder, 'good.json', chatSession(3));
    const broken = writeInto(folder, 'broken.json', '[{"role": "us');
    const cli = captureCli();
    expect(await replay([good, broken, good], { json: true }, cli)).toBe(3);
    const { files } = JSON.parse(cli.stdout()) as { files: readonly object[] };
    expect(files.map((file) => 'error' in file)).toEqual([false, true, false]);
    expect(cli.stderr()).toMatch(/^throughline: [^\n]*ends too early[^\n]*\n$/);
    const read = captureCli();
    expect(await replay([good, good], {}, read)).toBe(0);
    expect(read.stdout().match(/In short/g)).toHaveLength(2);
  });

  it('shows on a terminal what it is doing, and leaves nothing of it behind', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(5));
    let nowMs = 0;
    const cli = captureCli({ showsProgress: true, now: () => (nowMs += 1_000) });
    expect(await replay([path], { strategy: ['digest'] }, cli)).toBe(0);
    expect(cli.stderr()).toContain('Replaying digest (2 of 2), request 5 of 6 · ');
    expect(cli.stderr().endsWith('\r\u001b[K')).toBe(true);
  });
});

describe('--strategy', () => {
  it('takes a list, is repeatable, and names each once', async () => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(3));
    const cli = captureCli();
    const names = [
      '--strategy',
      'digest,middle-removal',
      '--strategy',
      'pruning-agent',
      '--strategy',
      'digest',
    ];
    expect(await runCommandLine(['replay', path, '--json', ...names], cli, '1')).toBe(0);
    const { files } = JSON.parse(cli.stdout()) as { files: readonly Replayed[] };
    expect(files[0]!.strategies.map(({ strategy }) => strategy)).toEqual([
      'none',
      'digest',
      'middle-removal',
      'pruning-agent',
    ]);
  });
});
