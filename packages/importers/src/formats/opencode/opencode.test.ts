import { describe, expect, it } from 'vitest';
import { opencodeAnswer, opencodeTool, opencodeUser } from '../../../test/samples.ts';
import { readRecording } from '../../read-recording.ts';
import { writeRecording } from '../../write-recording.ts';
import { opencodeCodec } from './opencode-codec.ts';
import type { Composed, Synthetic } from '@throughline/core/codec';
import type { Recording, ViewMessage } from '../../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(messages: readonly object[], info: object = {}): Promise<Recording> {
  return readRecording(once(JSON.stringify({ info: { id: 'ses_1', ...info }, messages }, null, 2)));
}

const say = (text: string): object => ({ type: 'text', text });
const ids = ({ sessions }: Recording, index = 0): unknown[] =>
  (sessions[index]?.messages ?? []).map((message) => (message as { info: { id: string } }).info.id);

const compacted = [
  opencodeUser(1, say('One')),
  opencodeAnswer(2, {}, say('1')),
  opencodeUser(3, say('Two')),
  opencodeAnswer(4, {}, say('2')),
  opencodeUser(5, { type: 'compaction', auto: true, tail_start_id: 'msg_3' }),
  opencodeAnswer(6, { summary: true }, say('Summary.')),
  opencodeUser(7, say('Three')),
  opencodeAnswer(8, {}, say('3')),
];

describe('reading an OpenCode export', () => {
  it('puts the compaction and its summary first, then the tail it kept, then the rest', async () => {
    const recording = await read(compacted);
    expect(ids(recording)).toEqual(['msg_5', 'msg_6', 'msg_3', 'msg_4', 'msg_7', 'msg_8']);
    expect(ids(recording, 1)).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4']);
    expect(
      recording.sessions[0]?.usage.map(({ messageIndex, inputTokens }) => [messageIndex, inputTokens]),
    ).toEqual([[5, 100]]);
  });

  it('knows which texts of a message OpenCode wrote, not its user', async () => {
    const added = { ...say('The file a.ts has 3 lines.'), synthetic: true };
    const [session] = (await read([opencodeUser(1, say('Look at @a.ts'), added)])).sessions;
    const { parts } = opencodeCodec.decode(session?.messages[0], 0);
    expect(parts.map((part) => part.type === 'text' && part.isInjected)).toEqual([undefined, 'aside']);
  });

  it('takes no notice of a compaction that did not finish', async () => {
    const failed = compacted.map((message, at) =>
      at === 5 ? opencodeAnswer(6, { summary: true, finish: undefined }, say('Sum')) : message,
    );
    expect(ids(await read(failed))).toHaveLength(8);
  });

  it('leaves out failed answers, but not an aborted one that had said something', async () => {
    const recording = await read([
      opencodeUser(1, say('One')),
      opencodeAnswer(2, { error: { name: 'APIError' } }, say('half')),
      opencodeAnswer(3, { error: { name: 'MessageAbortedError' } }, say('half')),
      opencodeAnswer(4, { error: { name: 'MessageAbortedError' } }),
    ]);
    expect(ids(recording)).toEqual(['msg_1', 'msg_3']);
  });

  it('lists reverted messages as a branch', async () => {
    const recording = await read(compacted.slice(0, 4), { revert: { messageID: 'msg_3' } });
    expect(ids(recording)).toEqual(['msg_1', 'msg_2']);
    expect(recording.sessions[1]).toMatchObject({ kind: 'branch', id: 'ses_1#reverted' });
  });
});

describe('decoding OpenCode messages', () => {
  const parts = (message: object): unknown[] =>
    opencodeCodec.decode(message, 4).parts.map(({ type }) => type);

  it('finds the call and its result in one part, and passes over what is never sent', () => {
    const message = opencodeAnswer(2, {}, { type: 'reasoning', text: 'Hm.' }, opencodeTool('c1', 'out'), {
      type: 'patch',
      hash: 'f',
    });
    expect(parts(message)).toEqual(['reasoning', 'call', 'result']);
    expect(parts(opencodeUser(1, { type: 'text', text: 'x', ignored: true }))).toEqual([]);
  });

  it('makes ids of its own for redacted ones', () => {
    const [call, result] = opencodeCodec.decode(
      opencodeAnswer(2, {}, opencodeTool('REDACTED', 'out')),
      4,
    ).parts;
    expect(call).toMatchObject({ callId: 'prt_2' });
    expect(result).toMatchObject({ callId: 'prt_2' });
  });

  it('reads an output that OpenCode cleared as what the model sees of it', () => {
    const tool = opencodeTool('c1', 'a long text', { time: { start: 1, end: 2, compacted: 3 } });
    const [, result] = opencodeCodec.decode(opencodeAnswer(2, {}, tool), 0).parts;
    expect(result).toMatchObject({ pieces: [{ text: '[Old tool result content cleared]' }] });
  });

  it('reads a call that is still running without a result', () => {
    expect(parts(opencodeAnswer(2, {}, opencodeTool('c1', '', { status: 'running' })))).toEqual(['call']);
  });
});

