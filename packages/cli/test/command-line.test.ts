import { captureCli, chatSession, temporaryFolder, widestLine, writeInto } from './support.ts';
import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProfile } from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { profileChoices, runCommandLine, strategyChoices } from '../src/command-line.ts';
import { formatLabels, formatNames, targetNames } from '@throughline/importers';

describe('the choices of the command line', () => {
  it('are those that the packages behind it know', () => {
    expect([...strategyChoices].toSorted()).toEqual(strategyNames.toSorted());
    for (const name of profileChoices) expect(findProfile(name).name).toBe(name);
  });
});

describe('the formats of the command line', () => {
  it('are all that the importers read, and those that can be written', async () => {
    const help = captureCli({ columns: 400 });
    await runCommandLine(['compact', '--help'], help, '1');
    const words = help.stdout().replaceAll(/\s+/g, ' ');
    expect(words).toContain(formatNames.map((name) => `"${name}"`).join(', '));
    expect(words).toContain(targetNames.map((name) => `"${name}"`).join(', '));
    expect(Object.keys(formatLabels)).toEqual(formatNames);
  });

  it('takes each of them, and none that is in no list', async () => {
    const path = writeInto(temporaryFolder(), 'a.json', '[]');
    for (const format of formatNames) {
      const said = captureCli();
      await runCommandLine(['inspect', path, '--format', format], said, '1');
      expect(said.stderr()).not.toContain('Allowed choices');
    }
    const refused = captureCli();
    expect(await runCommandLine(['inspect', path, '--format', 'novel'], refused, '1')).toBe(2);
    expect(refused.stderr()).toContain('Allowed choices');
  });
});

describe('runCommandLine', () => {
  it('writes help to standard output and mistakes to standard error', async () => {
    const help = captureCli();
    expect(await runCommandLine(['--help'], help, '1.2.3')).toBe(0);
    expect(help.stdout()).toContain('Usage: throughline');
    const mistake = captureCli();
    expect(await runCommandLine(['inspekt'], mistake, '1.2.3')).toBe(2);
    expect(mistake.stderr()).toContain('Did you mean inspect?');
    expect(mistake.stdout()).toBe('');
  });

  it('takes no key on the command line', async () => {
    expect(await runCommandLine(['compact', 'x', '--api-key', 'k'], captureCli(), '1')).toBe(2);
  });
});

describe('help', () => {
  it.each(['inspect', 'compact', 'replay', 'demo'])(
    'of %s fits 80 columns and tells the exit codes',
    async (command) => {
      const cli = captureCli();
      expect(await runCommandLine([command, '--help'], cli, '1')).toBe(0);
      expect(cli.stdout()).toContain('--json');
      expect(cli.stdout()).toContain('Exit codes');
      expect(widestLine(cli.stdout())).toBeLessThanOrEqual(80);
    },
  );
});

describe('wrong usage', () => {
  it.each([
    [[]],
    [['frobnicate']],
    [['inspect']],
    [['inspect', 'x', '--wat']],
    [['compact', 'x', '--window', 'big']],
    [['compact', 'x', '--strategy', 'hope']],
    [['compact', 'x', 'y']],
    [['compact', 'x', '--base-url', 'nowhere', '--model', 'm']],
    [['compact', 'x', '--window', '0.5']],
    [['compact', 'x', '--window', '0']],
    [['inspect', 'x', '--window', '-1']],
    [['inspect', 'x', '--window', '100000001']],
    [['compact', 'x', '--timeout', '0']],
    [['compact', 'x', '--window', '8k', '--undo', '--fresh']],
    [['compact', 'x', '--window', '8k', '--out', '']],
    [['inspect', '']],
    [['replay']],
    [['replay', 'x', '--strategy', 'digest,hope']],
    [['replay', 'x', '--strategy', '']],
    [['replay', 'x', '--summaries', 'gpt']],
    [['replay', 'x', '--window', '0']],
  ])('ends with 2 and says so on standard error: %j', async (args) => {
    const cli = captureCli();
    expect([await runCommandLine(args, cli, '1'), cli.stdout()]).toEqual([2, '']);
    expect(cli.stderr()).not.toBe('');
  });
});

