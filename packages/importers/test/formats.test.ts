import { ContextError } from '@throughline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNames, readRecording, targetNames, writeRecording } from '../src/index.ts';
import { eventLogs, jsonl, samples } from './samples.ts';
import type { ReadRecordingOptions } from '../src/index.ts';
import type { RecordedSession, Recording, ViewMessage } from '../src/index.ts';

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 997) yield text.slice(at, at + 997);
}

function read(text: string, options: ReadRecordingOptions = {}): Promise<Recording> {
  return readRecording(inPieces(text), options);
}

async function reasonOf(
  text: string,
  options?: ReadRecordingOptions,
): Promise<{ reason: string; line?: number }> {
  const error: unknown = await read(text, options).catch((caught: unknown) => caught);
  if (!ContextError.is(error, 'unreadable-file')) throw new Error(`no such error: ${String(error)}`);
  return error.details;
}

function firstOf({ sessions }: Recording): RecordedSession {
  const [session] = sessions;
  if (session === undefined) throw new Error('no session');
  return session;
}

function originals({ messages }: RecordedSession): ViewMessage[] {
  return messages.map((message, index) => ({ type: 'original', index, message, isEdited: false }));
}

function written(session: RecordedSession, role: 'user' | 'assistant', text: string): ViewMessage[] {
  const { messages } = session.codec.compose({ role, parts: [{ type: 'text', text }], kind: 'summary' });
  return messages.map((message) => ({ type: 'written', message }));
}

const writable = samples.filter(
  ({ format, name }) => !eventLogs.has(format) || name === 'the log of one call',
);

it('has a sample of every format', () => {
  expect(new Set(samples.map(({ format }) => format))).toEqual(new Set(formatNames));
});

describe.each(samples)('$format, $name', ({ format, text, messages }) => {
  it('is recognised by its content, its calls paired', async () => {
    const recording = await read(text);
    expect(recording.format).toBe(format);
    const session = firstOf(recording);
    expect(session.kind).toBe('active');
    expect(session.messages).toHaveLength(messages);
    const parts = session.messages.flatMap((message, index) => session.codec.decode(message, index).parts);
    expect(parts.filter(({ type }) => type === 'opaque').length).toBeLessThan(2);
    const calls = parts.filter((part) => part.type === 'call').map(({ callId }) => callId);
    expect(parts.filter((part) => part.type === 'result').map(({ callId }) => callId)).toEqual(
      calls.slice(0, parts.filter(({ type }) => type === 'result').length),
    );
  });

  it('is read the same when its format is named', async () => {
    const [named, detected] = [await read(text, { format }), await read(text)];
    expect(named.sessions.map((one) => one.messages)).toEqual(detected.sessions.map((one) => one.messages));
  });

  it('is read as a whole', async () => {
    const recording = await read(text, { whole: true });
    expect(firstOf(recording).messages).toHaveLength(messages);
  });

  it('is never lost or thrown at when it is cut somewhere', async () => {
    for (let end = 1; end < text.length; end += Math.max(1, Math.floor(text.length / 40))) {
      const outcome: unknown = await read(text.slice(0, end)).catch((error: unknown) => error);
      if (outcome instanceof Error)
        expect(ContextError.is(outcome, 'unreadable-file'), outcome.stack).toBe(true);
    }
  });

  it('can be written as a request of every format, which is then recognised', async () => {
    const recording = await read(text);
    const session = firstOf(recording);
    for (const to of targetNames) {
      const { text: output, format: written } = writeRecording(recording, session, originals(session), {
        to,
      });
      expect(written).toBe(to);
      const again = await read(output, { format: to });
      expect(firstOf(again).messages.length).toBeGreaterThan(0);
    }
  });
});

describe.each(writable)('writing $format, $name', ({ text, format }) => {
  it('gives the very file when nothing changed', async () => {
    const recording = await read(text);
    const session = firstOf(recording);
    expect(writeRecording(recording, session, originals(session))).toEqual({ text, format, losses: [] });
  });

  it('keeps every original message beside written ones, and stays the same format', async () => {
    const recording = await read(text);
    const session = firstOf(recording);
    const view = [
      ...originals(session).slice(0, 1),
      ...written(session, 'assistant', 'A "summary": $& $1'),
      ...written(session, 'user', 'Go on.'),
    ];
    const output = writeRecording(recording, session, [...view, ...originals(session).slice(1)]).text;
    const again = await read(output);
    expect(again.format).toBe(format === 'openai-chat' ? again.format : format);
    const kept = firstOf(await read(output, { format })).messages;
    expect(kept).toHaveLength(session.messages.length + 2);
    expect([kept[0], ...kept.slice(3)]).toEqual(session.messages);
  });

  it('writes the same bytes for the same view', async () => {
    const recording = await read(text);
    const session = firstOf(recording);
    const view = [...written(session, 'user', 'Hi'), ...originals(session).slice(1)];
    expect(writeRecording(recording, session, view)).toEqual(writeRecording(await read(text), session, view));
  });
});

it('refuses to write an event log back without a target format', async () => {
  const { text } = samples.find(({ format }) => format === 'codex-exec') ?? { text: '' };
  const recording = await read(text);
  const session = firstOf(recording);
  expect(() => writeRecording(recording, session, originals(session))).toThrow(/events.*Choose a format/);
});

