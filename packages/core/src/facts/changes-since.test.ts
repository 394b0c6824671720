import { describe, expect, it } from 'vitest';
import { answersOf } from '../timeline/read-entries.ts';
import { collectSummary } from '../summary/collect-summary.ts';
import { limitsOf, source, step, user } from '../../test/summary/builders.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { proveState, stateAfter } from './proven-state.ts';
import { renderSummary } from '../summary/render-summary.ts';
import type { Entry } from '../transcript/entry.ts';
import type { ProvenState } from '../transcript/summary.ts';

const bash = (at: number, command: string, output: string, isError = false): Entry[] =>
  step(at, 'bash', { command }, output, isError);
const write = (at: number, path: string): Entry[] =>
  step(at, 'Write', { file_path: path, content: 'x' }, 'ok');
const committed = (at: number): Entry[] =>
  bash(at, 'git add -A && git commit -m "Fix it"', '[main 1a2b3c4] Fix it\n 2 files changed');
const stateOf = (...entries: readonly Entry[]): ProvenState => proveState(entries, answersOf(entries));

describe('the last commit', () => {
  it('is told as git printed it, with the files that were edited since', () => {
    const state = stateOf(...write(1, 'a.ts'), ...committed(3), ...write(5, 'b.ts'), ...write(7, '/tmp/c'));
    expect(state.commit).toEqual({
      recallId: 'm3',
      line: '[main 1a2b3c4] Fix it',
      since: 'm3',
      changed: ['b.ts'],
    });
  });

  it('is none where git refused it, where another command hides how it ended, and in a text about it', () => {
    expect(stateOf(...bash(1, 'git commit -m "x"', 'nothing to commit', true)).commit).toBeUndefined();
    expect(stateOf(...bash(1, 'git commit -q -m "x" | tail -1', '')).commit).toBeUndefined();
    expect(stateOf(...bash(1, 'npm run note "git commit"', 'ok')).commit).toBeUndefined();
    expect(stateOf(...bash(1, 'git commit -q -m "x"', '')).commit).toMatchObject({
      recallId: 'm1',
      line: '',
    });
  });

  it.each([
    'git checkout -- a.ts',
    'git reset --hard HEAD~1',
    'git -c user.name=a -c user.email=b commit -am new | tail -1',
    'git commit --dry-run',
    'git stash',
    'git pull --rebase',
  ])('is not known any more behind what may move it and prints no commit: %s', (command) => {
    expect(stateOf(...committed(1), ...bash(5, command, 'Updated 1 path')).commit).toBeUndefined();
  });

  it.each([
    ['git stash list', 'stash@{0}'],
    ['git checkout -b next', "Switched to a new branch 'next'"],
    ['git restore --staged a.ts', ''],
    ['git merge-base main next', '1a2b3c4'],
    ['git commit -m "x"', 'nothing to commit, working tree clean'],
    ['npm run note -- "git commit"', 'ok'],
  ])('stands behind what moves nothing: %s', (command, output) => {
    const state = stateOf(...committed(1), ...write(3, 'a.ts'), ...bash(5, command, output));
    expect(state.commit).toMatchObject({ recallId: 'm1', changed: ['a.ts'] });
  });

  it('is the last that a call prints, also where something behind it failed, and a revert', () => {
    const pushed = '[main 1111111] one\n[main 2222222] two\nerror: failed to push some refs';
    const both = bash(3, 'git commit -am one && git commit -am two && git push', pushed, true);
    expect(stateOf(...committed(1), ...both).commit?.line).toBe('[main 2222222] two');
    const reverted = bash(3, 'git revert HEAD --no-edit', '[main 3333333] Revert "Fix it"');
    expect(stateOf(...committed(1), ...reverted).commit?.line).toBe('[main 3333333] Revert "Fix it"');
  });

  it('is as of the newest message, also of those that stay in the view', () => {
    const before = stateOf(...committed(1), ...write(3, 'a.ts'));
    const later = write(5, 'b.ts');
    expect(stateAfter(before, later, answersOf(later)).commit?.changed).toEqual(['a.ts', 'b.ts']);
    const again = committed(7);
    expect(stateAfter(before, again, answersOf(again)).commit).toMatchObject({ recallId: 'm7', changed: [] });
  });
});

describe('a check', () => {
  it('says which files were edited since it was run, documents aside', () => {
    const passed = bash(1, 'npm test', '9 passed');
    const state = stateOf(...passed, ...write(3, 'a.ts'), ...write(5, 'b.ts'), ...write(7, 'NOTES.md'));
    expect(state.checks).toMatchObject([{ recallId: 'm1', changedSince: { files: 2, last: 'm5' } }]);
    const again = stateOf(...passed, ...write(3, 'a.ts'), ...bash(5, 'npm test', '9 passed'));
    expect(again.checks[0]).not.toHaveProperty('changedSince');
  });

  it('stands in the summary with what was edited since, and so does the commit', () => {
    const history = [
      user(0, 'Go.'),
      ...bash(1, 'npm test 2>&1 | tail -3', '9 passed'),
      ...committed(3),
      ...write(5, 'b.ts'),
    ];
    const limits = limitsOf(2_000);
    const text = renderSummary(collectSummary(source(history), limits), limits, {
      task: undefined,
      first: messageRecallId(0),
      last: messageRecallId(6),
      hasRecall: false,
      maxTokens: 2_000,
    });
    expect(text).toContain('  - m1 $ npm test → 9 passed (1 file edited since, m5)');
    expect(text).toContain('- Last commit: m3 [main 1a2b3c4] Fix it; edited since: b.ts');
  });
});
