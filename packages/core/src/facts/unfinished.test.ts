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

function told(history: readonly Entry[]): string {
  const limits = limitsOf(2_000);
  return renderSummary(collectSummary(source(history), limits), limits, {
    task: undefined,
    first: messageRecallId(0),
    last: messageRecallId(6),
    hasRecall: false,
    maxTokens: 2_000,
  });
}

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
      line: 'x',
    });
  });

  it.each([
    'git checkout -- a.ts',
    'git reset --hard HEAD~1',
    'git -c user.name=a -c user.email=b commit -am new | tail -1',
    'git commit --dry-run',
    'git stash',
    'git pull --rebase',
  ])('stays the last own one, with what may have moved from it and prints no commit: %s', (command) => {
    const { commit } = stateOf(...committed(1), ...write(3, 'a.ts'), ...bash(5, command, 'Updated 1 path'));
    expect(commit).toMatchObject({ recallId: 'm1', moved: { recallId: 'm5' }, changed: [] });
    expect(command).toContain(commit?.moved?.label);
  });

  it('is known no more as the newest place where a pull failed, and is again when the next is made', () => {
    const pulled = bash(3, 'git pull --ff-only origin main 2>&1', 'fatal: Not possible', true);
    const state = stateOf(...committed(1), ...pulled);
    expect(state.commit?.moved?.label).toBe('git pull --ff-only origin main (failed)');
    const again = committed(5);
    expect(proveState(again, answersOf(again), state).commit).not.toHaveProperty('moved');
  });

  it('is told in the summary with what git was told behind it', () => {
    const history = [user(0, 'Go.'), ...committed(1), ...bash(3, 'git pull', 'Fast-forward')];
    expect(told(history)).toContain('- Last commit: m1 [main 1a2b3c4] Fix it; then m3 git pull');
  });

  it.each([
    [
      'a wrapper that prints a hash',
      'git add a && git commit -m "feat: one"',
      'ok 66d2093',
      '66d2093 feat: one',
    ],
    ['no output', "git -C app commit -qam 'two words'", '', 'two words'],
    ['a message of several lines', 'git commit -m "one\n\nmore"', '', 'one'],
    ['a heredoc', `git commit -m "$(cat <<'EOF'\nfeat: $one\n\nmore\nEOF\n)"`, 'done', 'feat: $one'],
    ['a message from a file', 'git commit -F message.txt', 'ok', ''],
    ['several numbers', 'git commit -m "x"', 'abcdef1 1234567 f00ba44', 'x'],
    ['a text that the shell fills', 'git commit -m "release $VERSION"', '', ''],
  ])('is known by its command where git prints nothing: %s', (_what, command, output, line) => {
    expect(stateOf(...bash(1, command, output)).commit).toMatchObject({ recallId: 'm1', line });
  });

  it.each([
    ['it failed', 'git commit -m "x"', 'hook declined', true],
    ['something behind it hides how it went', 'git commit -m "x" | tail -1', 'ok', false],
    ['it was only tried', 'git commit --dry-run -m "x"', 'ok', false],
    ['a file that is written names it', "cat > a.md <<'EOF'\ngit commit -m x\nEOF", '', false],
  ])('is none where %s', (_why, command, output, isError) => {
    expect(stateOf(...bash(1, command, output, isError)).commit).toBeUndefined();
  });

  it('is the one that git printed, also where the status behind it says that nothing is left', () => {
    const output = '[main 4e4af59] Release\nOn branch main\nnothing to commit, working tree clean';
    expect(stateOf(...bash(1, 'git commit -m "Release" && git status', output)).commit?.line).toBe(
      '[main 4e4af59] Release',
    );
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
    const text = told(history);
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

const programs = (...commands: readonly string[]): string[] =>
  running(...commands.flatMap((command, at) => bash(2 * at + 1, command, '')));

describe('a program that the shell leaves running', () => {
  it.each([
    ['PORT=3334 ./web-chat --fast > /tmp/web.log 2>&1 &\nsleep 2', 'm1 $ ./web-chat --fast & web-chat'],
    ['cd app && nohup npm run dev > /dev/null 2>&1 & sleep 1; echo up', 'm1 $ npm run dev & npm run dev'],
  ])('is listed without what is set for it: %s', (command, listed) => {
    expect(programs(command)).toEqual([listed]);
  });

  it.each([
    'npm test && npm run build 2>&1',
    'curl -s localhost:1 &',
    './work & wait',
    'echo "./server &"',
    "cat > start.sh <<'EOF'\n./server &\nEOF",
    '(sleep 1; ./server) &',
    './server & sleep 3; kill $!',
  ])('is none in %s', (command) => {
    expect(programs(command)).toEqual([]);
  });

  it.each(['pkill -f server', 'killall server', 'kill $(lsof -ti:3334)', 'kill 4711', 'fuser -k 3334/tcp'])(
    'may be over behind %s',
    (command) => {
      expect(programs('PORT=3334 ./server &', command)).toEqual([]);
    },
  );

  it('goes on where another one is ended, and is the newest of its name', () => {
    expect(programs('PORT=1234 ./api &', 'PORT=3334 ./web &', 'kill $(lsof -ti:3334)')).toHaveLength(1);
    expect(programs('./api &', './api -v &')).toEqual(['m3 $ ./api -v & api']);
    expect(running(...bash(1, './api &', 'no such file', true))).toEqual([]);
  });

  it('takes nothing from what the same command has proven', () => {
    expect(stateOf(...bash(1, './api & sleep 1; npm test', '9 passed')).checks).toHaveLength(1);
  });

  it('stands in the summary without an id', () => {
    expect(told([user(0, 'Go.'), ...bash(1, './api &', '')])).toMatch(
      /its end is not told:\n {2}- m1 \$ \.\/api &$/,
    );
  });

  it('is what Copilot was asked to leave running, until its end is told', () => {
    const watch = { command: './watch', mode: 'async', shellId: 'w1' };
    const started = step(1, 'powershell', watch, '<command started in background with shellId: w1>');
    expect(running(...started)).toEqual(['m1 $ ./watch w1']);
    const ended = step(3, 'read_powershell', { shellId: 'w1' }, '<shellId: w1 completed with exit code 0>');
    expect(running(...started, ...ended)).toEqual([]);
    const agent = { name: 'car', mode: 'background', prompt: 'Fix it' };
    const words = 'Agent started in background with agent_id: car-1. You are told when it completes.';
    expect(running(...step(1, 'task', agent, words))).toHaveLength(1);
    expect(running(...step(1, 'view', { path: 'a.md' }, words))).toEqual([]);
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
