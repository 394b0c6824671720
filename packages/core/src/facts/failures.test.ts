import { describe, expect, it } from 'vitest';
import { isFailedCall, isFailedResult, lastErrorLine, tellsFailedOutput } from '../facts/failures.ts';
import type { CallId, CallPart, ResultPart } from '../transcript/entry.ts';

const callId = 'c1' as CallId;

const resultOf = (text: string, isError = false): ResultPart => ({
  type: 'result',
  at: [],
  callId,
  isError,
  pieces: [{ type: 'text', at: [], text }],
});

const bash: CallPart = {
  type: 'call',
  at: [],
  callId,
  name: 'bash',
  input: { type: 'value', at: [], value: {} },
};

const edit: CallPart = {
  ...bash,
  name: 'edit',
  input: { type: 'value', at: [], value: 'edit 3:5\n  return;\nend_of_edit' },
};

describe('isFailedCall', () => {
  it.each([
    'Your proposed edit has introduced new syntax error(s).\nYour changes have NOT been applied. Please fix it.',
    'No replacement was performed, old_str `x` did not appear verbatim in a.ts.',
    `[File: a.ts]\n${'1:code\n'.repeat(200)}\nThe edit was not applied.`,
  ])('knows that an edit was refused by what the editor says: %j', (said) => {
    expect(isFailedCall(edit, resultOf(said))).toBe(true);
    expect(isFailedCall(bash, resultOf(said))).toBe(false);
  });

  it('takes the same words in a line of the file for no refusal', () => {
    for (const said of [
      'File updated.\n3: # changes were not applied\n4: x',
      "The file has been updated.\n@@ -1 +1 @@\n+  log('No changes were made');",
      '2 | The patch has not been applied upstream.',
      'Updated a.ts. Formatter ran: no changes were made.',
    ])
      expect(isFailedCall(edit, resultOf(said))).toBe(false);
    expect(tellsFailedOutput('All formatted: no changes were made.')).toBe(false);
    expect(tellsFailedOutput('help = "\n  exit code: 2"')).toBe(false);
  });
});

describe('isFailedResult', () => {
  it.each([
    ['its flag', resultOf('done', true)],
    ['the exit code of a command', resultOf('Exit code 2\nmake failed')],
    ['how its text begins', resultOf('Traceback (most recent call last):\n  File "a.py"')],
  ])('goes by %s', (_name, part) => {
    expect(isFailedResult(part, bash)).toBe(true);
  });

  it('says the same whoever has asked before', () => {
    const text = 'Error: none\nexit code 0';
    const [first, second] = [resultOf(text), resultOf(text)];
    const withCall = isFailedResult(first, bash);
    const without = isFailedResult(first);
    expect([isFailedResult(second), isFailedResult(second, bash)]).toEqual([without, withCall]);
    expect(withCall).not.toBe(without);
  });

  it.each([
    '{"error": "SMTP relay refused"}',
    '{"id": 4, "ok": false, "message": "unsupported media type"}',
    '{"success": false, "errors": [{"code": "LOCKED"}]}',
    'apply_patch verification failed: Failed to find expected lines',
  ])('goes by what an interface answers: %s', (text) => {
    expect(isFailedResult(resultOf(text), { ...bash, name: 'publish_page' })).toBe(true);
  });

  it.each([
    ['check_availability', '{"success": false, "reason": "no seats left"}', false],
    ['mcp__shop__find_user', '{"ok": false, "message": "nobody of that name"}', false],
    ['check_availability', '{"success": false, "error": "the service is down"}', true],
    ['find_or_create_user', '{"ok": false, "message": "nobody of that name"}', true],
    ['publish_page', '{"ok": false, "message": "unsupported media type"}', true],
  ])(
    'takes for an answer that a lookup says no, and not that it could not: %s %s',
    (name, text, hasFailed) => {
      expect(isFailedResult(resultOf(text), { ...bash, name })).toBe(hasFailed);
    },
  );

  it('does not take an empty error, what stands in a file or what a command prints for a failure', () => {
    const publish = { ...bash, name: 'publish_page' };
    for (const text of ['{"ok": true, "error": ""}', '{"error": null, "id": 4}', '{"errors": [], "id": 4}'])
      expect(isFailedResult(resultOf(text), publish)).toBe(false);
    const error = resultOf('{"error": "no such page"}');
    expect(isFailedResult(error, { ...bash, name: 'read_file' })).toBe(false);
    expect(isFailedResult(error, bash)).toBe(false);
  });

  it('names the last line that says what went wrong', () => {
    expect(lastErrorLine(resultOf('compiling\nerror TS2304: no name\nin 3 s\n'))).toBe(
      'error TS2304: no name',
    );
  });

  it('keeps the spaces in the line, and is one line whatever breaks it', () => {
    const text = 'start\r\nERR_FAIL  worker@1: `tsc`\u2028 and more\r\nbye';
    expect(lastErrorLine(resultOf(text))).toBe('ERR_FAIL  worker@1: `tsc`  and more');
  });

  it('leaves out the tags around a complaint', () => {
    const text = '<tool_use_error>String to replace not found in file.\nString: if (a) {\n}</tool_use_error>';
    expect(lastErrorLine(resultOf(text, true))).toBe('String to replace not found in file.');
  });
});

