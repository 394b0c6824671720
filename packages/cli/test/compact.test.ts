import { captureCli, chatSession, temporaryFolder, widestLine, writeInto } from './support.ts';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compact } from '../src/commands/compact.ts';
import { join } from 'node:path';
import type { ChatMessage } from './support.ts';
import type { Compaction } from '../src/compact/compaction.ts';
import type { CompactOptions } from '../src/commands/compact.ts';
import type { Cli } from '../src/composition/cli.ts';

async function compactJson(
  path: string,
  options: CompactOptions,
  overrides: Partial<Cli> = {},
): Promise<Compaction> {
  const cli = captureCli(overrides);
  const code = await compact(path, { ...options, json: true }, cli);
  expect([code, cli.stderr()]).toEqual([0, '']);
  return JSON.parse(cli.stdout()) as Compaction;
}

const read = (path: string): string => readFileSync(path, 'utf8');
const messagesIn = (path: string): ChatMessage[] => JSON.parse(read(path)) as ChatMessage[];
const window = 16_000;

function session(folder: string, steps = 60): string {
  return writeInto(folder, 'session.json', chatSession(steps));
}

describe('compact', () => {
  it('fits the session into the window and says what was done', async () => {
    const result = await compactJson(session(temporaryFolder()), { window });
    expect(result).toMatchObject({
      outcome: 'compacted',
      round: 1,
      strategy: 'reactive-overflow',
      output: null,
    });
    expect(result.tokens.after).toBeLessThanOrEqual(result.window.targetTokens);
    expect(result.tokens.before).toBeGreaterThan(result.window.usableTokens);
    expect(result.validity).toEqual({ repairs: [], violations: [] });
    expect(result.task).toBe('verbatim');
    expect(result.latestRequest).toBe('verbatim');
    expect(result.summary?.text).toContain('Session Summary (Compaction Round 1)');
    expect(result.summary?.by).toBe('code');
  });

  it('accounts for the tokens: categories add up, and ladder steps lead from before to after', async () => {
    const { byCategory, tokens, ladderSteps } = await compactJson(session(temporaryFolder()), { window });
    const sum = (pick: 'before' | 'after'): number =>
      byCategory.reduce((total, row) => total + row.tokens[pick], 0);
    expect(Math.abs(sum('before') - tokens.before)).toBeLessThanOrEqual(byCategory.length);
    expect(Math.abs(sum('after') - tokens.after)).toBeLessThanOrEqual(byCategory.length);
    expect(tokens.before - ladderSteps.reduce((total, { freedTokens }) => total + freedTokens, 0)).toBe(
      tokens.after,
    );
  });

  it('counts the facts that are still named', async () => {
    const { facts } = await compactJson(session(temporaryFolder(), 30), { window: 200_000 });
    expect(facts.named).toBeGreaterThan(5);
    expect(facts.kept).toBeGreaterThan(0);
    expect(facts.kept).toBeLessThanOrEqual(facts.named);
    expect(facts.keptOften).toBeLessThanOrEqual(facts.namedOften);
  });

  it('says that code wrote the summary when there is no model', async () => {
    const { summariser } = await compactJson(session(temporaryFolder()), { window });
    expect(summariser).toMatchObject({ model: null, calls: 0 });
    expect(summariser.explanation).toContain('Code wrote');
    expect(summariser.explanation).toContain('without a model');
  });

  it('says that --model alone asks nobody', async () => {
    const { summariser } = await compactJson(session(temporaryFolder()), { window, model: 'gpt-4o' });
    expect(summariser.explanation).toContain('--base-url');
  });

  it.each(['reactive-overflow', 'proactive-threshold', 'threshold-tail', 'middle-removal', 'digest'])(
    'runs the strategy %s',
    async (strategy) => {
      const {
        outcome,
        strategy: named,
        percentOfUsable,
      } = await compactJson(session(temporaryFolder()), { window, strategy });
      expect([outcome, named]).toEqual(['compacted', strategy]);
      expect(percentOfUsable).toBeLessThanOrEqual(100);
    },
  );

  it('keeps pinned messages as they are', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.json');
    const path = session(folder);
    await compactJson(path, { window, pin: [5], out });
    expect(messagesIn(out)).toContainEqual(messagesIn(path)[5]);
  });

  it('writes sections of the profile that is asked for', async () => {
    const path = session(temporaryFolder());
    const cms = await compactJson(path, { window, profile: 'cms' });
    expect(cms.summary?.profile).toBe('cms');
    const own = await compactJson(path, {
      window,
      profileFile: writeInto(temporaryFolder(), 'own.md', 'Tell it as a poem.'),
    });
    expect(own.summary?.profile).toBe('own.md');
  });

  it('leaves a session alone in which there is nothing to gain', async () => {
    const path = writeInto(temporaryFolder(), 's.json', [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ]);
    expect(await compactJson(path, { window })).toMatchObject({
      outcome: 'unchanged',
      messages: { before: 2, after: 2 },
    });
  });

  it('takes the window from the recorded model, and asks for one when nobody knows', async () => {
    const known = writeInto(temporaryFolder(), 's.json', { model: 'gpt-4o', messages: chatSession(3) });
    expect((await compactJson(known, {})).window).toMatchObject({
      tokens: 128_000,
      source: 'recorded model',
    });
    const cli = captureCli();
    expect(await compact(session(temporaryFolder()), {}, cli)).toBe(2);
    expect(cli.stderr()).toContain('--window');
  });

  it('shows a page of at most 80 columns without the escapes of the transcript', async () => {
    const messages = chatSession(60);
    messages[1] = { role: 'user', content: `\u001b[31mFix ${'とても長い説明'.repeat(40)}\u0007` };
    const cli = captureCli();
    expect(await compact(writeInto(temporaryFolder(), 's.json', messages), { window, full: true }, cli)).toBe(
      0,
    );
    expect(widestLine(cli.stdout())).toBeLessThanOrEqual(80);
    expect(/\p{Cc}/u.test(cli.stdout().replaceAll('\n', ''))).toBe(false);
    for (const part of [
      'Before and after',
      'What was done',
      'Summary (',
      'Checked on the result',
      'yes, verbatim',
    ]) {
      expect(cli.stdout()).toContain(part);
    }
  });
});