describe('a message of another format, as OpenCode holds it', () => {
  const image = { type: 'media', mediaType: 'image/png', source: { type: 'base64', data: 'aGk=' } } as const;
  const call = { type: 'call', callId: 'c1', name: 'see', input: {} } as const;
  const result = { type: 'result', callId: 'c1', name: 'see', isError: false } as const;
  const answer = (...parts: Synthetic['parts']): Composed<unknown> =>
    opencodeCodec.compose({ role: 'assistant', kind: 'converted', parts });

  it('keeps the images of a result beside its text', () => {
    const { messages, losses } = answer(call, { ...result, content: [{ type: 'text', text: 'It:' }, image] });
    expect(losses).toEqual([]);
    expect(opencodeCodec.neutral(opencodeCodec.decode(messages[0], 0))[1]).toMatchObject({
      content: [{ type: 'text', text: 'It:' }, image],
    });
  });

  it('tells what it has no place for: files of an assistant, and of a call that failed', () => {
    const shown = answer({ type: 'text', text: 'I drew it:' }, image);
    expect(shown.messages).toMatchObject([{ parts: [say('I drew it:'), say('[image/png]')] }]);
    expect(shown.losses).toEqual([{ path: 'parts[1]', reason: 'a file that an assistant shows' }]);
    const failed = answer(call, { ...result, isError: true, content: [image] });
    expect(failed.losses).toEqual([
      { path: 'parts[1]', reason: 'a file in the result of a call that failed' },
    ]);
  });
});

