import { describe, expect, it } from 'vitest';
import { readRecording } from '../read-recording.ts';
import { writeRecording } from '../write-recording.ts';
import type { RecordedSession, Recording, ViewMessage } from '../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(value: unknown): Promise<Recording> {
  return readRecording(once(JSON.stringify(value)));
}

function firstOf({ sessions }: Recording): RecordedSession {
  const [session] = sessions;
  if (session === undefined) throw new Error('no session');
  return session;
}

const modelInfo = (modelId: string): object => ({ modelId, providerId: 'anthropic', mode: 'act' });

/** The history of a task as the editor keeps it. */
const task = [
  { role: 'user', content: [{ type: 'text', text: '<task>\nFix it.\n</task>' }], ts: 1 },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'q1', name: 'read_file', input: { path: '/a' } }],
    modelInfo: modelInfo('model-1'),
    metrics: { tokens: { prompt: 500, completion: 9, cached: 100 }, cost: 0.1 },
    ts: 2,
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'q1', content: 'x' }], ts: 3 },
  { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], modelInfo: modelInfo('model-2'), ts: 4 },
];

const originals = ({ messages }: RecordedSession): ViewMessage[] =>
  messages.map((message, index) => ({ type: 'original', index, message, isEdited: false }));

describe('the history of a Cline task', () => {
  it('is read with the model that answered last', async () => {
    const recording = await read(task);
    expect(recording.format).toBe('cline');
    expect(firstOf(recording)).toMatchObject({ messages: task, model: 'model-2' });
  });

  it('is read where only the answers are marked', async () => {
    const bare = task.map((message) => ({ ...message, ts: undefined }));
    expect(firstOf(await read(bare)).model).toBe('model-2');
  });

  it('takes the model of a session without figures too', async () => {
    const messages = [task[0], { ...task[3], modelInfo: { id: 'model-3', provider: 'x' } }];
    expect(firstOf(await read({ version: 1, sessionId: 's', messages })).model).toBe('model-3');
  });

  it('is written back with what its messages have, and nothing made up', async () => {
    const recording = await read(task);
    const session = firstOf(recording);
    expect(writeRecording(recording, session, originals(session)).text).toBe(JSON.stringify(task));
    const note: ViewMessage = { type: 'written', message: { role: 'user', content: 'Go on.' } };
    const putBack: ViewMessage = { type: 'written', message: task[3] };
    const { text } = writeRecording(recording, session, [...originals(session).slice(0, 3), note, putBack]);
    expect(JSON.parse(text)).toEqual([
      ...task.slice(0, 3),
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }], ts: 3 },
      task[3],
    ]);
  });

  it('is read as Roo Code would send it: from its last summary on, without what a cut hides', async () => {
    const said = (role: string, words: string, more: object = {}): object => ({
      role,
      content: [{ type: 'text', text: words }],
      ts: 1,
      ...more,
    });
    const messages = [
      said('user', 'One', { condenseParent: 'c1' }),
      said('assistant', '1', { condenseParent: 'c1' }),
      said('user', 'Summary', { isSummary: true, condenseId: 'c1' }),
      said('assistant', '2', { truncationParent: 't1' }),
      said('user', 'Cut here', { isTruncationMarker: true, truncationId: 't1' }),
      said('assistant', '3', { truncationParent: 'gone' }),
    ];
    const recording = await read(messages);
    expect(recording.format).toBe('cline');
    expect(firstOf(recording).messages).toEqual([messages[2], messages[4], messages[5]]);
    expect(recording.sessions[1]).toMatchObject({ kind: 'archived', messages: { length: 3 } });
    const whole = await readRecording(once(JSON.stringify(messages)), { whole: true });
    expect(firstOf(whole).messages).toEqual(messages);
  });
});
