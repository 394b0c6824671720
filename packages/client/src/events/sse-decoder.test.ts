import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseDecoder, sseEventsOf } from './sse-decoder.ts';
import type { SseEvent } from './sse-decoder.ts';

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
/** Any text without line ends, as a line of data may have it. */
const lineText = fc
  .string({ unit: 'binary', maxLength: 12 })
  .map((text) => text.toWellFormed().replace(/[\r\n]/g, '·'));
/** A name that is no type of its own and has no blank in front. */
const word = fc.stringMatching(/^[a-z][a-z:-]{0,8}$/);

interface Written {
  readonly type?: string | undefined;
  readonly lines: readonly string[];
  readonly id?: string | undefined;
  readonly comment: boolean;
}

const written: fc.Arbitrary<Written> = fc.record({
  type: fc.option(word, { nil: undefined }),
  lines: fc.array(lineText, { minLength: 1, maxLength: 4 }),
  id: fc.option(fc.nat().map(String), { nil: undefined }),
  comment: fc.boolean(),
});

/** A stream, each line with an end of its own, and what stands in it. */
const stream = fc
  .tuple(fc.array(written, { maxLength: 6 }), fc.infiniteStream(lineEnd), fc.boolean())
  .map(([events, ends, hasMark]) => {
    let text = hasMark ? '\u{feff}' : '';
    let lastEventId = '';
    const expected: SseEvent[] = [];
    const line = (content: string): void => {
      const end = ends.next().value as string;
      // A carriage return before an empty line that ends in a line feed would be one line end, not two.
      const isJoined = text.endsWith('\r') && content === '' && end === '\n';
      text += `${content}${isJoined ? '\r\n' : end}`;
    };
    for (const { type, lines, id, comment } of events) {
      if (comment) line(': nothing');
      if (type !== undefined) line(`event: ${type}`);
      if (id !== undefined) line(`id:${id}`);
      for (const one of lines) line(`data: ${one}`);
      line('');
      lastEventId = id ?? lastEventId;
      expected.push({ type: type ?? 'message', data: lines.join('\n'), lastEventId });
    }
    return { bytes: new TextEncoder().encode(text), expected };
  });

async function collect(pieces: readonly Uint8Array[]): Promise<readonly SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const event of sseEventsOf(ReadableStream.from(pieces))) events.push(event);
  return events;
}

describe('the reader of server-sent events', () => {
  it('reads what was written, with whatever line ends, in whatever pieces it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(
        stream,
        fc.array(fc.nat(400), { maxLength: 12 }),
        async ({ bytes, expected }, cuts) => {
          const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
            (a, b) => a - b,
          );
          const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end));
          expect(await collect(pieces)).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('reads the same byte by byte', async () => {
    const text =
      '\u{feff}event: a\r\nid: 1\r\ndata: grüß\r\ndata:  Gott 🌍\r\n\r\ndata\r\rid: 2\n\n:c\ndata: x\n\n';
    const bytes = new TextEncoder().encode(text);
    expect(await collect([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([
      { type: 'a', data: 'grüß\n Gott 🌍', lastEventId: '1' },
      { type: 'message', data: '', lastEventId: '1' },
      { type: 'message', data: 'x', lastEventId: '2' },
    ]);
  });

  it('leaves out an event whose end is missing, ids with NUL, waits that are no numbers and unknown fields', () => {
    const decoder = new SseDecoder('7');
    expect(decoder.push('id: 8\0\nretry: soon\nwhat: ever\ndata: a\n\nretry: 250\ndata: b\n')).toEqual([
      { type: 'message', data: 'a', lastEventId: '7' },
    ]);
    expect(decoder.retryMs).toBe(250);
  });

  it('closes the connection when nobody reads on', async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: again\n\n')),
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const event of sseEventsOf(body)) {
      expect(event.data).toBe('again');
      break;
    }
    expect(isCancelled).toBe(true);
  });
});
