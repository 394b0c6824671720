import { describe, expect, it } from 'vitest';
import { answersOf } from '../transcript/exchange.ts';
import { assistant, step, user } from '../../test/summary/builders.ts';
import { proveState } from '../facts/proven-state.ts';
import type { Entry } from '../transcript/entry.ts';
import type { ProvenState } from '../transcript/summary.ts';

const stateOf = (entries: readonly Entry[], before?: ProvenState): ProvenState =>
  proveState(entries, answersOf(entries), before);
const labels = (outcomes: ProvenState['failures']): string[] =>
  outcomes.map(({ recallId, label }) => `${recallId} ${label}`);

describe('proveState', () => {
  it('takes linear time for very many chains that failed', () => {
    const chains = Array.from({ length: 6_000 }, (_, at) => {
      const command = `npx tsc -p a${at} && npm run t${at}:test && make b${at}`;
      return step(at * 2, 'bash', { command }, at % 3 === 0 ? 'ok' : 'error TS1: x', at % 3 > 0);
    }).flat();
    const begin = process.cpuUsage();
    expect(stateOf(chains).checks.length).toBeGreaterThan(0);
    expect(process.cpuUsage(begin).user / 1_000_000).toBeLessThan(5);
  });

  it('keeps the last outcome of what verifies, whatever shapes its output', () => {
    const state = stateOf([
      ...step(1, 'bash', { command: 'npm test 2>&1 | tail -20' }, 'Tests: 3 failed, 9 passed'),
      ...step(3, 'bash', { command: 'npm test' }, 'Tests: 12 passed'),
      ...step(5, 'bash', { command: 'npm run lint' }, 'error: unused variable', true),
    ]);
    expect(state.checks.map(({ recallId, hasFailed, line }) => ({ recallId, hasFailed, line }))).toEqual([
      { recallId: 'm3', hasFailed: false, line: 'Tests: 12 passed' },
      { recallId: 'm5', hasFailed: true, line: 'error: unused variable' },
    ]);
    expect(state.failures).toEqual([]);
  });

  it('says nothing of a check whose outcome is behind a pipe without a verdict', () => {
    expect(
      stateOf(step(1, 'bash', { command: 'npx jest a.test.ts | grep "●"' }, '● a › works')).checks,
    ).toEqual([]);
  });

  it('drops a failure when the same succeeds later, also over rounds', () => {
    const first = stateOf(step(1, 'bash', { command: 'git push origin main' }, 'rejected', true));
    expect(labels(first.failures)).toEqual(['m1 $ git push origin main']);
    const second = stateOf(step(3, 'bash', { command: 'git push --force-with-lease' }, 'ok'), first);
    expect(second.failures).toEqual([]);
  });

  it.each([
    ['npm run check:types', 'npm run check', 'ok'],
    [
      'npm run check:types',
      'npm run check',
      '> app@1.0.0 check\n> run-p check:*\n> app@1.0.0 check:types\n> tsc',
    ],
    ['npm run typecheck', 'pnpm verify', '> app@1.0.0 verify /app\n> app@1.0.0 typecheck /app\n> tsc'],
    [
      'mise run lint:gofmt && mise run lint:gomod',
      'mise run lint && go vet ./...',
      '[lint:gofmt] $ x\n[lint:gomod] $ y',
    ],
    [
      'npm run test:e2e',
      'npm test',
      '> app@1.0.0 test\n> run-s test:*\n> app@1.0.0 test:e2e\n> playwright test',
    ],
  ])('settles a failed %s by %s where that has run it', (part, whole, output) => {
    const failed = step(1, 'bash', { command: part }, 'error: x', true);
    const state = stateOf([...failed, ...step(3, 'bash', { command: whole }, output)]);
    expect(state.checks.every(({ hasFailed }) => !hasFailed)).toBe(true);
    const again = stateOf([...failed, ...step(3, 'bash', { command: whole }, output, true)]);
    expect(labels(again.checks)[0]).toBe(`m1 $ ${part}`);
  });

  it.each([
    [
      'npm run check:types',
      'npm run check',
      '> app@1.0.0 check\n> app@1.0.0 check:format\n> prettier --check',
    ],
    ['npm run test:e2e', 'npm test', '9 passed'],
    ['npm run build:docs', 'npm run build', 'ok'],
    ['npm run check:types', 'mise run check', 'ok'],
    ['npm run checks', 'npm run check', 'ok'],
    ['npm run check:types -- --project a', 'npm run check', 'ok'],
  ])('leaves a failed %s behind %s where that may not have run it', (part, whole, output) => {
    const failed = step(1, 'bash', { command: part }, 'error: x', true);
    const state = stateOf([...failed, ...step(3, 'bash', { command: whole }, output)]);
    expect(labels(state.checks)[0]).toBe(`m1 $ ${part}`);
  });

  it('tells that the shell has run what was meant as text, though the command succeeded', () => {
    const commit = 'git commit -m "Mend `parse` of it"';
    const output = '/bin/bash: line 1: parse: command not found\n[main 1a2b3c4] Mend  of it';
    const told = (command: string, said = output): string[] =>
      stateOf(step(1, 'bash', { command }, said)).failures.map(({ line }) => line);
    expect(told(commit)).toEqual([
      'the shell ran what stands in backticks: /bin/bash: line 1: parse: command not found',
    ]);
    expect(
      told('gh pr create --body "Run `bun x`"', 'error: Module not found "x"\nhttps://x/1'),
    ).toHaveLength(1);
    for (const [command, said] of [
      [commit, '[main 1a2b3c4] Mend  of it'],
      ['git commit -m "Mend \\`parse\\`"', output],
      ["git commit -m 'Mend `parse`'", output],
      ['gh pr create --body "$(cat <<\'EOF\'\nRun `x`\nEOF\n)"', output],
      ['which parse || echo "none"', output],
    ] as const)
      expect(told(command, said)).toEqual([]);
    const amended = step(3, 'bash', { command: 'git commit --amend -m "Mend it"' }, '[main 5d6e7f8] Mend it');
    expect(stateOf([...step(1, 'bash', { command: commit }, output), ...amended]).failures).toEqual([]);
  });

  it.each([
    [
      'golangci-lint run --disable-all ./...',
      'Error: unknown flag: --disable-all\nUsage:\n  golangci-lint run [flags]',
    ],
    ['npx vitest run --bial', 'CACError: Unknown option `--bial`'],
    ['cargo test -Q', "error: unexpected argument '-Q' found"],
    ['make -A', "make: invalid option -- 'A'\nUsage: make [options] [target] ..."],
  ])('takes no check for failed whose program refused an option: %s', (command, output) => {
    const told = (given: string): readonly unknown[] =>
      stateOf(step(1, 'bash', { command: given }, `${output}\nExit code 2`, true)).checks ?? [];
    expect(told(command)).toEqual([]);
    expect(told(command.replace(/ -\S+/, ''))).toHaveLength(1);
  });

  it('takes nothing that did not run for a failure: no such program, or stopped beside one that failed', () => {
    const passed = step(1, 'bash', { command: 'go build ./...' }, 'ok');
    const notThere = [
      ...step(
        3,
        'bash',
        { command: 'GOOS=linux go build ./...' },
        '/bin/bash: line 1: go: command not found',
        true,
      ),
      ...step(
        5,
        'bash',
        { command: '/opt/node --run fmt' },
        '/app/bin/fmt: line 20: exec: node: not found',
        true,
      ),
      ...step(
        7,
        'Bash',
        { command: 'cargo clippy' },
        '<tool_use_error>Sibling tool call errored</tool_use_error>',
        true,
      ),
      ...step(9, 'Bash', { command: 'npx x' }, 'Cancelled: parallel tool call Bash(npm test) errored', true),
    ];
    const state = stateOf([...passed, ...notThere]);
    expect([labels(state.checks), state.failures]).toEqual([['m1 $ go build ./...'], []]);
    const script = step(3, 'bash', { command: 'npm test' }, '> jest\nsh: 1: jest: not found', true);
    expect(labels(stateOf(script).checks)).toEqual(['m3 $ npm test']);
  });

  it('tells a failure once where a chain fails as its part did', () => {
    const made = (at: number, command: string, line: string): Entry[] =>
      step(at, 'bash', { command }, `${line}`, true);
    const state = stateOf([
      ...made(1, 'terraform apply', 'error: no host'),
      ...made(3, 'terraform init && terraform apply', 'error: no host'),
    ]);
    expect(labels(state.failures)).toEqual(['m3 $ terraform init && terraform apply']);
    const other = stateOf([
      ...made(1, 'terraform apply', 'error: no host'),
      ...made(3, 'terraform init && terraform apply', 'error: no disk'),
    ]);
    expect(labels(other.failures)).toHaveLength(2);
    const checks = stateOf([
      ...made(1, 'make', 'no rule'),
      ...made(3, 'make clean && make', 'no rule'),
    ]).checks;
    expect(labels(checks)).toEqual(['m3 $ make clean && make']);
  });

  it('lists no file that may be gone, and any that is written again', () => {
    const write = (at: number, path: string): Entry[] =>
      step(at, 'Write', { file_path: path, content: 'x' }, 'ok');
    const state = stateOf([
      ...write(1, 'docs/blue.md'),
      ...write(3, '/srv/app/docs/red.md'),
      ...write(5, 'src/a.ts'),
      ...step(7, 'bash', { command: 'rm -f docs/blue.md other.md && git mv docs/red.md archive/' }, ''),
      ...step(9, 'bash', { command: 'rm src/a.ts' }, 'rm: cannot remove', true),
    ]);
    expect(state.files).toEqual([{ path: 'src/a.ts', recallId: 'm5' }]);
    const again = stateOf(write(13, 'docs/blue.md'), state);
    expect(again.files?.at(-1)).toEqual({ path: 'docs/blue.md', recallId: 'm13' });
  });

  it.each([
    'rm -rf src/old',
    'rm -r ./src/old/',
    'cd /srv/app && git rm -r --quiet src/old',
    'git mv src/old src/new',
    'if [ -d lib ]; then\n  mv src/old/a.ts src/old/in lib/\nfi',
  ])('lists none that lies where something was taken away: %s', (command) => {
    const write = (at: number, path: string): Entry[] =>
      step(at, 'Write', { file_path: path, content: 'x' }, 'ok');
    const state = stateOf([
      ...write(1, 'src/old/a.ts'),
      ...write(3, 'src/old/in/b.ts'),
      ...write(5, 'src/older.ts'),
      ...step(7, 'bash', { command }, ''),
    ]);
    expect(state.files).toEqual([{ path: 'src/older.ts', recallId: 'm5' }]);
  });

  it.each([
    ['delete_file', { path: 'src/a.ts' }],
    ['remove_file', { target_file: 'src/a.ts' }],
    ['mcp__fs__delete_directory', { path: 'src' }],
    ['mcp__fs__move_file', { source: 'src/a.ts', destination: 'src/b.ts' }],
    ['renameFile', { old_path: 'src/a.ts', new_path: 'src/b.ts' }],
    ['apply_patch', { input: '*** Begin Patch\n*** Delete File: src/a.ts\n*** End Patch' }],
    ['file_change', { changes: [{ path: 'src/a.ts', kind: 'delete' }] }],
  ])('lists none that a tool has deleted or moved: %s', (name, input) => {
    const state = stateOf([
      ...step(1, 'Write', { file_path: 'src/a.ts', content: 'x' }, 'ok'),
      ...step(3, name, input, 'Done'),
    ]);
    expect(state.files).toEqual([]);
  });

  it.each([
    ['bash', { command: 'rm -f src/a.ts && cat > src/a.ts <<EOF\nx\nEOF' }, 'm3'],
    ['bash', { command: 'sed s/x/y/ src/a.ts > new && mv new src/a.ts' }, 'm1'],
    ['bash', { command: 'docker compose rm src; git commit -m "rm src/a.ts"; docker run --rm src' }, 'm1'],
    ['bash', { command: 'rm a.ts; rm -rf /; mv . ..' }, 'm1'],
    ['delete_lines', { path: 'src/a.ts', from: 1, to: 2 }, 'm1'],
    ['rename_symbol', { file_path: 'src/a.ts', old_name: 'a', new_name: 'b' }, 'm1'],
  ])('goes on to list a file that is there: %s %o', (name, input, recallId) => {
    const state = stateOf([
      ...step(1, 'Write', { file_path: 'src/a.ts', content: 'x' }, 'ok'),
      ...step(3, name, input, 'Done'),
    ]);
    expect(state.files).toMatchObject([{ path: 'src/a.ts', recallId }]);
  });

  it('lists what a run of Codex has changed, and where a patch has moved a file', () => {
    const changes = [
      { path: 'src/a.ts', kind: 'update' },
      { path: 'src/b.ts', kind: 'delete' },
    ];
    const input = '*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/c.ts\n@@\n+x\n*** End Patch';
    expect(
      stateOf([
        ...step(1, 'file_change', { changes }, 'completed'),
        ...step(3, 'apply_patch', { input }, 'Done'),
      ]).files,
    ).toEqual([{ path: 'src/c.ts', recallId: 'm3' }]);
  });

  it('keeps a failure that a later try did not get over, whose end a pipe hides', () => {
    const failed = step(1, 'bash', { command: 'git push origin main' }, 'rejected', true);
    const again = (output: string) => step(3, 'bash', { command: 'git push 2>&1 | tail -3' }, output);
    const rejected = 'To github.com:a/b.git\n ! [rejected] main -> main (fetch first)\nhint: fetch first';
    expect(labels(stateOf([...failed, ...again(rejected)]).failures)).toEqual(['m1 $ git push origin main']);
    expect(stateOf([...failed, ...again('   1a2b3c4..5d6e7f8  main -> main')]).failures).toEqual([]);
  });

  it('takes neither a search without a match nor a listing that contains the word error for a failure', () => {
    const state = stateOf([
      ...step(1, 'bash', { command: 'rg -n "foo|bar" src' }, 'Process exited with code 1'),
      ...step(3, 'bash', { command: 'ls src' }, 'error.ts\nerrors/\nfatal.log'),
      ...step(5, 'bash', { command: 'foo' }, 'bash: foo: command not found', true),
    ]);
    expect(state.failures).toEqual([]);
  });

  const failedKeys = (entries: readonly Entry[]): string[] =>
    stateOf(entries)
      .checks.filter(({ hasFailed }) => hasFailed)
      .map(({ recallId, key }) => `${recallId} ${key}`);
  const failing = (at: number, command: string): readonly Entry[] =>
    step(at, 'bash', { command }, 'Tests: 1 failed', true);

  it('tells of test files by their newest run, whatever has run them', () => {
    const first = failing(1, 'npx jest tests/a.test.ts --testTimeout=20000 2>&1 | head -80');
    expect(failedKeys([...first, ...failing(3, 'npm test -- tests/a.test.ts')])).toEqual([
      'm3 npm test tests/a.test.ts',
    ]);
    const passed = step(
      3,
      'bash',
      { command: 'yarn jest tests/a.test.ts tests/b.test.ts' },
      'Tests: 9 passed',
    );
    expect(failedKeys([...first, ...passed])).toEqual([]);
  });

  it('takes a run of everything for a run of each test file, and no part for the whole', () => {
    const narrow = failing(1, 'npm test -- tests/a.test.ts -t "one"');
    const whole = step(3, 'bash', { command: 'npm test' }, 'Tests: 40 passed');
    expect(failedKeys([...narrow, ...whole])).toEqual([]);
    const file = failing(1, 'npx vitest run src/a.test.ts');
    const part = step(3, 'bash', { command: 'npx vitest run src/a.test.ts -t "one"' }, 'Tests: 1 passed');
    expect(failedKeys([...file, ...part])).toEqual(['m1 vitest run src/a.test.ts']);
    expect(failedKeys([...failing(1, 'make build'), ...step(3, 'bash', { command: 'make' }, 'ok')])).toEqual([
      'm1 make build',
    ]);
  });

  it.each([
    ['pytest tests/unit/test_a.py', '.venv/bin/pytest tests/'],
    [
      'cd backend && venv/bin/python -m pytest tests/test_a.py::test_x',
      'cd backend && pytest tests/test_a.py -q',
    ],
    ['go test ./internal/invoice/ -run TestCredit', '/usr/local/go/bin/go test ./internal/invoice/...'],
    ['go test ./internal/invoice/', 'go test ./...'],
    ['npm test -- src/a.test.ts; printf \'exit=%s\' "$?"', 'npm test -- src/a.test.ts'],
    ['bundle exec rspec spec/a_spec.rb', 'bundle exec rspec spec'],
  ])('takes a failed %s for mended where %s passes', (failed, passed) => {
    const told = [...failing(1, failed), ...step(3, 'bash', { command: passed }, '9 passed')];
    expect(stateOf(failing(1, failed)).checks).toHaveLength(1);
    expect(failedKeys(told)).toEqual([]);
  });

  it.each([
    ['pytest tests/unit/test_a.py', 'pytest tests/integration/'],
    ['pytest tests/test_a.py', 'pytest tests/test_a.py::test_x'],
    ['go test ./internal/invoice/...', 'go test ./internal/invoice/ -run TestCredit'],
    ['go test ./internal/invoices/', 'go test ./internal/invoice/...'],
    ['npx vitest run test/a.test.ts', 'npm run test:unit'],
  ])('does not take a failed %s for mended where %s passes', (failed, passed) => {
    const told = [...failing(1, failed), ...step(3, 'bash', { command: passed }, '9 passed')];
    expect(failedKeys(told)).toHaveLength(1);
  });

  it('tells of checks that passed by the last chain that has run them', () => {
    const passed = (at: number, command: string): Entry[] => step(at, 'bash', { command }, 'ok');
    const all = [
      ...passed(1, 'go vet ./...'),
      ...passed(3, 'npm run lint'),
      ...passed(5, 'go vet ./... && go test ./...'),
    ];
    expect((stateOf(all).checks ?? []).map(({ key }) => key)).toEqual([
      'npm lint',
      'go vet ... && go test ...',
    ]);
    const failed = step(5, 'bash', { command: 'go vet ./... && go test ./...' }, 'FAIL', true);
    expect(stateOf([...passed(1, 'go vet ./...'), ...failed]).checks).toHaveLength(2);
  });

  it('takes no call for help for a check', () => {
    expect(stateOf(step(1, 'bash', { command: 'golangci-lint run --help' }, 'Usage: …')).checks).toEqual([]);
    expect(stateOf(step(1, 'bash', { command: 'go --version && go test ./...' }, 'ok')).checks).toHaveLength(
      1,
    );
  });

  it('names what a script runs behind the files that it writes, and knows its success by that', () => {
    const script = (text: string): string =>
      `cat > /tmp/body.md <<'EOF'\n${text}\nEOF\ngh pr edit 7 --body-file /tmp/body.md`;
    const failed = step(1, 'bash', { command: script('first') }, 'GraphQL: deprecated', true);
    const elsewhere = step(3, 'bash', { command: "cat > /tmp/b <<'EOF'\nx\nEOF\ngh pr create" }, 'ok');
    const looked = step(5, 'bash', { command: 'gh pr view 7' }, 'open');
    expect(labels(stateOf([...failed, ...elsewhere, ...looked]).failures)).toEqual([
      'm1 $ gh pr edit 7 --body-file /tmp/body.md',
    ]);
    const again = step(7, 'bash', { command: script('second') }, 'ok');
    expect(stateOf([...failed, ...again]).failures).toEqual([]);
  });

  it('goes on with messages behind it: what they have done is open no more, and a file is told at its last change', () => {
    const state = stateOf([
      ...step(1, 'Write', { file_path: 'a.ts', content: 'x' }, 'ok'),
      ...step(3, 'bash', { command: 'npm run lint' }, 'error: unused', true),
      ...step(5, 'TodoWrite', { todos: [{ content: 'Lint it', status: 'in_progress' }] }, 'ok'),
    ]);
    const later = [
      ...step(7, 'Write', { file_path: 'b.ts', content: 'x' }, 'ok'),
      ...step(8, 'Write', { file_path: 'a.ts', content: 'y' }, 'ok'),
      ...step(9, 'bash', { command: 'npm run lint' }, 'no errors'),
      ...step(11, 'TodoWrite', { todos: [{ content: 'Lint it', status: 'completed' }] }, 'ok'),
    ];
    const now = stateOf(later, state);
    expect(now.checks).toMatchObject([{ recallId: 'm9', hasFailed: false }]);
    expect(now.todos).toEqual({ recallId: 'm11', open: [], doneCount: 1 });
    expect(now.files).toEqual([
      { path: 'b.ts', recallId: 'm7' },
      { path: 'a.ts', recallId: 'm8' },
    ]);
    expect(stateOf([], state)).toEqual(state);
  });

  it('tells failed calls of one tool apart by what they are about', () => {
    const state = stateOf([
      ...step(1, 'book', { user: 'silva', price: 833 }, 'Error: payment does not add up', true),
      ...step(3, 'book', { user: 'li', price: 305 }, 'booked'),
    ]);
    expect(labels(state.failures)).toEqual(['m1 book user=silva price=833']);
  });

  it('reads todo lists, plans, checklists and single tasks', () => {
    const todos = [
      { content: 'Write it', status: 'completed' },
      { content: 'Test it', status: 'in_progress' },
    ];
    expect(stateOf(step(1, 'TodoWrite', { todos }, 'ok')).todos).toEqual({
      recallId: 'm1',
      open: ['(in progress) Test it'],
      doneCount: 1,
    });
    expect(stateOf([assistant(7, 'Plan:\n- [x] a\n- [ ] b')]).todos).toEqual({
      recallId: 'm7',
      open: ['b'],
      doneCount: 1,
    });
    const tasks = stateOf([
      ...step(1, 'TaskCreate', { subject: 'Draw' }, 'Task #1 created'),
      ...step(3, 'TaskCreate', { subject: 'Paint' }, 'Task #2 created'),
      ...step(5, 'TaskUpdate', { taskId: '1', status: 'completed' }, 'ok'),
      ...step(7, 'TaskUpdate', { taskId: '2', status: 'in_progress' }, 'ok'),
    ]);
    expect(tasks.todos).toEqual({ recallId: 'm7', open: ['(in progress) #2 Paint'], doneCount: 1 });
  });

  it('takes no checklist for the list of what is to do that only repeats what a result has shown', () => {
    const read = step(1, 'Read', { file_path: 'PLAN.md' }, '# Plan\n\n- [x] a\n- [ ] b\n- [ ] c');
    expect(stateOf([...read, assistant(3, 'The plan says:\n- [ ] b\n- [ ] c')]).todos).toBeNull();
    expect(stateOf([...read, assistant(3, 'Now:\n- [x] b\n- [ ] c')]).todos).toMatchObject({
      open: ['c'],
      doneCount: 1,
    });
  });

  it('takes the list that is known for itself also where a result has shown it as it is now', () => {
    const known = assistant(1, 'The plan:\n- [ ] a\n- [~] b');
    const read = step(3, 'bash', { command: 'cat PLAN.md' }, '- [x] a\n- [ ] b');
    expect(stateOf([known, ...read, assistant(5, 'Now:\n- [x] a\n- [ ] b')]).todos).toEqual({
      recallId: 'm5',
      open: ['b'],
      doneCount: 1,
    });
    const later = stateOf([...read, assistant(5, 'Now:\n- [x] a\n- [x] b\n- [ ] c')]);
    expect(stateOf([assistant(7, 'It was:\n- [x] a')], later).todos).toMatchObject({ open: ['c'] });
    const other = step(3, 'bash', { command: 'cat NOTES.md' }, '- [ ] b\n- [ ] c');
    expect(stateOf([known, ...other, assistant(5, 'It says:\n- [ ] b\n- [ ] c')]).todos?.recallId).toBe('m1');
  });

  it('takes no checklist for the newest that only repeats in a later round what a result has shown in an earlier one', () => {
    const read = step(1, 'Read', { file_path: 'PLAN.md' }, '- [ ] a\n- [ ] b');
    const before = stateOf([...read, assistant(3, '- [x] a\n- [x] b\n- [ ] c')]);
    const quoted = [
      assistant(5, 'The old plan said:\n- [ ] a\n- [ ] b'),
      assistant(7, '> - [ ] d\n\n~~~\n- [ ] e\n~~~'),
    ];
    expect(stateOf(quoted, before).todos).toEqual({ recallId: 'm3', open: ['c'], doneCount: 2 });
    expect(stateOf([assistant(5, '- [x] c\n- [ ] d')], before).todos?.recallId).toBe('m5');
  });

  it('never takes a sentence for open work or a decision', () => {
    const state = stateOf([
      assistant(1, 'Let me fix the tests. I see the issue. We decided to use X. TODO: everything.'),
    ]);
    expect(state).toEqual({ todos: null, checks: [], failures: [], files: [] });
  });

  it('lists the files that were written or edited, each at its last change, and none that was only read or failed', () => {
    const state = stateOf([
      ...step(1, 'Write', { file_path: '/shop/a.ts', content: 'export {};' }, 'ok'),
      ...step(3, 'Edit', { file_path: '/shop/b.ts', old_string: 'a', new_string: 'b' }, 'ok'),
      ...step(5, 'Read', { file_path: '/shop/c.ts' }, 'text'),
      ...step(7, 'Edit', { file_path: '/shop/a.ts', old_string: 'x', new_string: 'y' }, 'ok'),
      ...step(
        9,
        'Edit',
        { file_path: '/shop/d.ts', old_string: 'x', new_string: 'y' },
        'Error: not found',
        true,
      ),
      ...step(11, 'apply_patch', { input: '*** Begin Patch\n*** Update File: e.ts\n*** End Patch' }, 'ok'),
    ]);
    expect(state.files).toEqual([
      { path: '/shop/b.ts', recallId: 'm3' },
      { path: '/shop/a.ts', recallId: 'm7' },
      { path: 'e.ts', recallId: 'm11' },
    ]);
  });

  it('lists the file that is open in an editor whose edits name none', () => {
    const shown =
      '[File: src/a.py (9 lines total)]\n1:x\n\n(Open file: /app/src/a.py)\n(Current directory: /app)\nbash-$';
    const edit = { replacement_text: 'x', start_line: 1, end_line: 1 };
    const refused = `Your changes have NOT been applied. Please fix your edit command.\n${shown}`;
    const calls = stateOf([...step(1, 'edit', edit, shown), ...step(3, 'edit', edit, refused)]);
    expect(calls.files).toEqual([{ path: '/app/src/a.py', recallId: 'm1' }]);
    const said = (at: number, action: string, output: string): Entry[] => [
      assistant(at, `I do it.\n\`\`\`\n${action}\n\`\`\``),
      user(at + 1, output),
    ];
    const prompt = 'b.py\n(Open file: /app/b.py)\n(Current directory: /app)\nbash-$';
    const texts = stateOf([
      ...said(1, 'create b.py', prompt),
      ...said(3, 'edit 1:1\nx\nend_of_edit', prompt),
      ...said(5, 'open c.py', prompt.replace('b.py)', 'c.py)')),
      ...said(7, 'edit 1:1\nx\nend_of_edit', `Your changes have NOT been applied.\n${prompt}`),
      ...said(9, 'ls', prompt),
      ...said(11, 'edit 2:3\ny\nend_of_edit', prompt.replace('b.py)', 'c.py)')),
    ]);
    expect(texts.files).toEqual([
      { path: '/app/b.py', recallId: 'm3' },
      { path: '/app/c.py', recallId: 'm11' },
    ]);
  });

  it('goes on with a state that knows no files yet', () => {
    const before: ProvenState = { todos: null, checks: [], failures: [] };
    expect(stateOf(step(1, 'Write', { file_path: 'a.ts', content: 'x' }, 'ok'), before).files).toEqual([
      { path: 'a.ts', recallId: 'm1' },
    ]);
  });
});