describe('a session that cannot fit', () => {
  const huge = [
    { role: 'system', content: 'Rules of the house. '.repeat(4_000) },
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: 'Gone.' },
    { role: 'user', content: 'Again.' },
  ];

  it('ends with 1 and names the biggest parts with their numbers', async () => {
    const cli = captureCli();
    expect(await compact(writeInto(temporaryFolder(), 's.json', huge), { window: 4_000 }, cli)).toBe(1);
    expect(cli.stderr()).toMatch(
      /cannot fit: the smallest request measures [\d,]+ tokens, 2,840 are usable; the biggest parts are system [\d,]+/,
    );
    expect(cli.stdout()).toContain('What cannot become smaller');
  });

  it('writes nothing', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 's.json', huge);
    const cli = captureCli();
    await compact(path, { window: 4_000, out: join(folder, 'out.json'), json: true }, cli);
    expect(JSON.parse(cli.stdout())).toMatchObject({
      outcome: 'cannot-fit',
      output: null,
      cannotFit: { usableTokens: 2_840 },
    });
    expect(readdirSync(folder)).toEqual(['s.json']);
  });
});

describe('--out', () => {
  it('writes a transcript that reads back as what was reported, and the state beside it', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.json');
    const { output, messages } = await compactJson(session(folder), { window, out });
    expect(output).toMatchObject({
      file: out,
      format: 'openai-chat',
      stateFile: `${out}.throughline.json`,
      losses: [],
    });
    expect(messagesIn(out)).toHaveLength(messages.after);
    expect(readdirSync(folder).toSorted()).toEqual(['out.json', 'out.json.throughline.json', 'session.json']);
  });

  it('keeps the bytes of the messages that did not change', async () => {
    const folder = temporaryFolder();
    const odd = `[${chatSession(60)
      .map((message) => JSON.stringify(message, null, 3).replace('"role"', '"x-trace": 1.0, "role"'))
      .join(' ,\n')}]`;
    const path = writeInto(folder, 's.json', odd);
    const out = join(folder, 'out.json');
    await compactJson(path, { window, out });
    const last = odd.slice(odd.lastIndexOf('{'));
    expect(read(out).endsWith(last)).toBe(true);
  });

  it('never overwrites the input, also behind a link and with --force', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    const before = read(path);
    symlinkSync(path, join(folder, 'link.json'));
    for (const out of [path, join(folder, 'link.json')]) {
      const cli = captureCli();
      expect(await compact(path, { window, out, force: true }, cli)).toBe(4);
      expect(cli.stderr()).toContain('never overwritten');
    }
    expect(read(path)).toBe(before);
  });

  it('overwrites another file only with --force', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    const out = writeInto(folder, 'out.json', 'precious');
    const cli = captureCli();
    expect(await compact(path, { window, out }, cli)).toBe(4);
    expect(cli.stderr()).toContain('--force');
    expect(read(out)).toBe('precious');
    await compactJson(path, { window, out, force: true });
    expect(messagesIn(out).length).toBeGreaterThan(2);
  });

  it('says what is wrong with a place where nothing can be written', async () => {
    const folder = temporaryFolder();
    const cli = captureCli();
    expect(await compact(session(folder), { window, out: join(folder, 'none', 'out.json') }, cli)).toBe(4);
    expect(cli.stderr()).toContain('there is no folder');
    expect(await compact(session(folder), { window, out: folder }, captureCli())).toBe(4);
  });

  it('says so when a name is too long, and leaves nothing behind', async () => {
    const folder = temporaryFolder();
    const cli = captureCli();
    expect(await compact(session(folder), { window, out: join(folder, 'n'.repeat(250)) }, cli)).toBe(4);
    expect(cli.stderr()).toMatch(/n was not written: the name is too long\.\n$/);
    expect(readdirSync(folder)).toEqual(['session.json']);
  });

  it('says what is wrong with a profile that cannot be read', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'bytes'), Uint8Array.of(0x50, 0xff, 0xfe, 0x80));
    for (const [profileFile, reason] of [
      [folder, 'this is a folder'],
      [join(folder, 'none.md'), 'there is no such file'],
      [join(folder, 'bytes'), 'this is not UTF-8 text'],
      [writeInto(folder, 'long.md', 'x'.repeat(1_000_001)), 'longer than 1,000,000 bytes'],
    ] as const) {
      const cli = captureCli();
      expect(await compact(session(folder), { window, profileFile }, cli)).toBe(3);
      expect(cli.stderr()).toContain(reason);
    }
  });

  it('writes a request in another format with --to', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.json');
    const { output } = await compactJson(session(folder), { window, out, to: 'anthropic' });
    expect(output?.format).toBe('anthropic');
    const body = JSON.parse(read(out)) as { system: string; messages: { role: string }[] };
    expect(body.system).toContain('You are a coding agent.');
    expect(body.messages[0]?.role).toBe('user');
  });

  it('refuses options that contradict each other', async () => {
    const path = session(temporaryFolder());
    for (const options of [
      { to: 'anthropic' as const },
      { profile: 'cms', profileFile: 'x' },
      { baseUrl: 'http://localhost' },
    ]) {
      expect(await compact(path, { window, ...options }, captureCli())).toBe(2);
    }
  });

  it('refuses a pin that is not there', async () => {
    const cli = captureCli();
    expect(await compact(session(temporaryFolder()), { window, pin: [9_999] }, cli)).toBe(2);
    expect(cli.stderr()).toContain('m9999');
  });
});