describe('readRecording', () => {
  it.each([
    ['[]', 'an empty list'],
    ['null', 'null'],
    ['[[1]]', 'a list of 1, the first of which is a list'],
    ['{"model":"m","messages":[]}', 'an object with model, messages (an empty list)'],
    ['{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}', 'an object with a, b, c, d, e, f, …'],
    ['{"type":"x"}\n{"type":"y"}\n{"type":"x"}\n', '3 lines (of the types x, y)'],
    ['{"a":1}\n{"b":2}\n', '2 lines (the first is an object with a)'],
    ['{\n}', 'an empty object'],
  ])('says what it found in %s', async (text, found) => {
    const { reason } = await reasonOf(text);
    expect(reason).toMatch(/^no messages of a known form were found in (.*); known formats are /);
    expect(reason).toContain(` in ${found}; `);
  });

  it.each([
    ['HAR', { log: { version: '1.2', entries: [] } }],
    ['api_conversation_history.json', [{ ts: 1, type: 'say', say: 'text', text: 'Hi' }]],
    ['LangChain', [{ type: 'human', data: { content: 'Hi' } }]],
    ['LangChain', { messages: [{ lc: 1, type: 'constructor', kwargs: { content: 'Hi' } }] }],
    ['Pydantic AI', [{ kind: 'request', parts: [{ part_kind: 'user-prompt', content: 'Hi' }] }]],
    ['opencode export', { id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: 1 } }],
    ['opencode export', { id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1', type: 'text', text: 'Hi' }],
    ['ChatGPT', [{ title: 'a', mapping: { x: { message: null } } }]],
    ['claude.ai', [{ name: 'a', chat_messages: [] }]],
    ['VS Code', { requests: [{ message: { text: 'Hi' }, response: [] }] }],
    ['streamed answer', [{ type: 'message_start', message: {} }, { type: 'content_block_delta' }]],
    ['Goose', [{ role: 'assistant', created: 1, content: [{ type: 'toolRequest', id: 'a', toolCall: {} }] }]],
    ['a Claude Code session has in lines', [{ type: 'user', sessionId: 's', message: { role: 'user' } }]],
  ])('says of a file that is known and not read what it is: %s', async (name, value) => {
    expect((await reasonOf(JSON.stringify(value))).reason).toContain(name);
    const elements: readonly unknown[] = Array.isArray(value) ? (value as unknown[]) : [value];
    expect((await reasonOf(JSON.stringify(elements, undefined, 2))).reason).not.toContain('known formats');
  });

  it('says how the lines of a log come out of a list that a member holds', async () => {
    const loglines = [{ type: 'user', sessionId: 's', message: { role: 'user' } }];
    expect((await reasonOf(JSON.stringify({ loglines }))).reason).toContain("jq -c '.loglines[]'");
  });

  it('names the known formats when it knows none', async () => {
    expect((await reasonOf('{"hello": "world"}')).reason).toContain('claude-code, claude-sdk');
    expect((await reasonOf('{"a": 1}\n{"b": 2}\n')).reason).toContain('known formats');
    expect((await reasonOf('[1, 2, 3]')).reason).toContain('known formats');
    expect((await reasonOf('[]')).reason).toContain('known formats');
  });

  it('refuses a file of two formats and names the line', async () => {
    const texts = samples.filter(({ text }) => text.startsWith('{"') && text.trimEnd().includes('\n'));
    const logs = texts.filter(({ format }) => !['openai-chat', 'session'].includes(format));
    for (const first of logs) {
      for (const second of texts) {
        if (first.format === second.format || second.format === 'session') continue;
        const { reason, line } = await reasonOf(first.text + second.text).catch((error: unknown) => {
          throw new Error(`${first.format}, then ${second.format}`, { cause: error });
        });
        expect(reason, `${first.format} and ${second.format}`).toContain('another format');
        expect(line).toBeGreaterThan(first.text.split('\n').length - 1);
      }
    }
  });

  it('says what a named format would have to be', async () => {
    expect((await reasonOf('{\n"messages": []\n}', { format: 'pi' })).reason).toContain('JSONL');
    expect((await reasonOf(jsonl({ a: 1 }, { b: 2 }), { format: 'opencode' })).reason).toContain(
      'one JSON value',
    );
    expect((await reasonOf('{"a":1}', { format: 'nonsense' as 'pi' })).reason).toContain('known formats');
  });

  it('says when there is no conversation in a file of a known format', async () => {
    const empty = jsonl({ type: 'file-history-snapshot', messageId: 'x', snapshot: {} });
    expect((await reasonOf(empty)).reason).toContain('no conversation');
  });

  it('never fails but with its own error, whatever the lines hold', async () => {
    const words = [
      'user',
      'assistant',
      'message',
      'session',
      'compacted',
      'response_item',
      'system',
      'tool',
      'x',
      'text',
    ];
    const keys = [
      'type',
      'role',
      'content',
      'message',
      'messages',
      'uuid',
      'parentUuid',
      'payload',
      'parts',
      'info',
      'id',
      'history',
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...words, null, 1, true),
        tie('object'),
        tie('list'),
      ),
      object: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
      list: fc.array(tie('value'), { maxLength: 4 }),
    }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(undefined, ...formatNames),
        async (values, format) => {
          const options = format === undefined ? {} : { format };
          for (const text of [jsonl(...values), JSON.stringify(values, null, 1)]) {
            const outcome: unknown = await read(text, options).catch((error: unknown) => error);
            if (outcome instanceof Error)
              expect(ContextError.is(outcome, 'unreadable-file'), outcome.stack).toBe(true);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
