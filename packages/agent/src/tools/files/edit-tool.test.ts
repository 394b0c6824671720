import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callTool, openBench } from '../../../test/tool-bench.ts';
import { applyEdit, createEditTool } from './edit-tool.ts';

describe('edit', () => {
  it('changes the one place and keeps mark, line ends and characters of the file', async () => {
    const bench = await openBench();
    const path = await bench.put('a.txt', '\ufeffüber\r\nold 😀\r\nend');
    const result = await callTool(createEditTool(bench.workspace), {
      path: 'a.txt',
      oldText: 'old 😀\nend',
      newText: 'new\nend',
    });
    expect(result.text).toBe('Edited a.txt at line 2.');
    expect(readFileSync(path, 'utf8')).toBe('\ufeffüber\r\nnew\r\nend');
  });

  it('says how often, or what is nearest, when the text is not there once', async () => {
    const bench = await openBench();
    await bench.put('a.ts', 'function first() {\n    return 1;\n}\nfunction second() {\n  return 1;\n}\n');
    const edit = createEditTool(bench.workspace);
    const twice = await callTool(edit, { path: 'a.ts', oldText: 'return 1;', newText: 'return 2;' });
    expect(twice.text).toContain('stands 2 times in a.ts, at lines 2, 5');
    const spaces = await callTool(edit, {
      path: 'a.ts',
      oldText: 'function first() {\n  return 1;',
      newText: '',
    });
    expect(spaces.text).toContain(
      'differ only in white space begin at line 1:\n     1\tfunction first() {\n     2\t    return 1;',
    );
    const near = await callTool(edit, { path: 'a.ts', oldText: 'function secondo() {', newText: '' });
    expect(near.text).toContain('nearest lines begin at line 4:\n     4\tfunction second() {');
    const far = await callTool(edit, { path: 'a.ts', oldText: 'zzz', newText: '' });
    expect(far.text).toBe('oldText is not in a.ts; nothing was changed.');
    for (const result of [twice, spaces, near, far]) expect(result.state).toBe('error');
  });

  it('refuses what it would damage', async () => {
    const bench = await openBench();
    await bench.put('latin1', Buffer.from([0x61, 0xe9, 0x62]));
    await bench.put('binary', 'a\0b');
    const edit = createEditTool(bench.workspace);
    const ask = (path: string): ReturnType<typeof callTool> =>
      callTool(edit, { path, oldText: 'a', newText: 'c' });
    expect((await ask('latin1')).text).toContain('is not UTF-8');
    expect((await ask('binary')).text).toContain('is no text file');
    expect((await ask('missing')).text).toContain('does not exist');
    expect((await callTool(edit, { path: 'x', oldText: '', newText: 'c' })).text).toContain('oldText:');
  });
});

const piece = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', 'é', '😀', '\r'), { maxLength: 12 })
  .map((all) => all.join(''));
const once = { replaceAll: false };

describe('applyEdit', () => {
  it('leaves all bytes around the place as they are, whatever the line ends', () => {
    fc.assert(
      fc.property(piece, piece, (before, after) => {
        const text = `${before}<OLD>${after}`;
        const edited = applyEdit(text, { oldText: '<OLD>', newText: 'new', ...once });
        expect(edited).toMatchObject({ type: 'edited', text: `${before}new${after}` });
      }),
    );
  });

  it('finds a place by text with plain line ends and puts in those of the place', () => {
    const text = 'one\r\ntwo\r\nthree\nfour\n';
    expect(applyEdit(text, { oldText: 'one\ntwo', newText: '1\n2', ...once })).toMatchObject({
      text: '1\r\n2\r\nthree\nfour\n',
    });
    expect(applyEdit(text, { oldText: 'three\nfour', newText: '3\r\n4', ...once })).toMatchObject({
      text: 'one\r\ntwo\r\n3\n4\n',
    });
    expect(applyEdit(text, { oldText: 'two', newText: '2\n2a', ...once })).toMatchObject({
      text: 'one\r\n2\r\n2a\r\nthree\nfour\n',
      lines: [2],
    });
  });

  it('counts places that overlap, and replaces all that do not', () => {
    expect(applyEdit('aaa', { oldText: 'aa', newText: 'b', ...once })).toEqual({
      type: 'ambiguous',
      lines: [1, 1],
      count: 2,
    });
    expect(applyEdit('aaaa\naa', { oldText: 'aa', newText: '$&', replaceAll: true })).toEqual({
      type: 'edited',
      text: '$&$&\n$&',
      lines: [1, 1, 2],
    });
  });

  it('does the same as splitting and joining when it replaces all', () => {
    fc.assert(
      fc.property(
        piece.filter((text) => !text.includes('\r')),
        fc.constantFrom('a', 'ab', '\n'),
        (text, oldText) => {
          const edited = applyEdit(text, { oldText, newText: 'x\ny', replaceAll: true });
          expect(edited.type === 'edited' ? edited.text : text).toBe(text.split(oldText).join('x\ny'));
        },
      ),
    );
  });
});
