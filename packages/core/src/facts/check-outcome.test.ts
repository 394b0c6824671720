import { describe, expect, it } from 'vitest';
import { answersOf } from '../transcript/exchange.ts';
import { proveState } from './proven-state.ts';
import { step } from '../../test/summary/builders.ts';
import type { Entry } from '../transcript/entry.ts';

const bash = (at: number, command: string, output: string, isError = false): Entry[] =>
  step(at, 'bash', { command }, output, isError);
const outcomes = (...entries: readonly Entry[]): string[] => {
  const { checks, failures } = proveState(entries, answersOf(entries));
  return [...checks, ...failures].map(
    ({ recallId, hasFailed, line }) => `${recallId} ${hasFailed ? '✗' : '✓'} ${line}`,
  );
};

describe('checkOutcome', () => {
  it('leaves a failure as it was where a later run shows chosen lines without a verdict', () => {
    const failed = bash(1, 'npx jest a.test.ts 2>&1 | tail -5', 'Tests: 8 failed, 14 passed');
    const chosen = bash(3, 'npx jest a.test.ts 2>&1 | grep -A 2 "parsed"', 'Parsed 1, 0 valid');
    expect(outcomes(...failed, ...chosen)).toEqual(['m1 ✗ Tests: 8 failed, 14 passed']);
    const nothing = bash(3, 'npx jest a.test.ts 2>&1 | grep "●"', '');
    expect(outcomes(...failed, ...nothing)).toEqual([]);
    const passed = bash(1, 'npx jest a.test.ts', 'Tests: 22 passed');
    expect(outcomes(...passed, ...chosen)).toEqual([]);
  });

  const failedTypes = bash(1, 'npx tsc --noEmit', 'src/a.ts(1,2): error TS2345: Argument of type', true);

  it.each([
    ['npx tsc --noEmit | head -20', ''],
    ['cd /app && npx tsc --noEmit 2>&1 | tail -5', '(no output)'],
    ['npx tsc --noEmit 2>&1 | head -5; echo "--- done"', '--- done'],
    ['tsc --noEmit || true', '(Bash completed with no output)'],
    ['npx tsc --noEmit --pretty 2>&1 | wc -l', '0'],
    ['npx tsc --noEmit 2>&1 | tail -5', 'Found 0 errors.'],
  ])('takes a type check that printed nothing for one that went well: %s', (command, output) => {
    expect(outcomes(...failedTypes, ...bash(3, command, output))).toEqual([expect.stringMatching(/^m3 ✓/)]);
  });

  it('knows a script by the program that it says to run', () => {
    const said = '\n> app@1.0.0 types:check\n> tsc --noEmit\n';
    const failed = bash(1, 'npm run typecheck', 'src/a.ts(1,2): error TS2345: Argument', true);
    const later = bash(3, 'npm run typecheck 2>&1 | tail -9', said);
    expect(outcomes(...failed, ...later)).toEqual([expect.stringMatching(/^m3 ✓/)]);
    const other = bash(3, 'npm run typecheck 2>&1 | tail -9', '\n> app@1.0.0 typecheck\n> ./check.sh\n');
    expect(outcomes(...failed, ...other)).toEqual([expect.stringMatching(/^m1 ✗/)]);
  });

  it.each([
    // npm says nothing of a script that failed: its end is that of what the script ran.
    ['npm test 2>&1 | tail -5', '    expected: 2,\n    operator: "strictEqual",\n    diff: "simple"\n  }'],
    ['npm test 2>&1 | tail -40', '> a@1.0.0 test\n> node run.mjs\n\nError: no server\n    at run.mjs:3'],
    ['make -k check 2>&1 | tail -5', "cc b.c\nmake: Target 'check' not remade because of errors."],
    ['cargo test --no-fail-fast 2>&1 | tail -4', '    `-p a --lib`\n    `-p b --lib`'],
    ['cd packages/x && npx tsc 2>&1 | head -20', 'bash: line 1: cd: packages/x: No such file or directory'],
    ['pnpm build 2>&1 | tail -20', 'bundling\nKilled'],
    ['npx tsc 2>&1 | head -20', 'This is not the tsc command you are looking for'],
    ['npx tsc -p a 2>&1 | head -20; echo "exit ${PIPESTATUS[0]}"', 'exit 2'],
  ])(
    'takes no end of an output for proof where the failure may stand in front of it: %s',
    (command, output) => {
      expect(outcomes(...bash(1, command, output))).toEqual([]);
    },
  );

  it.each([
    ['npx tsc --noEmit', 'src/a.ts(1,2): error TS2345: x'],
    ['make all', 'cc a.c\nmake: *** [Makefile:3: all] Error 1'],
    ['npx eslint .', '✖ 3 problems (3 errors, 0 warnings)'],
  ])('takes no failure for a success where no code and no flag tells how it ended: %s', (command, output) => {
    expect(outcomes(...bash(1, command, output))).toEqual([expect.stringMatching(/^m1 ✗/)]);
    expect(outcomes(...bash(1, command, `Exit code 0\n${output}`))).toEqual([expect.stringMatching(/^m1 ✓/)]);
  });

  it('knows that a script went well of which npm shows all', () => {
    const said = '> a@1.0.0 build\n> node build.mjs\n\nCopied a\nCopied b';
    expect(outcomes(...bash(1, 'npm run build 2>&1 | tail -9', said))).toEqual(['m1 ✓ Copied b']);
    expect(outcomes(...bash(1, 'npm run build 2>&1 | tail -9', 'Copied a\nCopied b'))).toEqual([
      'm1 ✓ Copied b',
    ]);
    expect(outcomes(...bash(1, 'npm run build 2>&1 | tail -4', 'Copied a\nCopied b'))).toEqual([]);
  });

  it('knows that a task went well of which all is shown and no complaint', () => {
    const failed = bash(1, 'npm run build', 'src/a.ts(1,2): error TS2345: Argument', true);
    const said = '> app@1.0.0 build\n> tsc -p . && node copy.mjs\n\n[OK] Copied a\n[OK] Copied b';
    const later = (filter: string, output = said): Entry[] => bash(3, `npm run build 2>&1 ${filter}`, output);
    expect(outcomes(...failed, ...later('| head -50'))).toEqual(['m3 ✓ [OK] Copied b']);
    expect(outcomes(...failed, ...later('| head -n 7'))).toEqual([expect.stringMatching(/^m1 ✗/)]);
    expect(outcomes(...failed, ...later('| tail -n 6'))).toEqual(['m3 ✓ [OK] Copied b']);
    expect(outcomes(...failed, ...later('| tail -n 6 | head -3'))).toEqual([expect.stringMatching(/^m1 ✗/)]);
    const quiet = bash(3, 'npm run build --silent 2>&1 | tail -6', said);
    expect(outcomes(...failed, ...quiet)).toEqual([expect.stringMatching(/^m1 ✗/)]);
    const vet = bash(3, 'go vet ./... 2>&1 | tail -6', '# shop\n./a.go:3:2: undefined: x');
    expect(outcomes(...vet)).toEqual([]);
    const refused = `${said}\nnpm ERR! Lifecycle script failed`;
    expect(outcomes(...failed, ...later('| head -50', refused))).toEqual([expect.stringMatching(/ ✗ /)]);
  });

  it.each([
    ['npx tsc --noEmit 2>&1 | grep error', ''],
    ['npx tsc --noEmit 2>&1 | grep -i "error\\|warning" | head -20', '(no output)'],
    ['npx tsc --noEmit 2>&1 | grep -E "error TS" | head', ''],
    ['npx tsc --noEmit 2>&1 | grep -c "error TS"', '0'],
    ['npx tsc --noEmit 2>&1 | grep error | wc -l', '0'],
    ['npx tsc --noEmit | grep error || echo "No type errors"', 'No type errors'],
  ])('takes a failure back where a filter for failures finds none: %s', (command, output) => {
    expect(outcomes(...failedTypes, ...bash(3, command, output))).toEqual([]);
    expect(outcomes(...failedTypes, ...bash(3, command, `Exit code 1\n${output}`, true))).toEqual([]);
  });

  it('takes an exit code for that of the check where nothing chooses lines', () => {
    expect(outcomes(...bash(1, 'npx tsc --noEmit', 'Exit code 2', true))).toHaveLength(1);
    expect(outcomes(...bash(1, 'set -o pipefail; npx tsc | head', 'Exit code 2', true))).toHaveLength(1);
  });

  it.each([
    ['npx tsc --noEmit 2>&1 | grep foo', ''],
    ['npx tsc --noEmit 2>&1 | grep -v error', ''],
    ['npx tsc --noEmit 2>&1 | grep -q error', ''],
    ['npx tsc --noEmit 2>&1 | grep -c foo', '0'],
    ['npx tsc --noEmit 2>&1 | grep "error in src/b"', ''],
    ['npx tsc --noEmit > errors.txt; echo "done"', 'done'],
    ['npx tsc --noEmit > /dev/null 2>&1; echo $?', '2'],
    ['npx tsc --noEmit | sed -n 1,9p', ''],
    ['npx tsc --noEmit &', ''],
  ])('leaves a failure as it was where a filter proves nothing: %s', (command, output) => {
    expect(outcomes(...failedTypes, ...bash(3, command, output))).toEqual([expect.stringMatching(/^m1 ✗/)]);
  });

  it('takes a failure back that the same filter showed and shows no more', () => {
    const command = 'npx tsc --noEmit --pretty 2>&1 | grep -i "shield\\|footer" | grep -v spec';
    const failed = bash(1, command, 'src/footer.tsx:11:22 - error TS7016: Could not find a declaration');
    expect(outcomes(...failed)).toEqual([expect.stringMatching(/^m1 ✗/)]);
    expect(outcomes(...failed, ...bash(3, command, '(no output)'))).toEqual([]);
    const other = command.replace('footer', 'header');
    expect(outcomes(...failed, ...bash(3, other, '(no output)'))).toHaveLength(1);
  });

  it('does not lose a failure over a later one that a filter for something else shows', () => {
    const whole = bash(1, 'npx tsc --noEmit 2>&1 | head -30', 'src/b.ts(9,1): error TS2344: Type');
    const command = 'npx tsc --noEmit 2>&1 | grep -i "footer"';
    const narrow = bash(3, command, 'src/footer.tsx(11,22): error TS7016: Could not find');
    const first = 'm1 ✗ src/b.ts(9,1): error TS2344: Type';
    expect(outcomes(...whole, ...narrow, ...bash(5, command, ''))).toEqual([first]);
    const errors = bash(3, 'npx tsc --noEmit | grep error', 'src/c.ts(1,1): error TS1005: ; expected');
    expect(outcomes(...whole, ...errors)).toEqual(['m3 ✗ src/c.ts(1,1): error TS1005: ; expected']);
    expect(outcomes(...whole, ...narrow, ...bash(5, 'npx tsc --noEmit', ''))).toEqual(['m5 ✓ ']);
  });

  it('takes a failure of what always prints something back by no silence', () => {
    const failed = bash(1, 'npx jest', 'Tests: 8 failed, 14 passed', true);
    expect(outcomes(...failed, ...bash(3, 'npx jest 2>&1 | tail -3', ''))).toHaveLength(1);
    expect(outcomes(...failed, ...bash(3, 'npx jest 2>&1 | grep error', ''))).toHaveLength(1);
    expect(outcomes(...failed, ...bash(3, 'npx jest 2>&1 | grep "✕"', ''))).toEqual([]);
  });

  it.each([
    ['mise run lint', '0 issues.'],
    ['just test', '9 passed'],
    ['npm run format:check', 'ok'],
    ['npx prettier --check docs/a.md', 'All matched files use Prettier code style!'],
    ['golangci-lint run ./...', '0 issues.'],
  ])('takes %s for a check', (command, output) => {
    expect(outcomes(...bash(1, command, output))).toEqual([`m1 ✓ ${output}`]);
  });

  it.each(['npx prettier --write a.md', 'bunx biome format --write a.ts', 'ruff format .', 'mise run fmt'])(
    'takes %s for none: it edits',
    (command) => {
      expect(outcomes(...bash(1, command, 'Formatted 5 files'))).toEqual([]);
    },
  );

  it('tells the first place that a compiler names, and how many it names: the others often follow from it', () => {
    const output =
      "src/a.ts(633,23): error TS2551: Property 'b' does not exist.\nsrc/a.ts(729,37): error TS7006: any.\nFound 2";
    expect(outcomes(...bash(1, 'npm run build', output, true))).toEqual([
      "m1 ✗ 2 places, the first: src/a.ts(633,23): error TS2551: Property 'b' does not exist.",
    ]);
  });

  it('tells a failure by the verdict, not by the name of a test that passed', () => {
    const output = 'FAIL tests/a.test.ts\n  ✓ returns nothing when the output is invalid JSON (7 ms)';
    expect(outcomes(...bash(1, 'npx jest | grep -A 9 "FAIL"', output))).toEqual([
      'm1 ✗ FAIL tests/a.test.ts',
    ]);
    expect(outcomes(...bash(1, 'npx jest', `${output}\n  ✓ fails early`, true))).toEqual([
      'm1 ✗ FAIL tests/a.test.ts',
    ]);
  });

  it.each([
    [
      './ci.sh',
      'running\nRESULT: FAIL  (0/1 scored, mean: 0%)\nsaved',
      '✗ RESULT: FAIL (0/1 scored, mean: 0%)',
    ],
    ['zig build check', 'test result: ok. 3 passed; 0 failed', '✓ test result: ok. 3 passed; 0 failed'],
    ['python run_eval.py', '== 2 failed, 9 passed in 3 s ==', '✗ == 2 failed, 9 passed in 3 s =='],
  ])(
    'knows %s by the verdict of a runner that it prints, whatever its exit code',
    (command, output, told) => {
      expect(outcomes(...bash(1, command, output))).toEqual([`m1 ${told}`]);
    },
  );

  it('takes neither a commit whose hook prints a verdict nor a repair of the layout for a check', () => {
    expect(outcomes(...bash(1, 'git commit -m "x"', 'Tests: ok\n9 passed, 0 failed'))).toEqual([]);
    expect(outcomes(...bash(1, 'npm run lint:fix', 'Found 1 warning.'))).toEqual([]);
    expect(outcomes(...bash(1, 'npm run lint', 'Found 1 warning.'))).toEqual(['m1 ✓ Found 1 warning.']);
  });

  it.each([
    ['npm test', ' ✓ parses "2 failed" line\n Tests 9 passed (9)', '✓'],
    ['npm test 2>&1 | tail -20', ' ✓ reports 2 errors in the list\n Tests 10 passed (10)', '✓'],
    ['npx eslint . | tail', '✖ 3 problems (0 errors, 3 warnings)', '✓'],
    [
      'cargo test --no-fail-fast 2>&1 | tail -50',
      'test result: FAILED. 3 passed; 1 failed\ntest result: ok. 3 passed; 0 failed',
      '✗',
    ],
  ])('is not misled by what stands beside the verdict: %s, %j', (command, output, told) => {
    expect(outcomes(...bash(1, command, output)).map((line) => line.slice(3, 4))).toEqual([told]);
  });

  it.each([
    ['node a.js', 'Result: fail-safe mode on'],
    ['psql', 'result: password changed'],
    ['node a.js', 'Result: passport.js loaded'],
    ['docker logs ci', '2 failed, 9 passed'],
    ['curl -X POST http://ci', 'Verdict: FAIL'],
    ['npm i && git commit -m x', 'Tests: ok\n9 passed, 0 failed'],
  ])('takes nothing else for a verdict: %s, %j', (command, output) => {
    expect(outcomes(...bash(1, command, output))).toEqual([]);
  });

  it('adds up the verdicts of targets: the last one is often that of no tests', () => {
    const targets = [
      'test result: ok. 35 passed; 0 failed; finished in 0.20s',
      'test result: ok. 4 passed; 0 failed; finished in 0.01s',
      '   Doc-tests leeson',
      'test result: ok. 0 passed; 0 failed; finished in 0.00s',
    ];
    expect(outcomes(...bash(1, 'cargo test', targets.join('\n')))).toEqual([
      'm1 ✓ test result: ok. 39 passed in 3 targets',
    ]);
    expect(outcomes(...bash(1, 'cargo test', targets.slice(0, 1).join('\n')))).toEqual([
      `m1 ✓ ${targets[0]}`,
    ]);
  });

  it('says nothing behind a check that printed nothing but its own command', () => {
    expect(outcomes(...bash(1, 'bun run typecheck', '$ tsc --noEmit\n'))).toEqual(['m1 ✓ ']);
  });
});
