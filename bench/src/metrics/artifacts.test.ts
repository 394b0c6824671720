import { describe, expect, it } from 'vitest';
import { filesOf, pathsNamedIn } from './artifacts.ts';
import { ruleSentencesOf } from './instructions.ts';
import type { CallPart } from '@throughline/core';

function call(input: unknown): CallPart {
  return {
    type: 'call',
    at: [],
    callId: 'c' as CallPart['callId'],
    name: 'edit',
    input: { type: 'value', value: input, at: [] },
  };
}

describe('filesOf', () => {
  it('takes paths of files from arguments that name one, and from patches', () => {
    expect(
      filesOf(
        call({ file_path: 'src/a.ts', edits: [{ path: 'src/b.ts', text: 'see src/c.ts' }], path: 'src' }),
      ),
    ).toEqual(['src/a.ts', 'src/b.ts']);
    expect(filesOf(call('*** Begin Patch\n*** Update File: src/d.ts\n@@\n*** Add File: e.md\n'))).toEqual([
      'src/d.ts',
      'e.md',
    ]);
  });
});

describe('pathsNamedIn', () => {
  it('finds each path of a text once', () => {
    expect(pathsNamedIn('read: src/a.ts, src/b.ts; changed: src/a.ts')).toEqual(['src/a.ts', 'src/b.ts']);
  });
});

describe('ruleSentencesOf', () => {
  it('picks the sentences with a rule in them', () => {
    expect(
      ruleSentencesOf("Fix the bug. Never touch a.yaml! It's only one file.\nDon't push. Thanks."),
    ).toEqual(['Never touch a.yaml!', "It's only one file.", "Don't push."]);
  });
});