describe('what was typed', () => {
  const escape = '\u001b[31m\u0007\u009b2J';

  it.each([
    [['compact', 'x', '--window', escape]],
    [['compact', 'x', '--strategy', escape]],
    [['compact', 'x', `--${escape}`]],
    [[`insp${escape}ect`]],
    [['demo', escape]],
    [['inspect', escape]],
    [['replay', escape]],
    [['replay', 'x', '--strategy', escape]],
    [['compact', escape, '--window', '8k', '--session', escape]],
    [['compact', escape, '--window', '8k', '--out', `/nowhere/${escape}`]],
  ])('stands in errors with its control characters made visible: %j', async (args) => {
    const cli = captureCli({ env: { THROUGHLINE_DEBUG: '1' } });
    expect(await runCommandLine(args, cli, '1')).toBeGreaterThan(0);
    expect(cli.stderr()).toContain('␛[31m␇');
    expect(/\p{Cc}/u.test(cli.stderr().replaceAll('\n', ''))).toBe(false);
  });

  it('is named in an error of a number, with what was expected', async () => {
    const cli = captureCli();
    await runCommandLine(['compact', 'x', '--window', '0.5'], cli, '1');
    expect(cli.stderr()).toContain("argument '0.5' is invalid. Expected a number of tokens: a whole one");
  });

  it('is an object in --json too where it is wrong', async () => {
    for (const args of [['compact'], ['inspect', 'x', '--window', '0'], ['--nothing']]) {
      const cli = captureCli();
      expect(await runCommandLine([...args, '--json'], cli, '1')).toBe(2);
      const { error } = JSON.parse(cli.stdout()) as { error: { code: string; message: string } };
      expect(error.code).toBe('usage');
      expect(cli.stderr()).toContain(error.message.split('\n', 1)[0]);
    }
  });
});

describe('help by its own name', () => {
  it('is that of the program and of its commands', async () => {
    for (const [args, usage] of [
      [['help'], 'Usage: throughline [options] [command]'],
      [['help', 'compact'], 'Usage: throughline compact'],
    ] as const) {
      const cli = captureCli();
      expect(await runCommandLine(args, cli, '1')).toBe(0);
      expect(cli.stdout()).toContain(usage);
    }
  });
});

describe('a terminal of 40 columns', () => {
  it.each([
    ['inspect', 40, (path: string) => ['inspect', path]],
    ['compact', 40, (path: string) => ['compact', path, '--window', '16k', '--full']],
    ['replay', 40, (path: string) => ['replay', path, '--window', '16k']],
    // Each of its steps tries all that there is, on all that was said before.
    ['a replay in which nothing fits', 12, (path: string) => ['replay', path, '--window', '50']],
    ['a compaction that cannot fit', 40, (path: string) => ['compact', path, '--window', '50']],
  ] as const)('holds every line of %s', async (_, turns, args) => {
    const path = writeInto(temporaryFolder(), 's.json', chatSession(turns));
    const cli = captureCli({ columns: 40 });
    await runCommandLine(args(path), cli, '1');
    expect(widestLine(cli.stdout())).toBeLessThanOrEqual(40);
  });
});

describe('a session with large numbers and long names', () => {
  it.each([
    ['inspect', (path: string) => ['inspect', path]],
    ['compact', (path: string) => ['compact', path, '--window', '1m']],
    ['replay', (path: string) => ['replay', path, '--window', '300k']],
  ])('is told in 40 columns by %s, with every number whole', async (_, args) => {
    const name = 'mcp__a-tracker-of-many-issues__list_all_of_them';
    const session = [1, 2, 3].flatMap((step) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `${step}`, type: 'function', function: { name, arguments: '{"all":true}' } }],
      },
      { role: 'tool', tool_call_id: `${step}`, content: `${step} issue `.repeat(60_000) },
    ]);
    const path = writeInto(temporaryFolder(), 's.json', [
      { role: 'user', content: 'List all issues.' },
      ...session,
    ]);
    const cli = captureCli({ columns: 40 });
    expect(await runCommandLine(args(path), cli, '1')).toBe(0);
    expect(widestLine(cli.stdout())).toBeLessThanOrEqual(40);
    expect(cli.stdout()).not.toMatch(/\d…|…,?\d/);
  });
});

