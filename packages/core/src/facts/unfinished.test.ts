import { describe, expect, it } from 'vitest';
import { answersOf } from '../transcript/exchange.ts';
import { collectSummary } from '../summary/collect-summary.ts';
import { limitsOf, source, step, user, assistant } from '../../test/summary/builders.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { proveState } from './proven-state.ts';
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
      changed: ['b.ts'],
    });
  });

  it('counts files under /tmp as edited since where the project lies there', () => {
    const state = stateOf(...write(1, '/tmp/shop/a.ts'), ...committed(3), ...write(5, '/tmp/shop/b.ts'));
    expect(state.commit?.changed).toEqual(['/tmp/shop/b.ts']);
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
    expect(proveState(later, answersOf(later), before).commit?.changed).toEqual(['a.ts', 'b.ts']);
    const again = committed(7);
    expect(proveState(again, answersOf(again), before).commit).toMatchObject({ recallId: 'm7', changed: [] });
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
    expect(text).toContain('  - m1 $ npm test → 9 passed (1 file edited after this run, last in m5)');
    expect(text).toContain('- Last commit: m3 [main 1a2b3c4] Fix it; edited after it: b.ts');
  });
});

const running = (...entries: readonly Entry[]): string[] =>
  (proveState(entries, answersOf(entries)).running ?? []).map(
    ({ recallId, label, id }) => `${recallId} ${label} ${id}`,
  );
const server = step(
  1,
  'Bash',
  { command: 'npm run dev', run_in_background: true },
  'Command running in background with ID: b1f',
);
const session = step(
  1,
  'exec_command',
  { cmd: 'npm run dev' },
  'Chunk ID: 1\nProcess running with session ID 4021\nOutput:\nready',
);

describe('what runs in the background', () => {
  it.each([
    ['Claude Code', server, 'm1 $ npm run dev b1f'],
    ['Codex', session, 'm1 $ npm run dev 4021'],
  ])('is known by the id under which %s goes on with it', (_client, entries, told) => {
    expect(running(...entries)).toEqual([told]);
  });

  it('goes on where somebody only looks at it', () => {
    expect(
      running(...server, ...step(3, 'BashOutput', { bash_id: 'b1f' }, '<status>running</status>')),
    ).toHaveLength(1);
    const again = 'Process running with session ID 4021\nOutput:\nGET /';
    expect(
      running(...session, ...step(3, 'write_stdin', { session_id: 4021, chars: '' }, again)),
    ).toHaveLength(1);
  });

  it.each<readonly [string, readonly Entry[]]>([
    [
      'it is stopped',
      [...server, ...step(3, 'KillShell', { shell_id: 'b1f' }, 'Successfully killed shell: b1f')],
    ],
    ['it has ended', [...server, ...step(3, 'BashOutput', { bash_id: 'b1f' }, '<status>completed</status>')]],
    [
      'it is not known any more',
      [...server, ...step(3, 'TaskOutput', { task_id: 'b1f' }, 'No task found', true)],
    ],
    [
      'its exit code is told',
      [...session, ...step(3, 'write_stdin', { session_id: 4021 }, 'Process exited with code 0\nOutput:\n')],
    ],
    [
      'the client says so',
      [
        ...server,
        user(3, '<task-notification><task-id>b1f</task-id><status>completed</status></task-notification>'),
      ],
    ],
  ])('is over when %s', (_why, entries) => {
    expect(running(...entries)).toEqual([]);
  });

  it('is an agent that was launched, too', () => {
    const launched = 'Async agent launched successfully.\nagentId: a7c (internal ID)';
    const input = { description: 'Look', prompt: 'Look at it', run_in_background: true };
    expect(running(...step(1, 'Agent', input, launched))).toEqual([expect.stringMatching(/^m1 .* a7c$/)]);
    expect(running(...step(1, 'Agent', input, launched, true))).toEqual([]);
  });

  it('is listed for the newest six', () => {
    const tasks = Array.from({ length: 8 }, (_, at) =>
      step(
        2 * at + 1,
        'Bash',
        { command: `run ${at}`, run_in_background: true },
        `Command running in background with ID: b${at}`,
      ),
    );
    expect(running(...tasks.flat()).map((one) => one.slice(-2))).toEqual([
      'b2',
      'b3',
      'b4',
      'b5',
      'b6',
      'b7',
    ]);
  });

  it('goes on where what ended has a longer id, or the assistant says that it ended', () => {
    const longer = '<task-notification><task-id>b1f2</task-id><status>completed</status></task-notification>';
    expect(running(...server, user(3, longer))).toHaveLength(1);
    expect(running(...server, assistant(3, 'Task b1f, status: completed'))).toHaveLength(1);
  });

  it('is nothing that a page or a file says', () => {
    const said = 'Command running in background with ID: zzz';
    expect(running(...step(1, 'Read', { file_path: 'a.md' }, said))).toEqual([]);
    expect(running(...step(1, 'Bash', { command: 'cat a.md' }, said))).toEqual([]);
    expect(running(...step(1, 'WebFetch', { url: 'x' }, 'Process running with session ID 99'))).toEqual([]);
  });

  it('has neither passed nor settled anything while it goes on', () => {
    const failed = step(1, 'Bash', { command: 'npm test' }, '1 failed', true);
    const again = step(
      3,
      'Bash',
      { command: 'npm test', run_in_background: true },
      'Command running in background with ID: b1f',
    );
    const { checks } = proveState([...failed, ...again], answersOf([...failed, ...again]));
    expect(checks.map(({ recallId, hasFailed }) => [recallId, hasFailed])).toEqual([['m1', true]]);
  });
});

