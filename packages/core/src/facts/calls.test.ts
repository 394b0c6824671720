import { describe, expect, it } from 'vitest';
import { asksUser, describeCall } from '../facts/calls.ts';
import { call } from '../../test/summary/builders.ts';
import type { CallPart } from '../transcript/entry.ts';

const described = (name: string, input: unknown) => describeCall(call(name, input) as CallPart);

describe('describeCall', () => {
  it.each([
    ['Read', { file_path: 'src/a.ts', offset: 20, limit: 50 }, 'look', 'Read src/a.ts offset=20 limit=50'],
    ['grep', { pattern: 'foo', path: 'src' }, 'look', 'grep src foo'],
    ['Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y'.repeat(300) }, 'edit', 'Edit a.ts'],
    ['Edit', { file_path: 'a.ts', replace_all: false, new_string: 'y' }, 'edit', 'Edit a.ts new_string=y'],
    ['Edit', { file_path: 'a.ts', replace_all: true, old_string: 'x' }, 'edit', 'Edit a.ts replace_all=true'],
    ['write', { path: 'a.md', content: 'long\ntext' }, 'edit', 'write a.md'],
    [
      'str_replace_based_edit_tool',
      { command: 'create', path: 'a.ts', file_text: 'a\nb' },
      'edit',
      'str_replace_based_edit_tool a.ts command=create',
    ],
    ['str_replace_editor', { command: 'view', path: 'a.ts' }, 'look', 'str_replace_editor a.ts command=view'],
    [
      'str_replace_based_edit_tool',
      { command: 'view', path: `${'deep/'.repeat(20)}a.ts` },
      'look',
      `str_replace_based_edit_tool ${'deep/'.repeat(20)}a.ts command=view`,
    ],
    [
      'str_replace_editor',
      { command: 'str_replace', path: 'a.ts', old_str: 'x', new_str: 'y' },
      'edit',
      'str_replace_editor a.ts command=str_replace new_str=y',
    ],
    ['replace', { file_path: 'a.ts', old_string: 'x', new_string: '' }, 'edit', 'replace a.ts'],
    [
      'create_ticket',
      { title: 'Broken', path: `${'deep/'.repeat(20)}a.ts` },
      'call',
      `create_ticket ${'deep/'.repeat(20)}a.ts title=Broken`,
    ],
    ['create_review_comment', { path: 'a.ts', body: 'nit' }, 'call', 'create_review_comment a.ts body=nit'],
    ['Bash', { command: 'gh pr create --help' }, 'look', '$ gh pr create --help'],
    ['Bash', { command: 'tsx --version && command -v node' }, 'look', '$ tsx --version && command -v node'],
    ['Bash', { command: 'deploy -h example.com' }, 'command', '$ deploy -h example.com'],
    ['Bash', { command: 'cd /srv/app && npm test', description: 'Run tests' }, 'command', '$ npm test'],
    ['shell', { command: ['bash', '-lc', 'rg -n "a|b" src | head'] }, 'look', '$ rg -n "a|b" src | head'],
    [
      'exec_command',
      { cmd: "sed -n '1,20p' a.ts && git status" },
      'look',
      "$ sed -n '1,20p' a.ts && git status",
    ],
    ['shell', { command: "bash -lc 'ls src'" }, 'look', '$ ls src'],
    ['shell', { command: 'bash -lc "sed -n \'1,9p\' \\"a b.ts\\""' }, 'look', '$ sed -n \'1,9p\' "a b.ts"'],
    ['bash', { command: 'cat > a.txt <<EOF\nhi\nEOF' }, 'command', '$ cat > a.txt <<EOF'],
    [
      'bash',
      { command: "cat a.ts && printf '\n--\n' && cat b.ts" },
      'look',
      "$ cat a.ts && printf ' -- ' && cat b.ts",
    ],
    ['bash', { command: 'curl -s https://example.com/x' }, 'look', '$ curl -s https://example.com/x'],
    [
      'bash',
      { command: 'curl -X POST https://example.com/x' },
      'command',
      '$ curl -X POST https://example.com/x',
    ],
    ['book_flight', { user_id: 'u1', cabin: 'economy' }, 'call', 'book_flight user_id=u1 cabin=economy'],
    ['book_flight', { user_id: 'u1', insurance: false }, 'call', 'book_flight user_id=u1 insurance=false'],
  ])('describes %s %j', (name, input, kind, label) => {
    expect(described(name, input)).toMatchObject({ kind, label });
  });

  it('shows what was written, not what it replaced', () => {
    const { content } = described('Edit', {
      file_path: 'a.ts',
      old_string: 'was\nthis',
      new_string: 'is\nthat',
    });
    expect(content).toBe('is\nthat');
  });

  it('tells what a list of edits puts in, without the form of the call around it', () => {
    const pairs = (former: string, next: string) => [
      { [former]: 'const a = 1;', [next]: 'const a = 1;\nconst b = 2;' },
      { [former]: 'return a;', [next]: 'return a + b;' },
    ];
    for (const edits of [pairs('oldText', 'newText'), pairs('old_string', 'new_string')])
      expect(described('edit', { path: 'a.ts', edits })).toMatchObject({
        kind: 'edit',
        label: 'edit a.ts',
        content: 'const b = 2;\nreturn a + b;',
      });
    expect(described('edit', { path: 'a.ts', edits: [{ line: 3 }] }).label).toBe(
      'edit a.ts edits=[{"line":3}]',
    );
  });

  it('names the files of a patch', () => {
    const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch';
    expect(described('apply_patch', patch)).toMatchObject({ kind: 'edit', label: 'apply_patch src/a.ts' });
    expect(described('apply_patch', { input: patch })).toMatchObject({
      kind: 'edit',
      label: 'apply_patch src/a.ts',
    });
  });

  it('survives whatever stands for arguments', () => {
    for (const input of [null, 5, [], 'text', { a: { b: [1] } }, { command: 7 }])
      expect(described('bash', input).label.length).toBeGreaterThan(0);
  });
});

describe('asksUser', () => {
  it.each(['AskUserQuestion', 'ask_followup_question', 'request_user_input', 'question', 'ExitPlanMode'])(
    'knows %s',
    (name) => {
      expect(asksUser(name)).toBe(true);
    },
  );

  it.each(['Task', 'ask_database', 'bash'])('is not fooled by %s', (name) => {
    expect(asksUser(name)).toBe(false);
  });
});