describe('a file that cannot be read', () => {
  const message = JSON.stringify({ role: 'user', content: 'Hi' });
  const pi = JSON.stringify({ type: 'session', id: 's', timestamp: '2026-03-02T10:00:00Z', cwd: '/' });
  const claude = JSON.stringify({
    type: 'user',
    uuid: 'a',
    parentUuid: null,
    sessionId: 's',
    message: { role: 'user', content: 'Hi' },
  });

  it.each([
    ['empty', '', /the file is empty/],
    ['white space only', ' \n\n', /the file is empty/],
    ['cut off', `[${message},\n${message},\n{"role": "assis`, /line 3: the JSON ends too early/],
    ['of two formats', `${pi}\n${claude}\n`, /line 2: .*another format/],
    ['no transcript', '{"name": "package", "version": 1}', /known formats are openai-chat/],
    ['prose', 'Dear diary\n', /line 1: neither JSON nor JSONL/],
    ['binary', '\u0000\u0001\u0002PNG\u001b[31m', /line 1/],
  ])('is refused with its place when it is %s, and nothing is written', async (_, content, sentence) => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 'broken.json', content);
    for (const args of [
      ['inspect', path],
      ['compact', path, '--window', '64k', '--out', join(folder, 'out.json')],
      ['replay', path],
    ]) {
      const cli = captureCli();
      expect([await runCommandLine(args, cli, '1'), cli.stdout()]).toEqual([3, '']);
      expect(cli.stderr()).toMatch(/^throughline: [^\n]+\n$/);
      expect(cli.stderr()).toMatch(sentence);
      expect(cli.stderr()).not.toContain('\u001b');
    }
    expect(readdirSync(folder)).toEqual(['broken.json']);
  });

  it('is read up to where it was cut off, with a note, when it is JSONL', async () => {
    const path = writeInto(temporaryFolder(), 'cut.jsonl', `${message}\n${message}\n{"role": "assis`);
    const cli = captureCli();
    expect(await runCommandLine(['inspect', path], cli, '1')).toBe(0);
    expect(cli.stdout()).toContain('line 3: the file ends inside this line');
  });

  it('is named when it is missing or a folder', async () => {
    const folder = temporaryFolder();
    const missing = captureCli();
    expect(await runCommandLine(['inspect', join(folder, 'none.json')], missing, '1')).toBe(3);
    expect(missing.stderr()).toContain('there is no such file');
    const held = captureCli();
    expect(await runCommandLine(['inspect', folder], held, '1')).toBe(3);
    expect(held.stderr()).toContain('this is a folder');
  });

  it('is told from the transcript that it lies beside', async () => {
    const folder = temporaryFolder();
    const path = writeInto(folder, 's.json', chatSession(40));
    const out = join(folder, 'out.json');
    expect(await runCommandLine(['compact', path, '--window', '16k', '--out', out], captureCli(), '1')).toBe(
      0,
    );
    const cli = captureCli();
    expect(await runCommandLine(['inspect', `${out}.throughline.json`], cli, '1')).toBe(3);
    expect(cli.stderr()).toContain(`name the transcript, ${out}\n`);
  });

  it('is an object with its code in --json', async () => {
    const cli = captureCli();
    expect(await runCommandLine(['compact', '/nowhere.json', '--window', '64k', '--json'], cli, '1')).toBe(3);
    const answer: unknown = JSON.parse(cli.stdout());
    expect(answer).toMatchObject({ error: { code: 'unreadable-file', details: { file: '/nowhere.json' } } });
  });
});
