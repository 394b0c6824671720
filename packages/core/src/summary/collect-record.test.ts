import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anyEntries,
  assistant,
  entry,
  limitsOf,
  result,
  source,
  step,
  text,
  uneven,
  user,
} from '../../test/summary/builders.ts';
import { collectRecord } from './collect-record.ts';
import type { Entry } from '../transcript/entry.ts';
import type { SummaryRecord } from '../transcript/summary-record.ts';

const limits = limitsOf(5_000);

describe('collectRecord', () => {
  it('carries the other messages of the user word for word, oldest first, without task and latest request', () => {
    const [task, middle, latest] = [user(1, 'Build it'), user(3, 'In  red,\nplease'), user(5, 'Go on')];
    const record = collectRecord(
      source([task, assistant(2, 'Yes'), middle, assistant(4, 'Done'), latest], { task, latest }),
      limits,
    );
    expect(record.userMessages).toEqual([{ recallId: 'm3', text: 'In  red,\nplease', isShortened: false }]);
  });

  it('carries the words of a message that also holds results', () => {
    const mixed = entry(2, 'user', [result('out'), text('and hurry')]);
    expect(collectRecord(source([mixed]), limits).userMessages).toEqual([
      { recallId: 'm2', text: 'and hurry', isShortened: false },
    ]);
  });

  it('leaves room for what tools said in the place of the user only behind the words of the user', () => {
    const aside = '<local-command-stdout>Compacted</local-command-stdout>';
    const entries = [user(1, 'Use tabs'), user(2, aside), user(3, 'Use green')];
    const texts = (maxTokens: number): string[] =>
      collectRecord(source(entries), { ...limits, userMessageTokens: maxTokens }).userMessages.map(
        ({ text: words }) => words,
      );
    expect(texts(100)).toEqual(['Use tabs', aside, 'Use green']);
    expect(texts(50)).toEqual(['Use tabs', 'Use green']);
  });

  it('carries one of many asides that say the same, the newest, and none that came along with results', () => {
    const aside = '<system-reminder>The todo list is empty.</system-reminder>';
    const entries = [
      ...[1, 2, 3].map((ordinal) => user(ordinal, aside)),
      entry(4, 'user', [result('out'), text('<system-reminder>Be brief.</system-reminder>')]),
    ];
    const { userMessages, omittedUserMessages } = collectRecord(source(entries), limits);
    expect(userMessages).toEqual([{ recallId: 'm3', text: aside, isShortened: false }]);
    expect(omittedUserMessages).toBe(0);
  });

  it('shortens no words of the user, and counts none as left out, because of asides', () => {
    const words = `Use ${'tabs and '.repeat(40)}green`;
    const asides = Array.from({ length: 9 }, (_, index) =>
      user(index + 2, `<bash-stdout>${index} ${'x'.repeat(200)}</bash-stdout>`),
    );
    const record = collectRecord(source([user(1, words), ...asides]), { ...limits, userMessageTokens: 110 });
    expect(record.userMessages).toEqual([{ recallId: 'm1', text: words, isShortened: false }]);
    expect(record.omittedUserMessages).toBe(0);
  });

  it('carries the words of a message without what a tool put beside them', () => {
    const mixed = entry(2, 'user', [text('<system-reminder>Be brief.</system-reminder>'), text('Fix it')]);
    expect(collectRecord(source([mixed]), limits).userMessages.map(({ text: words }) => words)).toEqual([
      'Fix it',
    ]);
  });

  it('keeps the ends and the rules of what does not fit, newest first, and counts the rest', () => {
    const long = (ordinal: number): Entry =>
      user(
        ordinal,
        `start${ordinal} ${'filler text '.repeat(300)}. Never touch file${ordinal}. ${'filler text '.repeat(300)}end${ordinal}`,
      );
    const entries = Array.from({ length: 20 }, (_, index) => long(index));
    const record = collectRecord(source(entries), limits);
    const newest = record.userMessages.at(-1);
    expect(newest?.recallId).toBe('m19');
    expect(record.userMessages.map(({ text: words }) => words.includes('Never touch file'))).not.toContain(
      false,
    );
    expect(record.userMessages.length + record.omittedUserMessages).toBe(20);
    const short = record.userMessages.find(
      ({ isShortened, text: words }) => isShortened && words.includes('start'),
    );
    expect(short?.text).toMatch(/^start\d+ [^]*\[…\]\nNever touch file\d+\.\n\[…\][^]*end\d+$/);
  });

  it('takes the open todos from the newest list, by tool or checklist', () => {
    const todos = [
      { content: 'write tests', status: 'in_progress' },
      { content: 'ship', status: 'pending' },
      { content: 'plan', status: 'completed' },
    ];
    const byTool = step(1, 'TodoWrite', { todos }, 'ok');
    expect(collectRecord(source(byTool), limits).todos).toEqual(['(in progress) write tests', 'ship']);
    const byText = [...byTool, assistant(5, 'Left:\n- [x] write tests\n- [ ] ship it')];
    expect(collectRecord(source(byText), limits).todos).toEqual(['ship it']);
    const plan = step(7, 'update_plan', { plan: [{ step: 'a', status: 'completed' }] }, 'ok');
    expect(collectRecord(source([...byText, ...plan]), limits).todos).toEqual([]);
  });

  it('lists files that calls read and changed, newest first, and does not believe failed changes', () => {
    const patch = '*** Begin Patch\n*** Update File: src/p.ts\n@@\n*** Add File: src/q.ts\n*** End Patch';
    const entries = [
      ...step(1, 'Read', { file_path: 'src/a.ts' }, 'text'),
      ...step(3, 'Edit', { file_path: 'src/a.ts', old_string: 'x', new_string: 'y' }, 'ok'),
      ...step(5, 'write_file', { path: 'src/b.ts', content: 'z' }, 'denied', true),
      ...step(7, 'shell', { command: ['bash', '-lc', 'cat src/c.ts > out/d.txt'] }, ''),
      ...step(9, 'apply_patch', { input: patch }, 'ok'),
      ...step(11, 'str_replace_editor', { command: 'view', path: '/repo/e.py' }, 'text'),
      ...step(13, 'Grep', { pattern: 'x', path: 'src' }, ''),
    ];
    const files = collectRecord(source(entries), limits).files.map(({ path, wasRead, wasChanged }) => [
      path,
      wasRead,
      wasChanged,
    ]);
    expect(files).toEqual([
      ['/repo/e.py', true, false],
      ['src/q.ts', false, true],
      ['src/p.ts', false, true],
      ['out/d.txt', false, true],
      ['src/c.ts', true, false],
      ['src/b.ts', false, false],
      ['src/a.ts', true, true],
    ]);
  });

  it('lists 400 files, changed ones before all others however long ago they were changed', () => {
    const entries = [
      ...step(1, 'Edit', { file_path: 'src/edited.ts', old_string: 'x', new_string: 'y' }, 'ok'),
      ...step(3, 'Read', { file_path: 'src/old.ts' }, 'text'),
      ...step(5, 'Bash', { command: 'echo x > src/written.ts' }, ''),
      ...Array.from({ length: 500 }, (_, index) =>
        step(7 + 2 * index, 'Read', { file_path: `src/read-${index}.ts` }, 'text'),
      ).flat(),
    ];
    const paths = collectRecord(source(entries), limits).files.map(({ path }) => path);
    expect(paths).toHaveLength(400);
    expect(paths[0]).toBe('src/read-499.ts');
    expect(paths.slice(-2)).toEqual(['src/written.ts', 'src/edited.ts']);
    expect(paths).not.toContain('src/old.ts');
  });

  it('keeps the newest error that no later success of the same call resolves', () => {
    const entries = [
      ...step(1, 'Bash', { command: 'npm test' }, 'boom\nTypeError: x is not a function\nat y', true),
      ...step(3, 'Bash', { command: 'npm run lint' }, 'bad', true),
      ...step(5, 'Bash', { command: 'npm run lint' }, 'clean'),
    ];
    const first = collectRecord(source(entries), limits);
    expect(first.unresolvedError).toMatchObject({
      recallId: 'm2',
      toolName: 'Bash',
      line: 'TypeError: x is not a function',
    });
    const later = source(step(9, 'Bash', { command: 'npm run build' }, 'ok'), { previous: first });
    expect(collectRecord(later, limits).unresolvedError).toEqual(first.unresolvedError);
    const resolved = source(step(9, 'Bash', { command: 'npm test' }, 'ok'), { previous: first });
    expect(collectRecord(resolved, limits).unresolvedError).toBeUndefined();
  });

  it('keeps facts of round 1 through round 10', () => {
    const noise = (round: number): Entry[] =>
      step(
        round * 100,
        'Bash',
        { command: `run ${round}` },
        Array.from({ length: 900 }, (_, index) => `src/r${round}/file${index}.ts`).join('\n'),
      );
    let record: SummaryRecord | undefined;
    for (let round = 1; round <= 10; round++) {
      const entries = [
        ...noise(round),
        user(round * 100 + 5, `the ticket of round ${round} is PLAN-${round}00`),
      ];
      // The user's words are carried apart; here only the facts are looked at.
      record = collectRecord(source(entries, record ? { previous: { ...record, userMessages: [] } } : {}), {
        ...limits,
        userMessageTokens: 0,
      });
    }
    const kept = record?.facts.map((fact) => fact.text) ?? [];
    expect(record?.round).toBe(10);
    for (let round = 1; round <= 10; round++) expect(kept).toContain(`PLAN-${round}00`);
  });

  it('merges mentions and counts archived messages', () => {
    const first = collectRecord(source([user(1, 'see lib/x.py and lib/x.py')]), {
      ...limits,
      userMessageTokens: 0,
    });
    const second = collectRecord(source([user(9, 'again lib/x.py')], { previous: first }), {
      ...limits,
      userMessageTokens: 0,
    });
    expect(second.facts).toEqual([{ text: 'lib/x.py', mentions: 3, recallId: 'm9', round: 1 }]);
    expect(second.archivedMessages).toBe(2);
  });

  it('tells the language by its script', () => {
    expect(collectRecord(source([user(1, 'テストを書いてください。src/app.ts')]), limits).language).toBe(
      'ja',
    );
    expect(collectRecord(source([user(1, '请编写测试')]), limits).language).toBe('zh');
    expect(collectRecord(source([user(1, 'Write tests')]), limits)).not.toHaveProperty('language');
  });

  it('survives anything, stays within its bounds, is plain JSON and deterministic', () => {
    fc.assert(
      fc.property(anyEntries, anyEntries, fc.integer({ min: 0, max: 3_000 }), (one, two, messageTokens) => {
        const bound = limitsOf(messageTokens, uneven);
        const first = collectRecord(source(one), bound);
        const input = source(two, { previous: first });
        const record = collectRecord(input, bound);
        expect(JSON.parse(JSON.stringify(record))).toEqual(record);
        expect(collectRecord(input, bound)).toEqual(record);
        const words = record.userMessages.reduce((sum, message) => sum + uneven.count(message.text), 0);
        expect(words).toBeLessThanOrEqual(bound.userMessageTokens);
        const facts = record.facts.reduce((sum, fact) => sum + uneven.count(fact.text), 0);
        expect(facts).toBeLessThanOrEqual(messageTokens * 0.5 + 1);
      }),
      { numRuns: 60 },
    );
  });
});
