import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, play } from '../../test/played-answers.ts';
import { readAsClient } from '../../test/real-clients.ts';
import { AnswerStream } from './answer-stream.ts';
import { canContinue } from './shared/facts.ts';
import type { PlayedAnswer, Said } from '../../test/played-answers.ts';
import type { DialectName } from './dialect-streams.ts';

const dialects = ['chat', 'messages', 'responses'] as const;
const join = (chunks: readonly Uint8Array[]): Buffer => Buffer.concat(chunks);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const said = (type: 'text' | 'reasoning', ...pieces: string[]): Said => ({ type, pieces });
const call: Said = { type: 'call', id: 'call_1', name: 'look', pieces: ['{"at":', '"the sea"}'] };

function answer(id: string, parts: readonly Said[], changes: Partial<PlayedAnswer> = {}): PlayedAnswer {
  const finish = parts.some(({ type }) => type === 'call') ? 'calls' : 'stop';
  return { id, parts, finish, inputTokens: 100, outputTokens: 10, ...changes };
}

/** The bytes of the first answer until it has told so many pieces of text. */
function begun(dialect: DialectName, first: PlayedAnswer, texts: number): Uint8Array {
  const events = play(dialect, first);
  return bytesOf(events.slice(0, events.findIndex((event) => event.texts === texts) + 1));
}

/** What a client gets of a call that is given up after some text, and of one that goes on with it. */
function restarted(dialect: DialectName, first: PlayedAnswer, texts: number, next: PlayedAnswer): Uint8Array {
  const stream = new AnswerStream({ dialect });
  const before = stream.push(begun(dialect, first, texts));
  const between = stream.restart({ outputTokens: 7, inputTokens: 50 });
  const after = stream.push(bytesOf(play(dialect, next)));
  return join([...before, ...between, ...after, ...stream.closed(), ...stream.release()]);
}

const words = ['The gull ', 'sat on the mast, ', 'and looked ', 'at the fog.'];

