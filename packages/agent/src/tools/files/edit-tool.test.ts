import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callTool, openBench } from '../../../test/tool-bench.ts';
import { createEditTool } from './edit-tool.ts';

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
