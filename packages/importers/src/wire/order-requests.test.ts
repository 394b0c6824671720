import { openaiChatCodec } from '@throughline/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonl } from '../../test/samples.ts';
import { readRecording } from '../read-recording.ts';
import { writeRecording } from '../write-recording.ts';
import { orderRequests } from './order-requests.ts';
import type { Recording, ViewMessage } from '../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(text: string): Promise<Recording> {
  return readRecording(once(text));
}

const user = (content: string): object => ({ role: 'user', content });
const says = (content: string): object => ({ role: 'assistant', content });
const talk = [user('Fix it.'), says('I look.'), user('And?'), says('Fixed.'), user('Thanks.')];
const bodies = [1, 3, 5].map((length) => ({ model: 'm', messages: talk.slice(0, length) }));

const shown = ({ sessions }: Recording): unknown[] =>
  sessions.map(({ kind, messages }) => [kind, messages.length]);

/** How the log of the bodies is shown. */
const grown = [
  ['active', 5],
  ['archived', 3],
  ['archived', 1],
];

describe('a log of requests', () => {
  it('opens the newest request; those that it continues are archived, newest first', async () => {
    expect(shown(await read(jsonl(...bodies)))).toEqual(grown);
    expect(shown(await read(JSON.stringify(bodies, null, 2)))).toEqual(grown);
    expect(shown(await read(jsonl(...bodies.map((request) => ({ request, response: {} })))))).toEqual(grown);
  });

  it('knows a request again whose cache marks have moved and whose system prompt names the day', async () => {
    const marked = bodies.map(({ messages }, day) => ({
      messages: messages.map((message, index) => {
        const { role, content } = message as { role: string; content: string };
        const mark = index === messages.length - 1 ? { cache_control: { type: 'ephemeral' } } : {};
        return { role, content: [{ type: 'text', text: content, ...mark }] };
      }),
      system: `Today is day ${day}.`,
    }));
    expect(shown(await read(jsonl(...marked)))).toEqual(grown);
    const withSystem = bodies.map(({ messages }, day) => ({
      messages: [{ role: 'system', content: `Day ${day}` }, ...messages],
    }));
    expect(shown(await read(jsonl(...withSystem)))[0]).toEqual(['active', 6]);
  });

  it('takes a request that was shortened or rewound for the newest of its conversation', async () => {
    const compacted = { messages: [user('Fix it.'), says('Summary.'), user('Thanks.'), says('Bye.')] };
    expect(shown(await read(jsonl(...bodies, compacted)))[0]).toEqual(['active', 4]);
  });

  it('shows the conversation first that was used last, and a request apart from it after those', async () => {
    const other = [user('Title?'), says('Shop'), user('Shorter.')];
    const lines = [
      { messages: other.slice(0, 1) },
      bodies[0],
      { messages: other },
      bodies[1],
      { messages: [user('Ping')] },
    ] as object[];
    expect(shown(await read(jsonl(...lines)))).toEqual([
      ['active', 3],
      ['archived', 1],
      ['active', 3],
      ['archived', 1],
      ['active', 1],
    ]);
  });

  it('leaves a dataset in its order, also where its runs begin alike', async () => {
    const runs = [says('a'), says('b'), says('c')].map((answer, id) => ({ id, messages: [talk[0], answer] }));
    const { sessions } = await read(jsonl(...runs));
    expect(sessions.map(({ id, kind }) => [id, kind])).toEqual([
      ['0', 'active'],
      ['1', 'active'],
      ['2', 'active'],
    ]);
  });

  it('lists at most fifty earlier requests, and says how many more there are', async () => {
    const long = Array.from({ length: 80 }, (_, index) =>
      index % 2 === 0 ? user(`${index}`) : says(`${index}`),
    );
    const { sessions, notes } = await read(
      jsonl(...long.map((__, at) => ({ messages: long.slice(0, at + 1) }))),
    );
    expect(sessions).toHaveLength(51);
    expect(notes).toEqual([{ note: '29 older requests are not listed' }]);
  });

  it('is opened at the same request when that was written back shorter', async () => {
    const recording = await read(jsonl(...bodies));
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const view: ViewMessage[] = [
      { type: 'original', index: 0, message: session.messages[0], isEdited: false },
      { type: 'written', message: says('So far.') },
      { type: 'original', index: 4, message: session.messages[4], isEdited: false },
    ];
    const { text } = writeRecording(recording, session, view);
    const again = await read(text);
    expect(again.sessions[0]?.messages).toEqual([talk[0], says('So far.'), talk[4]]);
    expect(text.split('\n').slice(0, 2)).toEqual(
      jsonl(...bodies)
        .split('\n')
        .slice(0, 2),
    );
  });
});

describe('orderRequests', () => {
  it('hands out every conversation once', () => {
    const message = fc.constantFrom(...talk, null, { role: 'system', content: 'x' });
    fc.assert(
      fc.property(fc.array(fc.array(message, { maxLength: 5 }), { maxLength: 12 }), (conversations) => {
        const ordered = orderRequests(conversations, openaiChatCodec).map(({ index }) => index);
        expect(ordered.toSorted((a, b) => a - b)).toEqual(conversations.map((_, index) => index));
      }),
    );
  });

  it('takes linear time for ten thousand conversations', () => {
    const conversations = Array.from({ length: 10_000 }, (_, index) => [user(`${index}`), ...talk]);
    expect(orderRequests(conversations, openaiChatCodec)).toHaveLength(10_000);
  });
});