describe.each(dialects)('AnswerStream of %s', (dialect) => {
  const whole = (parts: readonly Said[], changes?: Partial<PlayedAnswer>): Promise<unknown> =>
    readAsClient[dialect](bytesOf(play(dialect, answer('a1', parts, changes))));

  it('gives the bytes of one call as they came, in whatever chunks', () => {
    const parts = [said('reasoning', 'hm'), said('text', 'Ünï 😀', ' text'), call];
    const bytes = bytesOf(play(dialect, answer('a1', parts)));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bytes.length }), (size) => {
        const stream = new AnswerStream({ dialect });
        const told: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) told.push(...stream.push(bytes.slice(at, at + size)));
        told.push(...stream.closed());
        expect(stream.answer.isDone).toBe(true);
        expect(join([...told, ...stream.release()]).equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('makes one answer of a call that was given up and one that goes on', async () => {
    const next = answer('a2', [said('text', ...words.slice(2))]);
    const bytes = restarted(dialect, answer('a1', [said('text', ...words)]), 2, next);
    expect(await readAsClient[dialect](bytes)).toEqual(
      await whole([said('text', ...words)], { outputTokens: 17 }),
    );
  });

  it('lets calls follow the text that went on', async () => {
    const next = answer('a2', [said('text', ...words.slice(2)), call]);
    const bytes = restarted(dialect, answer('a1', [said('text', ...words)]), 2, next);
    expect(await readAsClient[dialect](bytes)).toEqual(
      await whole([said('text', ...words), call], { outputTokens: 17 }),
    );
  });

  it('ends the open text when the next call thinks first, and when it calls a tool at once', async () => {
    const first = answer('a1', [said('text', ...words)]);
    const thinking = [said('reasoning', 'hm'), said('text', ' Then fog.')];
    const thought = await readAsClient[dialect](restarted(dialect, first, 2, answer('a2', thinking)));
    const called = await readAsClient[dialect](restarted(dialect, first, 2, answer('a2', [call])));
    const expected = [said('text', ...words.slice(0, 2))];
    expect(withoutIds(called)).toEqual(withoutIds(await whole([...expected, call], { outputTokens: 17 })));
    expect(withoutIds(thought)).toEqual(
      withoutIds(await whole([...expected, ...thinking], { outputTokens: 17 })),
    );
  });

  it('ends the open text when the next call says nothing more', async () => {
    const bytes = restarted(dialect, answer('a1', [said('text', ...words)]), 2, answer('a2', []));
    expect(await readAsClient[dialect](bytes)).toEqual(
      await whole([said('text', ...words.slice(0, 2))], { outputTokens: 17 }),
    );
  });

  it('takes away what the next call repeats', async () => {
    const next = answer('a2', [said('text', 'The gull sat ', 'on the mast, and', ' looked ', 'at the fog.')]);
    const bytes = restarted(dialect, answer('a1', [said('text', ...words)]), 2, next);
    expect(await readAsClient[dialect](bytes)).toEqual(
      await whole([said('text', ...words)], { outputTokens: 17 }),
    );
  });

  it('loses no text that it held back as a possible repetition', async () => {
    const first = answer('a1', [said('text', ...words)]);
    const parts = [said('text', 'The gull '), said('reasoning', 'hm')];
    for (const next of [parts.slice(0, 1), parts]) {
      const bytes = restarted(dialect, first, 2, answer('a2', next));
      const [, ...behind] = next;
      const text = said('text', ...words.slice(0, 2), 'The gull ');
      expect(withoutIds(await readAsClient[dialect](bytes))).toEqual(
        withoutIds(await whole([text, ...behind], { outputTokens: 17 })),
      );
    }
  });

  it('loses no text that it held back when the next call is given up, too, or breaks', async () => {
    const begin = (): AnswerStream => {
      const stream = new AnswerStream({ dialect });
      stream.push(begun(dialect, answer('a1', [said('text', ...words)]), 2));
      stream.restart({ outputTokens: 7, inputTokens: 50 });
      const told = stream.push(begun(dialect, answer('a2', [said('text', 'The gull ')]), 1));
      expect(join(told).toString()).not.toContain('gull');
      return stream;
    };
    const given = begin();
    expect(Buffer.concat([...given.restart({ outputTokens: 1, inputTokens: 1 })]).toString()).toContain(
      '"The gull "',
    );
    expect(given.client.fullText).toBe('The gull sat on the mast, The gull ');
    expect(Buffer.concat([...begin().fail({ message: 'gone' })]).toString()).toContain('"The gull "');
    expect(Buffer.concat([...begin().endWithLength({ outputTokens: 1 })]).toString()).toContain('The gull ');
  });

  it('keeps the end of a call from the client that goes on behind it, and counts what it has cost', async () => {
    const stream = new AnswerStream({ dialect });
    const first = answer('a1', [said('text', ...words.slice(0, 2))], { finish: 'length', outputTokens: 30 });
    const told = [...stream.push(bytesOf(play(dialect, first)))];
    expect(stream.isHolding).toBe(true);
    expect(stream.answer.finish).toBe('length');
    expect(canContinue(stream.client)).toBe(true);
    told.push(...stream.restart({ outputTokens: 1, inputTokens: 1 }));
    const next = answer('a2', [said('text', ...words.slice(2))], { inputTokens: 40, outputTokens: 5 });
    told.push(...stream.push(bytesOf(play(dialect, next))), ...stream.release());
    const client = await readAsClient[dialect](join(told));
    expect(client).toEqual(await whole([said('text', ...words)], { inputTokens: 40, outputTokens: 35 }));
    expect(stream.client.usage).toMatchObject({ inputTokens: 40, outputTokens: 35 });
    expect(stream.client.isDone).toBe(true);
  });

  const pieces = fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      fc.lorem({ maxCount: 3 }).map((text) => `${text} `),
    ),
    { minLength: 2, maxLength: 14 },
  );

  it('makes one answer of up to four calls, wherever they were given up', async () => {
    const around = fc.record({ thinks: fc.boolean(), calls: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        around,
        async (text, places, around) => {
          const cuts = [...new Set(places.map((place) => 1 + (place % (text.length - 1))))].toSorted(
            (a, b) => a - b,
          );
          const before = around.thinks ? [said('reasoning', 'one ', 'two')] : [];
          const behind = around.calls ? [call] : [];
          const stream = new AnswerStream({ dialect });
          const told: Uint8Array[] = [];
          let from = 0;
          for (const cut of cuts) {
            const parts = [...(from === 0 ? before : []), said('text', ...text.slice(from))];
            told.push(...stream.push(begun(dialect, answer(`a${from + 1}`, parts), cut - from)));
            // Half an event, which nobody gets.
            told.push(...stream.push(encode('data: {"half')));
            // What is held back because it may be a repetition comes now.
            told.push(...stream.restart({ outputTokens: 3, inputTokens: 9 }));
            expect(stream.client.fullText).toBe(text.slice(0, cut).join(''));
            from = cut;
          }
          const last = answer('z', [said('text', ...text.slice(from)), ...behind]);
          told.push(...stream.push(bytesOf(play(dialect, last))), ...stream.release());
          const expected = await whole([...before, said('text', ...text), ...behind], {
            outputTokens: 10 + 3 * cuts.length,
          });
          expect(await readAsClient[dialect](join(told))).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('makes bytes that its own splitter and watcher read as one clean answer', () => {
    const next = answer('a2', [said('text', ...words.slice(2)), call]);
    const bytes = restarted(dialect, answer('a1', [said('text', ...words)]), 2, next);
    const reader = new AnswerStream({ dialect });
    expect(join([...reader.push(bytes), ...reader.release()]).equals(bytes)).toBe(true);
    expect(reader.answer).toMatchObject({ isDone: true, id: 'a1', finish: 'tool-calls', error: undefined });
    expect(reader.answer.fullText).toBe(words.join(''));
  });

  it('numbers events, blocks and items without gap or double', () => {
    const next = answer('a2', [said('text', ...words.slice(2)), call]);
    const bytes = restarted(
      dialect,
      answer('a1', [said('reasoning', 'hm'), said('text', ...words)]),
      2,
      next,
    );
    const values = valuesOf(bytes);
    const sequence = values.flatMap(({ sequence_number: number }) =>
      typeof number === 'number' ? [number] : [],
    );
    expect(sequence).toEqual(sequence.map((_, index) => index));
    const starts = values.filter(({ type }) => /block_start|item\.added/.test(String(type)));
    const stops = values.filter(({ type }) => /block_stop|item\.done/.test(String(type)));
    const indexes = (events: readonly Value[]): unknown[] =>
      events.map((event) => event['index'] ?? event['output_index']);
    expect(indexes(starts)).toEqual(dialect === 'chat' ? [] : [0, 1, 2]);
    expect(indexes(stops)).toEqual(indexes(starts));
  });

  it('ends for want of room with what was said and what it cost', async () => {
    const stream = new AnswerStream({ dialect, showsUsage: true, inputTokens: 60 });
    const told = [...stream.push(begun(dialect, answer('a1', [said('text', ...words)]), 2))];
    told.push(...stream.endWithLength({ outputTokens: 4 }));
    const client = await readAsClient[dialect](join(told));
    const inputTokens = dialect === 'messages' ? 100 : 60;
    const expected = await whole([said('text', ...words.slice(0, 2))], {
      finish: 'length',
      inputTokens,
      outputTokens: 4,
    });
    expect(client).toEqual(expected);
  });

  it('ends a stream that breaks with an error that the client throws', async () => {
    for (const texts of [1, 3]) {
      const stream = new AnswerStream({ dialect });
      const told = [...stream.push(begun(dialect, answer('a1', [said('text', ...words)]), texts))];
      told.push(...stream.push(encode('data: {"half')), ...stream.closed());
      expect(stream.answer.isDone).toBe(false);
      told.push(...stream.fail({ message: 'the upstream went away' }));
      await expect(readAsClient[dialect](join(told))).rejects.toThrow(/the upstream went away/);
      expect(Buffer.from(join(told)).toString()).not.toContain('half');
    }
  });

  it('ends in an error before anything has begun, too', async () => {
    const stream = new AnswerStream({ dialect });
    const told = [...stream.comment('waiting'), ...stream.fail({ message: 'no upstream' })];
    await expect(readAsClient[dialect](join(told))).rejects.toThrow(/no upstream/);
  });

  it('sends comments that no client hands on', async () => {
    const stream = new AnswerStream({ dialect });
    const events = play(dialect, answer('a1', [said('text', ...words)]));
    const told = events.flatMap((event) => [...stream.comment('ping'), ...stream.push(bytesOf([event]))]);
    told.push(...stream.release());
    expect(await readAsClient[dialect](join(told))).toEqual(await whole([said('text', ...words)]));
  });

  it('tells a notice before the answer as content of its own', async () => {
    const stream = new AnswerStream({ dialect });
    const told = [...stream.noticeFirst('Making room…\n\n')];
    told.push(
      ...stream.push(bytesOf(play(dialect, answer('a1', [said('text', ...words), call])))),
      ...stream.release(),
    );
    const notice =
      dialect === 'chat'
        ? [said('text', 'Making room…\n\n', ...words)]
        : [said('text', 'Making room…\n\n'), said('text', ...words)];
    const client = await readAsClient[dialect](join(told));
    expect(withoutIds(client)).toEqual(withoutIds(await whole([...notice, call])));
    expect(stream.client.fullText).toBe(words.join(''));
  });

  it('tells a notice between two calls, and the text goes on behind it', async () => {
    const stream = new AnswerStream({ dialect });
    const told = [...stream.push(begun(dialect, answer('a1', [said('text', ...words)]), 2))];
    told.push(...stream.restart({ outputTokens: 7, inputTokens: 50, notice: ' [room] ' }));
    const next = answer('a2', [said('text', ...words.slice(2))]);
    told.push(...stream.push(bytesOf(play(dialect, next))), ...stream.release());
    const parts = [words.slice(0, 2), [' [room] '], words.slice(2)];
    const expected =
      dialect === 'chat' ? [said('text', ...parts.flat())] : parts.map((texts) => said('text', ...texts));
    const client = await readAsClient[dialect](join(told));
    expect(withoutIds(client)).toEqual(withoutIds(await whole(expected, { outputTokens: 17 })));
    expect(stream.client.fullText).toBe(words.join(''));
  });

  it('tells its own count of the prompt only where the upstream counts none', async () => {
    const none = answer('a1', [said('text', ...words)], { inputTokens: 0 });
    const stream = new AnswerStream({ dialect, inputTokens: 77 });
    const told = [...stream.push(bytesOf(play(dialect, none))), ...stream.release()];
    expect(await readAsClient[dialect](join(told))).toEqual(
      await whole([said('text', ...words)], { inputTokens: 77 }),
    );
    const counted = new AnswerStream({ dialect, inputTokens: 77 });
    const bytes = bytesOf(play(dialect, answer('a1', [said('text', ...words)])));
    expect(join([...counted.push(bytes), ...counted.release()]).equals(bytes)).toBe(true);
  });

  it('never tells a prompt of nothing behind a restart', async () => {
    const next = answer('a2', [said('text', ...words.slice(2))], { inputTokens: 0 });
    const bytes = restarted(dialect, answer('a1', [said('text', ...words)]), 2, next);
    expect(await readAsClient[dialect](bytes)).toEqual(
      await whole([said('text', ...words)], { inputTokens: 50, outputTokens: 17 }),
    );
  });

  it('goes on only in plain text of one answer', () => {
    const at = (parts: readonly Said[], isStructured = false): boolean => {
      const stream = new AnswerStream({ dialect, isStructured });
      const events = play(dialect, answer('a1', parts));
      const ending = events.findIndex(({ text }) => /_block_stop|\.done|finish_reason":"/.test(text));
      stream.push(bytesOf(events.slice(0, ending)));
      return canContinue(stream.client);
    };
    expect(at([said('text', 'some')])).toBe(true);
    expect(at([said('text', '{"a":')], true)).toBe(false);
    expect(at([said('reasoning', 'some')])).toBe(false);
    expect(at([call])).toBe(false);
    expect(at([])).toBe(false);
  });
});

type Value = Readonly<Record<string, unknown>>;

function valuesOf(bytes: Uint8Array): readonly Value[] {
  const lines = Buffer.from(bytes)
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)) as Value);
}

/** Ids of items differ with the call that made them. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/"id":"(?:msg|rs)_[^"]*",?/g, '')) as unknown;
}
