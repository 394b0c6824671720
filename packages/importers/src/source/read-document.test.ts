import { ContextError } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { readDocument } from './read-document.ts';
import type { DocumentLimits, ReadDocument } from './read-document.ts';

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

function read(text: string, limits?: DocumentLimits): Promise<ReadDocument> {
  return readDocument(inPieces(text), 'log.jsonl', limits);
}

async function errorOf(text: string, limits?: DocumentLimits): Promise<ContextError<'unreadable-file'>> {
  const error: unknown = await read(text, limits).catch((caught: unknown) => caught);
  if (!ContextError.is(error, 'unreadable-file')) throw new Error(`no such error: ${String(error)}`);
  return error;
}

function linesOf({ document }: ReadDocument): unknown[] {
  return document.type === 'lines' ? document.lines.map(({ value }) => value) : [];
}

describe('readDocument', () => {
  it('reads JSONL with blank lines, comments, a byte order mark and CRLF', async () => {
    const { document, notes } = await read('\uFEFF// note\r\n\r\n{"a":1}\r\n  \r\n// more\r\n{"b":"ü"}\r\n');
    expect(document).toMatchObject({ type: 'lines', lineEnd: '\r\n', finalEnd: '\r\n' });
    expect(linesOf({ document, notes })).toEqual([{ a: 1 }, { b: 'ü' }]);
    expect(document.type === 'lines' && document.lines.map(({ number }) => number)).toEqual([3, 6]);
    expect(notes).toEqual([]);
  });

  it('reads one JSON value over many lines and keeps its text', async () => {
    const text = '{\n  "messages": [\n  ]\n}\n';
    expect(await read(text)).toEqual({
      document: { type: 'json', text, value: { messages: [] } },
      notes: [],
    });
  });

  it('leaves out a last line that is cut off, and says where', async () => {
    const result = await read('{"a":1}\n{"a":2}\n{"a":"thr');
    expect(linesOf(result)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(result.notes).toEqual([{ line: 3, note: 'the file ends inside this line; it was left out' }]);
  });

  it('leaves out broken lines in the middle, with a note each, and counts those beyond twenty', async () => {
    const result = await read(`{"a":1}\n${'{broken\n'.repeat(25)}{"a":2}\n`);
    expect(linesOf(result)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(result.notes).toHaveLength(21);
    expect(result.notes[0]).toEqual({ line: 2, note: 'not valid JSON at column 2; the line was left out' });
    expect(result.notes[20]?.note).toContain('5 more lines');
  });

  it('reads on behind a broken first line', async () => {
    const result = await read('{"cut": "of\n{"a":1}\n{"a":2}\n');
    expect(linesOf(result)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(result.notes).toEqual([{ line: 1, note: 'not valid JSON at column 12; the line was left out' }]);
  });

  it('reads two values that were written into one line as two lines, and says so', async () => {
    const result = await read('{"a":1}\n{"a":2}{"a":3}\n{"a":4}{"a":5}{"a"\n{"a":6}\n');
    expect(linesOf(result)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }, { a: 5 }, { a: 6 }]);
    expect(result.document).toMatchObject({ lines: { 1: { number: 2, text: '{"a":2}' } } });
    expect(result.notes).toEqual([
      { line: 2, note: '2 values stand one after another here; each is read as a line of its own' },
      {
        line: 3,
        note: '2 values stand one after another here, and then what is not valid JSON; that was left out',
      },
    ]);
  });

  it.each([
    ['laid out over many lines', '{\n  "a": 1\n}\n{\r\n  "a": 2\r\n}\n', [1, 4]],
    ['with a comma behind each', '{ "a": 1 },\n{ "a": 2 },\n', [1, 2]],
    ['without any line break', '{ "a": 1 }{ "a": 2 }', [1, 1]],
    ['with carriage returns only', '{ "a": 1 }\r{ "a": 2 }\r', [1, 1]],
    ['with the zeros of a crash between', '{ "a": 1 }\n\0\0{ "a": 2 }\n', [1, 2]],
  ])('reads values %s as lines', async (_, text, numbers) => {
    const { document } = await read(text);
    expect(document).toMatchObject({
      type: 'lines',
      lines: numbers.map((number, index) => ({
        number,
        text: `{ "a": ${index + 1} }`,
        value: { a: index + 1 },
      })),
    });
  });

  it('reads a log whose front was cut off, and says what is missing', async () => {
    const result = await read('t of a line"}\n{"a":1}\n{"a":2}\n');
    expect(linesOf(result)).toEqual([{ a: 1 }, { a: 2 }]);
    expect(result.notes).toEqual([{ line: 1, note: 'not valid JSON at column 1; the line was left out' }]);
    expect((await errorOf('# Notes\n{"a":1}\nmore\n')).details).toMatchObject({ line: 1 });
  });

  it.each([
    ['', 'the file is empty', undefined],
    ['\n\n  \n// only a comment\n', 'the file is empty', undefined],
    ['PK\u0003\u0004\u0000\u0000', 'not UTF-8 text', 1],
    ['\uFFFD\uFFFD[\u0000{\u0000', 'save it as UTF-8', 1],
    ['[\u0000{\u0000"\u0000', 'UTF-16', 1],
    ['\n# A heading\n', 'neither JSON nor JSONL', 2],
    ['{"messages": [\n{"role": "user",\n"content": "cut o', 'cut off', 3],
    ['{\n"a": 1,\n"b": oops\n}', 'not valid JSON', 3],
  ])('refuses %j and names the line', async (text, reason, line) => {
    const { details, message } = await errorOf(text);
    expect(details.file).toBe('log.jsonl');
    expect(details.reason).toContain(reason);
    expect(details.line).toBe(line);
    expect(message).toContain('log.jsonl');
  });

  it.each([
    ['{\n"a": 1,\n"b": oops\n}', 'line 3, column 6'],
    ['{\r\n  "a": [1,, 2]\r\n}', 'line 2, column 11'],
    ['[1, 2', 'line 1'],
    ['\n{"a" 1}', 'line 2, column 6'],
  ])('names the line and the column where %j stops being JSON', async (text, place) => {
    expect((await errorOf(text)).message).toContain(`log.jsonl: ${place}: `);
  });

  it('refuses what is above its limits, with the numbers', async () => {
    const limits = { maxJsonChars: 2_000_000, maxLinesChars: 3_000_000 };
    const value = `{"a":"${'x'.repeat(1_000_000)}"}\n`;
    expect((await errorOf(`{\n"a": [\n${'"x",\n'.repeat(500_000)}`, limits)).details.reason).toContain(
      '2 million',
    );
    expect((await errorOf(value.repeat(4), limits)).details.reason).toContain('3 million');
    expect((await errorOf(`{"a":"${'x'.repeat(3_000_000)}"}`, limits)).details.line).toBe(1);
    expect(linesOf(await read(value.repeat(2), limits))).toHaveLength(2);
  });

  it('reads a value that is nested a hundred thousand levels deep', async () => {
    const depth = 100_000;
    const { document } = await read(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(document.type).toBe('lines');
  });
});
