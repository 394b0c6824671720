import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFile } from './read-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'throughline-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function read(content: Uint8Array): Promise<{ text: string; notes: unknown[] }> {
  const file = path.join(folder, 'log.jsonl');
  await writeFile(file, content);
  const { chunks, notes } = readFile(file);
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return { text, notes };
}

describe('readFile', () => {
  it('reads UTF-8 across the borders of its pieces', async () => {
    const text = 'é漢🙂\n'.repeat(200_000);
    const result = await read(Buffer.from(text));
    expect(result.text === text).toBe(true);
    expect(result.notes).toEqual([]);
  });

  it('replaces bytes that are not UTF-8 and says where the first ones are', async () => {
    const { text, notes } = await read(Buffer.from([0x7b, 0x0a, 0x7d, 0x0a, 0xff, 0xfe, 0x0a]));
    expect(text).toBe('{\n}\n\uFFFD\uFFFD\n');
    expect(notes).toEqual([{ line: 3, note: expect.stringContaining('not UTF-8') as string }]);
  });

  it.each([
    ['UTF-16LE', (text: string) => Buffer.from(text, 'utf16le')],
    ['UTF-16BE', (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ])('reads %s that starts with its byte order mark, and says so', async (name, encode) => {
    const text = '{"a": "é漢🙂"}\n'.repeat(100_000);
    const result = await read(encode(`\uFEFF${text}`));
    expect(result.text === text).toBe(true);
    expect(result.notes).toEqual([{ note: `read as ${name}; it is written as UTF-8` }]);
    const cut = await read(encode(`\uFEFF${text}`).subarray(0, -3));
    expect(cut.notes[1]).toEqual({ line: 100_000, note: expect.stringContaining(`not ${name}`) as string });
  });

  it('takes a replacement character that is in the file for what it is', async () => {
    expect((await read(Buffer.from('{"a":"\uFFFD"}'))).notes).toEqual([]);
  });

  it('notes a character that the end of the file cuts', async () => {
    const { text, notes } = await read(Buffer.from([0x61, 0xe6, 0xbc]));
    expect(text).toBe('a\uFFFD');
    expect(notes).toHaveLength(1);
  });

  it.each([
    ['gzip', [0x1f, 0x8b, 0x08, 0x00]],
    ['zip archive', [0x50, 0x4b, 0x03, 0x04, 0x14]],
    ['SQLite', [...Buffer.from('SQLite format 3\0'), 0x10]],
  ])('says of a packed file what it is: %s', async (name, bytes) => {
    await expect(read(Buffer.from(bytes))).rejects.toThrow(name);
  });

  it.each([
    ['missing.jsonl', 'there is no such file'],
    ['.', 'this is a folder'],
  ])('rejects %s with a sentence', async (name, reason) => {
    const { chunks } = readFile(path.join(folder, name));
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toThrow(reason);
  });
});