describe('writing an OpenCode export', () => {
  it('completes a written message so that it sorts after the one before it', async () => {
    const recording = await read(compacted.slice(0, 4));
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const view = session.messages.map((message, index): ViewMessage => ({
      type: 'original',
      index,
      message,
      isEdited: false,
    }));
    const composed = session.codec.compose({
      role: 'assistant',
      kind: 'summary',
      parts: [{ type: 'text', text: 'So far.' }],
    });
    const written: ViewMessage[] = composed.messages.map((message) => ({ type: 'written', message }));
    const { text } = writeRecording(recording, session, [
      view[0] as ViewMessage,
      ...written,
      ...view.slice(3),
    ]);
    const { messages } = JSON.parse(text) as {
      messages: { info: Record<string, unknown>; parts: Record<string, unknown>[] }[];
    };
    const allIds = messages.map(({ info }) => String(info['id']));
    expect(allIds).toEqual(allIds.toSorted());
    expect(messages[1]?.info).toMatchObject({
      role: 'assistant',
      sessionID: 'ses_1',
      parentID: 'msg_1',
      modelID: 'y',
      time: { created: 1 },
    });
    expect(messages[1]?.parts[0]).toMatchObject({
      type: 'text',
      text: 'So far.',
      messageID: allIds[1],
      sessionID: 'ses_1',
    });
  });

  const ownIds = (text: string): { messages: string[]; parts: string[] } => {
    const { messages } = JSON.parse(text) as {
      messages: { info: { id: string }; parts: { id: string }[] }[];
    };
    return {
      messages: messages.map(({ info }) => info.id),
      parts: messages.flatMap(({ parts }) => parts.map(({ id }) => id)),
    };
  };

  it('puts an answer whose request is not in the view under the newest request before it', async () => {
    const answer = (id: number, parentID: string): object =>
      opencodeAnswer(id, { parentID }, say(String(id)));
    const recording = await read([
      opencodeUser(1, say('One')),
      answer(2, 'msg_1'),
      opencodeUser(3, say('Two')),
      answer(4, 'msg_3'),
      answer(5, 'msg_3'),
    ]);
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const view = session.messages.map((message, index): ViewMessage => ({
      type: 'original',
      index,
      message,
      isEdited: false,
    }));
    const kept = view.filter((_, index) => index !== 2);
    const { messages } = JSON.parse(writeRecording(recording, session, kept).text) as { messages: unknown[] };
    const parents = messages.map((message) => (message as { info: { parentID?: string } }).info.parentID);
    expect(parents).toEqual([undefined, 'msg_1', 'msg_1', 'msg_1']);
  });

  it('makes ids of the shape and order of OpenCode’s own, and no figures that may be absent', async () => {
    const user = opencodeUser(1, { type: 'text', text: 'Go.' }) as { info: object; parts: object[] };
    const first = { ...user, info: { ...user.info, id: 'msg_cf404492c001lV6WNlgUTxmvhA' } };
    const later = { ...user, info: { ...user.info, id: 'msg_cf40449570016a25twd5nJliZO' } };
    const recording = await read([first, later]);
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const [before, after] = session.messages.map((message, index): ViewMessage => {
      return { type: 'original', index, message, isEdited: false };
    }) as [ViewMessage, ViewMessage];
    const parts = [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'So far.' },
      { type: 'media', mediaType: 'image/png', source: { type: 'base64', data: 'aGk=' } },
    ] as const;
    const written = (['assistant', 'user'] as const).flatMap((role) =>
      session.codec
        .compose({ role, kind: 'summary', parts: role === 'user' ? parts.slice(1) : parts.slice(0, 2) })
        .messages.map((message): ViewMessage => ({ type: 'written', message })),
    );
    const { text } = writeRecording(recording, session, [...written, before, ...written, after]);
    const { messages: ids, parts: partIds } = ownIds(text);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(6);
    for (const id of ids) expect(id).toMatch(/^msg_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
    for (const id of partIds) expect(id).toMatch(/^prt_([0-9a-f]{12}[0-9A-Za-z]{14}|1)$/);
    const { messages } = JSON.parse(text) as { messages: { info: object; parts: object[] }[] };
    expect(messages[3]?.info).not.toHaveProperty('finish');
    expect(messages[3]?.parts[0]).toMatchObject({ type: 'reasoning', time: { start: 1, end: 1 } });
    expect(messages[4]?.parts[1]).not.toHaveProperty('filename');
    expect(writeRecording(recording, session, [...written, before, ...written, after]).text).toBe(text);
  });

  it('leaves a message that is put back as it was', async () => {
    const recording = await read(compacted.slice(0, 4));
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const view = session.messages.map((message): ViewMessage => ({ type: 'written', message }));
    const { text } = writeRecording(recording, session, view);
    expect((JSON.parse(text) as { messages: unknown[] }).messages).toEqual(session.messages);
  });

  it('gives the second half of a message an id and parts of its own', async () => {
    const recording = await read(compacted.slice(0, 2));
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const half = session.messages[1] as { parts: readonly object[] };
    const view = [
      { type: 'original', index: 0, message: session.messages[0], isEdited: false },
      { type: 'original', index: 1, message: half, isEdited: false },
      { type: 'written', message: { ...half, parts: half.parts.slice(1) } },
    ] as const;
    const { messages } = ownIds(writeRecording(recording, session, view).text);
    expect(messages).toEqual(messages.toSorted());
    expect(new Set(messages).size).toBe(3);
  });

  it('makes ids from the time where those of an export are redacted', async () => {
    const user = opencodeUser(1, { type: 'text', text: 'Go.' }) as { info: object; parts: object[] };
    const time = { created: 1_773_620_447_569 };
    const recording = await read([{ ...user, info: { ...user.info, id: 'REDACTED', time } }]);
    const [session] = recording.sessions;
    if (session === undefined) throw new Error('no session');
    const [message] = session.codec.compose({
      role: 'user',
      kind: 'note',
      parts: [{ type: 'text', text: 'On.' }],
    }).messages;
    const { text } = writeRecording(recording, session, [
      { type: 'original', index: 0, message: session.messages[0], isEdited: false },
      { type: 'written', message },
    ]);
    expect(ownIds(text).messages[1]).toMatch(/^msg_cf4044951fff[0-9A-Za-z]{14}$/);
  });
});
