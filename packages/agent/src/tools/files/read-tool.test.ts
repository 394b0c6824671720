import { open } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callTool, openBench } from '../../../test/tool-bench.ts';
import { createReadTool } from './read-tool.ts';

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('read', () => {
  it('numbers the lines, and says where to go on', async () => {
    const bench = await openBench();
    await bench.put('a.txt', 'one\ntwo\r\nthree\nfour');
    const read = createReadTool(bench.workspace);
    expect((await callTool(read, { path: 'a.txt' })).text).toBe(
      '     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour',
    );
    expect((await callTool(read, { path: 'a.txt', offset: 2, limit: 2 })).text).toBe(
      '     2\ttwo\n     3\tthree\n[lines 2–3 of 4; go on with offset 4]',
    );
    expect((await callTool(read, { path: 'a.txt', offset: 9 })).text).toBe(
      'a.txt has 4 lines; there is no line 9.',
    );
    await bench.put('empty', '');
    expect((await callTool(read, { path: 'empty' })).text).toBe('(empty is empty)');
  });

  it('shows all lines of any text, piece by piece', async () => {
    const bench = await openBench();
    const read = createReadTool(bench.workspace);
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\n\r\0]/g, ''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (lines, limit) => {
          await bench.put('b.txt', `${lines.join('\n')}\n`);
          const shown: string[] = [];
          for (let offset = 1; offset <= lines.length; offset += limit) {
            const { text } = await callTool(read, { path: 'b.txt', offset, limit });
            shown.push(
              ...text
                .split('\n')
                .filter((one) => /^ *\d+\t/.test(one))
                .map((one) => one.replace(/^ *\d+\t/, '')),
            );
          }
          expect(shown).toEqual(lines);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('cuts long lines and stops before the output is too long', async () => {
    const bench = await openBench();
    await bench.put('long', `${'x'.repeat(300_000)}\nshort\n`);
    const read = createReadTool(bench.workspace);
    const { text, truncated } = await callTool(read, { path: 'long' });
    expect(text).toContain('[… line cut, it has 300000 characters …]\n     2\tshort');
    expect(truncated).toBe(false);
    await bench.put('many', `${'y'.repeat(1_000)}\n`.repeat(1_000));
    const many = await callTool(read, { path: 'many' });
    expect(many.text.length).toBeLessThanOrEqual(120_000);
    expect(many.truncated).toBe(false);
    expect(many.text).toMatch(/\[lines 1–11\d of 1000; go on with offset 11\d\]$/);
  });

  it('reads the start of a huge file in bounded memory', async () => {
    const bench = await openBench();
    const path = await bench.put('huge', 'first line\n');
    const handle = await open(path, 'r+');
    // A hole: it reads as zeros after the text, without a line break.
    await handle.truncate(3 * 1024 * 1024 * 1024);
    await handle.write('\n'.repeat(20_000), 11);
    await handle.close();
    const { text } = await callTool(createReadTool(bench.workspace), { path: 'huge', limit: 1 });
    expect(text).toMatch(/^ {5}1\tfirst line\n\[lines 1–1 of more than \d+; go on with offset 2\]$/);
  });

  it('gives images as media and names what is not text', async () => {
    const bench = await openBench();
    const read = createReadTool(bench.workspace);
    await bench.put('dot.png', Buffer.from(onePixel, 'base64'));
    expect((await callTool(read, { path: 'dot.png' })).content[1]).toEqual({
      type: 'media',
      mediaType: 'image/png',
      source: { type: 'base64', data: onePixel },
      filename: 'dot.png',
    });
    await bench.put('big.png', Buffer.concat([Buffer.from(onePixel, 'base64'), Buffer.alloc(6_000_000)]));
    expect(await callTool(read, { path: 'big.png' })).toMatchObject({ state: 'error' });
    await bench.put('x.pdf', '%PDF-1.7');
    expect((await callTool(read, { path: 'x.pdf' })).text).toBe('x.pdf is not text: PDF document, 8 bytes.');
    await bench.put('x.bin', 'a\0b');
    expect((await callTool(read, { path: 'x.bin' })).text).toBe('x.bin is not text: binary file, 3 bytes.');
  });
});
