import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseSplitter } from './sse-splitter.ts';
import type { SseEvent } from './sse-splitter.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (events: readonly SseEvent[]): string =>
  Buffer.concat(events.map((event) => event.bytes)).toString();

function split(
  stream: Uint8Array,
  cuts: readonly number[] = [],
  maxEventBytes?: number,
): readonly SseEvent[] {
  const splitter = new SseSplitter(maxEventBytes === undefined ? {} : { maxEventBytes });
  const borders = [
    0,
    ...cuts.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b),
    stream.length,
  ];
  const events = borders.slice(1).flatMap((end, index) => splitter.push(stream.slice(borders[index], end)));
  const rest = splitter.end();
  return rest ? [...events, rest] : events;
}

const told = ({ name, data, isComment, isBroken, bytes: own }: SseEvent): object => ({
  name,
  data,
  isComment,
  isBroken,
  text: Buffer.from(own).toString('latin1'),
});

describe('SseSplitter', () => {
  it.each([
    ['line feeds', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['carriage returns with line feeds', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['carriage returns alone', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['mixed line ends', 'data: a\n\r\ndata: b\r\n\n', ['a', 'b']],
    ['data in several lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['no space behind the colon', 'data:a\n\n', ['a']],
    ['a space that belongs to the data', 'data:  a\n\n', [' a']],
    ['a field without a colon', 'data\n\n', ['']],
    ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['fields that say nothing here', 'id: 7\nretry: 3\ndata: a\n\n', ['a']],
  ])('reads %s', (_, stream, data) => {
    const events = split(bytes(stream));
    expect(events.map((event) => event.data)).toEqual(data);
    expect(events.some((event) => event.isBroken ?? event.isComment)).toBe(false);
    expect(text(events)).toBe(stream);
  });

  it('tells the name of an event', () => {
    expect(split(bytes('event: ping\ndata: {}\n\n'))[0]).toMatchObject({ name: 'ping', data: '{}' });
  });

  it('tells comments and further blank lines as events that say nothing', () => {
    const events = split(bytes(': waiting\n\n\ndata: a\n\n'));
    expect(events.map((event) => event.isComment)).toEqual([true, true, false]);
  });

  it('tells an event in the moment its blank line is there', () => {
    const splitter = new SseSplitter();
    expect(splitter.push(bytes('data: a\n'))).toEqual([]);
    expect(splitter.push(bytes('\nda')).map(({ data }) => data)).toEqual(['a']);
    expect(splitter.push(bytes('ta: b\r\r')).map(({ data }) => data)).toEqual(['b']);
    expect(splitter.push(bytes('data: c\r\n\r'))).toEqual([]);
    expect(splitter.push(bytes('\n')).map(({ data }) => data)).toEqual(['c']);
  });

  it('tells what is left at the end as broken', () => {
    expect(split(bytes('data: a\n\ndata: {"b'))[1]).toMatchObject({ data: '{"b', isBroken: true });
    expect(split(bytes('data: a\r\n\r'))).toMatchObject([{ data: 'a' }]);
    expect(split(bytes('data: a\r\n\r'))[0]?.isBroken).toBeUndefined();
  });

  it('lets an event that is too large pass unread, in pieces, and reads the next', () => {
    const stream = bytes(`data: ${'x'.repeat(100)}\n\ndata: b\n\n`);
    const events = split(stream, [20, 40, 60, 90], 32);
    expect(events.slice(0, -1).every(({ isPiece, data }) => isPiece && data === '')).toBe(true);
    expect(events.at(-1)).toMatchObject({ data: 'b' });
    expect(Buffer.concat(events.map((event) => event.bytes)).equals(stream)).toBe(true);
  });

  it('holds no more than an event may be large', () => {
    const splitter = new SseSplitter({ maxEventBytes: 64 });
    for (let round = 0; round < 100; round += 1) splitter.push(bytes('x'.repeat(50)));
    expect(splitter.end()?.bytes.length ?? 0).toBeLessThanOrEqual(64);
  });

  const line = fc.oneof(
    fc.constantFrom(
      'data: {"a":"é😀"}',
      'data:',
      'event: x',
      ': note',
      '',
      'data: [DONE]',
      'id: 1',
      '\uFEFFdata: y',
    ),
    fc.string({ unit: 'grapheme' }).map((value) => `data: ${value}`),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r', '')), {
      maxLength: 12,
    })
    .map((lines) => bytes(lines.flat().join('')));

  it('tells the same events in whatever chunks the bytes come, and gives back exactly the bytes', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), (whole, cuts) => {
        const events = split(whole, cuts);
        expect(events.map(told)).toEqual(split(whole).map(told));
        expect(events.map(told)).toEqual(split(whole, [...whole.keys()]).map(told));
        expect(Buffer.concat(events.map((event) => event.bytes)).equals(whole)).toBe(true);
      }),
    );
  });
});
