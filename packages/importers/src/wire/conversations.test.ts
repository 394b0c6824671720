import { describe, expect, it } from 'vitest';
import { jsonl } from '../../test/samples.ts';
import { readRecording } from '../read-recording.ts';
import { writeRecording } from '../write-recording.ts';
import type { RecordedSession, Recording, ViewMessage } from '../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(text: string): Promise<Recording> {
  return readRecording(once(text));
}

function firstOf({ sessions }: Recording): RecordedSession {
  const [session] = sessions;
  if (session === undefined) throw new Error('no session');
  return session;
}

const originals = ({ messages }: RecordedSession): ViewMessage[] =>
  messages.map((message, index) => ({ type: 'original', index, message, isEdited: false }));

describe('a Responses request whose input is a text', () => {
  const request = { model: 'gpt-test', instructions: 'Be brief.', input: 'Weather in Bern?', store: false };

  it.each([
    ['JSON', JSON.stringify(request, null, 2)],
    ['JSONL', jsonl(request)],
    ['a log', jsonl({ body: request }, { body: { ...request, input: 'And in Basel?' } })],
  ])('is read from %s as one message of the user', async (_, text) => {
    const recording = await read(text);
    expect(recording.format).toBe('openai-responses');
    expect(firstOf(recording)).toMatchObject({
      messages: [{ role: 'user', content: 'Weather in Bern?' }],
      system: 'Be brief.',
      model: 'gpt-test',
    });
    expect(recording.notes).toEqual([]);
  });

  it.each([
    ['JSON', JSON.stringify(request, null, 2)],
    ['a log', jsonl({ id: 1, body: request })],
  ])('is written back into %s as a list, and all else as it was', async (_, text) => {
    const recording = await read(text);
    const session = firstOf(recording);
    expect(writeRecording(recording, session, originals(session)).text).toBe(text);
    const answer = { type: 'message', role: 'assistant', content: 'Rain.' };
    const view: ViewMessage[] = [...originals(session), { type: 'written', message: answer }];
    const written = writeRecording(recording, session, view).text;
    const list = JSON.stringify([{ role: 'user', content: 'Weather in Bern?' }, answer]);
    expect(written).toBe(text.split('"Weather in Bern?"').join(list));
    expect(firstOf(await read(written)).messages).toHaveLength(2);
  });

  it('is not taken from a dataset that calls its question an input', async () => {
    const text = jsonl({ instruction: 'Add.', input: '1 + 1', output: '2' });
    await expect(read(text)).rejects.toThrow('known formats');
  });
});

const chat = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
  { role: 'user', content: 'Bye' },
];
const odd: readonly unknown[] = [
  null,
  42,
  'text',
  [],
  {},
  { role: 'model', content: 'x' },
  { role: 'user' },
  { role: 'user', content: 7 },
  { role: 'assistant', tool_calls: 'x' },
  { role: 'model', parts: [{ text: 'x' }] },
  { payload: {}, type: 'event_msg' },
  { type: 'message', message: { role: 'user' } },
  { type: 'user', message: { role: 'user', content: 'x' }, uuid: 'u', sessionId: 's' },
  { kind: 'MessageEvent', source: 'user' },
  { info: { role: 'user' }, parts: [] },
  { type: 'queue-operation' },
];

describe.each(odd.map((value) => [JSON.stringify(value), value] as const))(
  'a chat with %s in it',
  (_, value) => {
    const messages = [...chat.slice(0, 2), value, ...chat.slice(2)];

    it.each([
      ['a list', JSON.stringify(messages, null, 1)],
      ['a body', JSON.stringify({ model: 'm', messages })],
      ['JSONL', jsonl(...messages)],
      ['a log', jsonl({ messages }, { messages: [{ role: 'user', content: 'Other.' }] })],
    ])(
      'is read from %s with all its messages, the odd one noted, and written back whole',
      async (kind, text) => {
        const recording = await read(text);
        expect(recording.format).toBe('openai-chat');
        const session = firstOf(recording);
        expect(session.messages).toEqual(messages);
        expect(recording.notes).toHaveLength(1);
        expect(recording.notes[0]?.note).toBe('message 3 has no known form; it is kept as it is');
        expect(recording.notes[0]?.line).toBe({ JSONL: 3, 'a log': 1 }[kind]);
        const view: ViewMessage[] = [...originals(session), { type: 'written', message: chat[1] }];
        const again = await read(writeRecording(recording, session, view).text);
        expect(firstOf(again).messages).toEqual([...messages, chat[1]]);
      },
    );

    it('hides none of the requests of a log that it stands in', async () => {
      const lines = [{ messages: chat }, value, { messages: chat.slice(1) }];
      const { sessions, notes } = await read(jsonl(...lines));
      expect(sessions.map((one) => one.messages)).toEqual([chat, chat.slice(1)]);
      expect(notes).toEqual([{ line: 2, note: expect.stringContaining('hold no message') as string }]);
    });
  },
);

describe('a log of two formats', () => {
  const claude = (uuid: string, parentUuid: string | null): object => ({
    type: 'user',
    message: { role: 'user', content: uuid },
    uuid,
    parentUuid,
    sessionId: 's',
  });

  it('is refused at the line where the second one begins', async () => {
    const log = [claude('a', null), claude('b', 'a'), claude('c', 'b')];
    await expect(read(jsonl(...chat, ...log))).rejects.toThrow(
      'line 5: the file starts as messages of a request, but this line is of another format (a Claude Code session)',
    );
    await expect(read(jsonl(...log, ...chat))).rejects.toThrow(
      'line 4: the file starts as a Claude Code session, but this line is of another format (messages of a request)',
    );
    const rollout = { type: 'event_msg', payload: { type: 'user_message' } };
    await expect(read(jsonl(...log, {}, rollout))).rejects.toThrow('line 5: ');
  });
});
