import { sessionCodec } from '@throughline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeWaiting } from './compose-waiting.ts';
import type { Json } from '@throughline/core/codec';
import type { WaitingItem } from '@throughline/ports';

const item = (id: string, content: Json, at = 1_000): WaitingItem => ({
  id,
  state: 'accepted',
  content,
  acceptedAtMs: at,
  updatedAtMs: at,
  messageId: null,
  runId: null,
  position: 1,
});
const text = (said: string): { type: 'text'; text: string } => ({ type: 'text', text: said });
const image = (hash: string): Json => ({
  type: 'media',
  mediaType: 'image/png',
  source: { type: 'url', url: `@blob:${hash}` },
});
const saying = (...parts: Json[]): Json => ({ parts });
const compose = (...contents: Json[]): ReturnType<typeof composeWaiting> =>
  composeWaiting(
    contents.map((content, index) => item(`i${index + 1}`, content, 1_000 + index)),
    { nowMs: 5_000, runId: 'r1' },
  );
const partsOf = (...contents: Json[]): unknown => compose(...contents).message.message.parts;

describe('composeWaiting', () => {
  it('leaves a single message as it is, under its own id', () => {
    const content = saying(text('look'), image('a'), text('there'));
    expect(compose(content)).toEqual({
      message: {
        message: {
          id: 'i1',
          role: 'user',
          parts: [text('look'), image('a'), text('there')],
          createdAtMs: 5_000,
          meta: {
            coalesced: false,
            messageCount: 1,
            originalMessages: [{ id: 'i1', queuedAt: 1_000 }],
            firstQueuedAt: 1_000,
            lastQueuedAt: 1_000,
          },
        },
      },
      events: [
        {
          type: 'message:dequeued',
          data: { count: 1, ids: ['i1'], coalesced: false, messageId: 'i1' },
          runId: 'r1',
        },
      ],
    });
  });

  it('says two as "First" and "Also", under the id of the first, and keeps what each was', () => {
    const [one, two] = [saying(text('stop')), saying(text('and wait'))];
    const { message, events } = compose(one, two);
    expect(message.message).toMatchObject({
      id: 'i1',
      parts: [text('First: stop\n\nAlso: and wait')],
      meta: {
        coalesced: true,
        messageCount: 2,
        originalMessages: [
          { id: 'i1', queuedAt: 1_000, content: one },
          { id: 'i2', queuedAt: 1_001, content: two },
        ],
        firstQueuedAt: 1_000,
        lastQueuedAt: 1_001,
      },
    });
    expect(events).toMatchObject([
      { data: { count: 2, ids: ['i1', 'i2'], coalesced: true, messageId: 'i1' } },
    ]);
  });

  it('numbers three and more', () => {
    expect(partsOf(...['a', 'b', 'c'].map((said) => saying(text(said))))).toEqual([
      text('[1]: a\n\n[2]: b\n\n[3]: c'),
    ]);
  });

  it('leaves images and files in their places', () => {
    expect(
      partsOf(saying(image('a'), text('this')), saying(text('that'), image('b')), saying(image('c'))),
    ).toEqual([text('[1]:'), image('a'), text('this\n\n[2]: that'), image('b'), text('[3]:'), image('c')]);
    expect(partsOf(saying(text('a'), text('b')), saying(text('c')))).toEqual([
      text('First: a'),
      text('b\n\nAlso: c'),
    ]);
  });

  it('tells when a message was edited, and the run that takes it', () => {
    const edited = { ...item('i', saying(text('x'))), updatedAtMs: 2_000 };
    const { message, events } = composeWaiting([edited], { nowMs: 3_000, runId: 'r1' });
    expect(message.message.meta).toMatchObject({ originalMessages: [{ queuedAt: 1_000, editedAt: 2_000 }] });
    expect(events).toMatchObject([{ runId: 'r1' }]);
  });

  it('takes whatever JSON is stored: each text is there once and in order, and nothing becomes an empty message', () => {
    const anyJson = fc.jsonValue({ maxDepth: 3 });
    const content = fc.oneof(
      anyJson,
      fc.string(),
      fc.record({ parts: anyJson }),
      fc.record({
        parts: fc.array(
          fc.oneof(
            anyJson,
            fc.record({
              type: fc.constantFrom('text', 'media', 'call'),
              text: anyJson,
              source: anyJson,
              mediaType: anyJson,
            }),
          ),
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 5 }), (contents) => {
        const before = structuredClone(contents);
        const { message } = compose(...(contents as Json[])).message;
        expect(contents).toEqual(before);
        expect(JSON.parse(JSON.stringify(message))).toEqual(message);
        const decoded = sessionCodec.decode(message, 0).parts;
        expect(decoded.length).toBeGreaterThan(0);
        expect(decoded.every(({ type }) => type === 'text' || type === 'media')).toBe(true);
      }),
    );
  });

  it('loses no text: after the labels are taken off the texts are those that were sent, in order', () => {
    const part = fc.oneof(
      fc.string({ minLength: 1 }).map(text),
      fc.nat().map((hash) => image(String(hash))),
    );
    const sent = fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(sent, (messages) => {
        const parts = compose(...messages.map((one) => saying(...one))).message.message.parts;
        const labels = messages.map((_, index) =>
          messages.length > 2 ? `[${index + 1}]:` : ['First:', 'Also:'][index],
        );
        const expected = messages
          .map((one, index) => [labels[index], ...one.map((said) => wordsOf(said))].join('|'))
          .join('|');
        const shown = parts.map((said) => wordsOf(said as Json)).join('|');
        const plain = (words: string): string => words.replaceAll(/[|\s]/g, '');
        expect(plain(shown)).toBe(plain(expected));
      }),
    );
  });
});

function wordsOf(part: Json): string {
  const { text: said, source } = part as { text?: string; source?: { url: string } };
  return said ?? source?.url ?? '';
}
