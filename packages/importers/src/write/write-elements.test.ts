import { editObject } from '@throughline/core/codec';
import { describe, expect, it } from 'vitest';
import { chatMessages } from '../../test/samples.ts';
import { readRecording } from '../read-recording.ts';
import { writeRecording } from '../write-recording.ts';
import type { ViewMessage } from '../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** The file with the view of its first session changed. */
async function rewrite(
  text: string,
  change: (view: ViewMessage[]) => ViewMessage[],
  index = 0,
): Promise<string> {
  const recording = await readRecording(once(text));
  const session = recording.sessions[index];
  if (session === undefined) throw new Error('no session');
  const view = session.messages.map((message, at): ViewMessage => ({
    type: 'original',
    index: at,
    message,
    isEdited: false,
  }));
  return writeRecording(recording, session, change(view)).text;
}

const note: ViewMessage = { type: 'written', message: { role: 'user', content: 'Go on: $&' } };

/** Odd but valid: numbers, escapes and spaces that a writer of its own would not make. */
const odd = `{
    "temperature": 1.0e0,  "note": "caf\\u00e9",
    "messages": [
        {"role": "user",   "content": "A\\/B \\u2028"},
        {"content": "C", "role": "assistant", "x_unknown": [1.50, {}]},
        {"role": "user", "content": "D"}
    ],
    "stream": true
}
`;

describe('writeElements', () => {
  it('leaves every byte outside of what is left out or put in', async () => {
    expect(await rewrite(odd, (view) => view.slice(0, 2))).toBe(
      odd.split(',\n        {"role": "user", "content": "D"}').join(''),
    );
    expect(await rewrite(odd, (view) => view.slice(1))).toBe(
      odd.split('{"role": "user",   "content": "A\\/B \\u2028"},\n        ').join(''),
    );
  });

  it('lays out a written message like the rest of the file', async () => {
    const text = await rewrite(odd, ([first, ...rest]) => [first as ViewMessage, note, ...rest]);
    const added = '{\n            "role": "user",\n            "content": "Go on: $&"\n        },\n        ';
    expect(text).toBe(odd.split('{"content": "C"').join(`${added}{"content": "C"`));
  });

  it('writes on one line where the file does', async () => {
    const text = JSON.stringify({ messages: [{ role: 'user', content: 'A' }] });
    expect(await rewrite(text, (view) => [...view, note])).toBe(
      text.split('}]').join('},{"role":"user","content":"Go on: $&"}]'),
    );
  });

  it('changes of an edited message only the edited value', async () => {
    const text = await rewrite(odd, (view) =>
      view.map((item) => {
        if (item.type !== 'original' || item.index !== 1) return item;
        return {
          ...item,
          message: editObject(item.message, [{ at: ['content'], set: '"cleared"' }]),
          isEdited: true,
        };
      }),
    );
    expect(text).toBe(odd.split('"C"').join('"\\"cleared\\""'));
  });

  it('changes one session of a dataset and keeps the others', async () => {
    const text = JSON.stringify(
      [
        { task_id: 1, traj: chatMessages },
        { task_id: 2, traj: chatMessages },
      ],
      null,
      1,
    );
    const truncated = await rewrite(text, (view) => view.slice(0, 2), 1);
    const half = text.indexOf('"task_id": 2');
    expect(truncated.startsWith(text.slice(0, half))).toBe(true);
    expect((JSON.parse(truncated) as { traj: unknown[] }[]).map(({ traj }) => traj.length)).toEqual([5, 2]);
  });
});