describe('the line of a failure', () => {
  it.each([
    [
      'sh: cannot cd to build_release\nmake: *** [Makefile:192: build] Error 2',
      'sh: cannot cd to build_release',
    ],
    [
      'npm ERR! Missing script: "check"\nnpm ERR! A complete log of this run can be found in: /home/ada/.npm/_logs/x.log',
      'npm ERR! Missing script: "check"',
    ],
    ['src/a.ts: error TS1: no\n ELIFECYCLE  Command failed with exit code 2.', 'src/a.ts: error TS1: no'],
    ['error TS1: no\nerror Command failed with exit code 1.', 'error TS1: no'],
    ['make: *** [Makefile:3: all] Error 2', 'make: *** [Makefile:3: all] Error 2'],
    ['ERROR:\nParameter `old_str` is required.', 'ERROR: Parameter `old_str` is required.'],
  ])('says why, not only that: %j', (said, line) => {
    expect(lastErrorLine(resultOf(said, true))).toBe(line);
  });
});

describe('the line of a failed run of tests', () => {
  it.each([
    [
      "--- FAIL: TestPdf (0.00s)\n    pdf_test.go:88: missing text 'Gutschrift'\nFAIL\nFAIL\tbilling/pdf\t0.4s\nFAIL",
      "pdf_test.go:88: missing text 'Gutschrift'",
    ],
    [
      '=== FAILURES ===\n>       assert f() == 2\nE       assert 1 == 2\ntest_a.py:12: AssertionError\n======= 1 failed in 0.1s =======',
      'E       assert 1 == 2',
    ],
    [
      ' FAIL  src/a.test.ts > adds\nAssertionError: expected 2 to be 3\n ❯ src/a.test.ts:4:5\n Tests  1 failed | 3 passed (4)',
      'AssertionError: expected 2 to be 3',
    ],
    ['--- FAIL: TestOne (0.00s)\nFAIL\nexit status 1\nFAIL\tbilling\t0.4s', '--- FAIL: TestOne (0.00s)'],
  ])('is the first that says why: %j', (output, line) => {
    expect(lastErrorLine(resultOf(output, true))).toBe(line);
  });

  it.each([
    ['The term x is wrong\n<shellId: 4 completed with exit code 1>', 'The term x is wrong'],
    ['time.Now is forbidden\n[exit code: 0]', 'time.Now is forbidden'],
    ['no such table: users\n</persisted-output>', 'no such table: users'],
    ['Unexpected token\n==== ERRORS ====\nFAIL', 'Unexpected token'],
    ['======== 2 errors in 0.2s ========', '2 errors in 0.2s'],
    ['FAIL', 'FAIL'],
  ])('is no ruler, tag or bare verdict where anything else stands there: %j', (output, line) => {
    expect(lastErrorLine(resultOf(output, true))).toBe(line);
  });

  it('is not looked for in other outputs', () => {
    const output = 'E  first\na.ts:1: here\nerror: the last one says it';
    expect(lastErrorLine(resultOf(output, true))).toBe('error: the last one says it');
  });
});