describe('the state beside the transcript', () => {
  const later = (): Partial<Cli> => ({ now: () => Date.UTC(2026, 2, 3) });

  it('is gone on from when the compacted transcript has grown', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.json');
    const { messages } = await compactJson(session(folder), { window, out });
    writeFileSync(out, JSON.stringify([...messagesIn(out), ...chatSession(40).slice(2)]));
    const second = await compactJson(out, { window, out: join(folder, 'second.json') }, later());
    expect(second.round).toBe(2);
    expect(second.continuedFrom).toContain('out.json.throughline.json');
    expect(second.messages.before).toBe(messages.after + 82);
    expect(second.task).toBe('verbatim');
    expect(second.validity.violations).toEqual([]);
    expect(messagesIn(join(folder, 'second.json'))).toHaveLength(second.messages.after);
  });

  it('is found for a grown copy of the original, whatever the files are called', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    await compactJson(path, { window, out: join(folder, 'out.json') });
    renameSync(join(folder, 'out.json.throughline.json'), join(folder, 'other-name.throughline.json'));
    const grown = writeInto(folder, 'grown.json', [...messagesIn(path), ...chatSession(40).slice(2)]);
    const second = await compactJson(grown, { window });
    expect([second.round, second.outcome]).toEqual([2, 'compacted']);
    expect(second.continuedFrom).toContain('other-name');
  });

  it('is not taken for another session', async () => {
    const folder = temporaryFolder();
    await compactJson(session(folder), { window, out: join(folder, 'out.json') });
    const other = chatSession(60);
    other[1] = { role: 'user', content: 'Something else.' };
    expect((await compactJson(writeInto(folder, 'b.json', other), { window })).continuedFrom).toBe(null);
  });

  it('is left aside with --fresh', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    await compactJson(path, { window, out: join(folder, 'out.json') });
    expect((await compactJson(path, { window, fresh: true })).round).toBe(1);
  });

  it('is left aside with a sentence when it is broken or from a newer version', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    writeInto(folder, 'a.throughline.json', '{"kind":');
    writeInto(folder, 'b.throughline.json', { kind: 'throughline-state', version: 9 });
    writeInto(folder, 'c.throughline.json', { kind: 'throughline-state', version: 1, output: null });
    const cli = captureCli();
    expect(await compact(path, { window }, cli)).toBe(0);
    expect(cli.stderr().match(/was left aside/g)).toHaveLength(3);
    expect(cli.stderr()).toContain('version 9');
  });

  it('is left aside with a sentence when what an undo would bring back is not a change', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out.json');
    await compactJson(session(folder), { window, out });
    const state = JSON.parse(read(`${out}.throughline.json`)) as { checkpoints: object[] };
    for (const broken of [null, {}, { retired: [null] }, { changes: 7 }, { changes: [{ type: 'x' }] }]) {
      const checkpoints = state.checkpoints.map((one) =>
        broken && Object.keys(broken).length > 0 ? { ...one, ...broken } : broken,
      );
      writeFileSync(`${out}.throughline.json`, JSON.stringify({ ...state, checkpoints }));
      const cli = captureCli();
      expect(await compact(out, { undo: true }, cli)).toBe(3);
      expect(cli.stderr()).toContain('was left aside');
    }
  });

  it('takes the last compaction back, also the one before it, to the very messages', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    const first = join(folder, 'first.json');
    await compactJson(path, { window, out: first });
    writeFileSync(first, JSON.stringify([...messagesIn(first), ...chatSession(40).slice(2)]));
    const grown = read(first);
    await compactJson(first, { window, out: join(folder, 'second.json') }, later());

    const once = join(folder, 'once.json');
    expect(await compactJson(join(folder, 'second.json'), { undo: true, out: once })).toMatchObject({
      outcome: 'undone',
      round: 1,
    });
    expect(messagesIn(once)).toEqual(JSON.parse(grown));
    const twice = join(folder, 'twice.json');
    expect(await compactJson(once, { undo: true, out: twice })).toMatchObject({
      outcome: 'undone',
      round: null,
    });
    expect(messagesIn(twice)).toEqual([...messagesIn(path), ...chatSession(40).slice(2)]);
  });

  it('holds an undo without --out for the next compaction', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    await compactJson(path, { window, out: join(folder, 'out.json') });
    const { output } = await compactJson(path, { undo: true }, later());
    expect(output).toMatchObject({ file: null });
    const again = await compactJson(path, { window });
    expect([again.round, again.continuedFrom !== null]).toEqual([1, true]);
  });

  it('refuses an undo that would not fit a known window, with the numbers', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    await compactJson(path, { window, out: join(folder, 'out.json') });
    const cli = captureCli();
    expect(await compact(path, { undo: true, window }, cli)).toBe(1);
    expect(cli.stderr()).toMatch(/former view measures \d+ tokens; 11360 are usable/);
    expect(cli.stderr()).not.toContain('--fresh');
  });

  it('says so when there is nothing to undo', async () => {
    const cli = captureCli();
    expect(await compact(session(temporaryFolder()), { undo: true }, cli)).toBe(3);
    expect(cli.stderr()).toContain('No compaction of');
  });

  it('survives the loss of the original: transcript and state together hold everything', async () => {
    const folder = temporaryFolder();
    const path = session(folder);
    const out = join(folder, 'out.json');
    await compactJson(path, { window, out });
    const elsewhere = temporaryFolder();
    for (const name of ['out.json', 'out.json.throughline.json'])
      copyFileSync(join(folder, name), join(elsewhere, name));
    const back = join(elsewhere, 'back.json');
    await compactJson(join(elsewhere, 'out.json'), { undo: true, out: back });
    expect(messagesIn(back)).toEqual(messagesIn(path));
    expect(existsSync(join(elsewhere, 'session.json'))).toBe(false);
  });
});