const started = (at: number, cmd: string, session: number): Entry[] =>
  step(
    at,
    'exec_command',
    { cmd },
    `Wall time: 1.0 seconds\nProcess running with session ID ${session}\nOutput:\n`,
  );
const polled = (at: number, session: number, output: string): Entry[] =>
  step(at, 'write_stdin', { session_id: session, chars: '' }, output);

describe('a command that goes on in the background', () => {
  const passed = 'Process exited with code 0\nOutput:\n62 passed\n';

  it('is a check that passed or failed when its end is asked for', () => {
    const { checks, running } = stateOf(...started(1, 'npm test', 7), ...polled(3, 7, passed));
    expect(checks).toMatchObject([{ recallId: 'm1', label: '$ npm test', hasFailed: false }]);
    expect(running).toBeUndefined();
    const failed = 'Process exited with code 1\nOutput:\n1 failed\n';
    expect(stateOf(...started(1, 'npm test', 7), ...polled(3, 7, failed)).checks).toMatchObject([
      { hasFailed: true },
    ]);
  });

  it('is told of across what was compacted in between', () => {
    const before = stateOf(...started(1, 'npm test', 7));
    const later = polled(3, 7, passed);
    expect(proveState(later, answersOf(later), before).checks).toMatchObject([{ label: '$ npm test' }]);
  });
});

describe('a file that a command writes', () => {
  it.each([
    ["cat >> src/a.test.ts << 'EOF'\nit('x');\nEOF", 'src/a.test.ts'],
    ['echo "x" > notes/a.md', 'notes/a.md'],
    ["sed -i 's/a/b/' src/b.ts", 'src/b.ts'],
    ['git diff | tee -a out/c.patch', 'out/c.patch'],
  ])('is a changed one: %s', (command, path) => {
    expect(stateOf(...bash(1, command, '')).files).toMatchObject([{ path }]);
  });

  it.each([
    'npm test > /tmp/a.log',
    'echo "a > b.ts"',
    'cat a.ts | head',
    "cat > /tmp/x.py << 'EOF'\nx > y.ts\nEOF",
  ])('is none of the project: %s', (command) => {
    expect(stateOf(...bash(1, command, '')).files).toEqual([]);
  });
});
