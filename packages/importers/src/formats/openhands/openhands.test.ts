import { describe, expect, it } from 'vitest';
import { jsonl } from '../../../test/samples.ts';
import { readRecording } from '../../read-recording.ts';
import type { RecordedSession, Recording } from '../../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(text: string, whole = false): Promise<Recording> {
  return readRecording(once(text), { whole });
}

/** Role and part types of each message. */
function outline(session: RecordedSession | undefined): string[] {
  return (session?.messages ?? []).map((message, index) => {
    const entry = session?.codec.decode(message, index);
    return `${entry?.role}: ${entry?.parts.map(({ type }) => type).join(' ')}`;
  });
}

const asked = (id: number, content: string, more: object = {}): object => ({
  id,
  source: 'user',
  action: 'message',
  args: { content, ...more },
});
const ran = (id: number, command: string): object => ({
  id,
  source: 'agent',
  action: 'run',
  args: { command },
});
const saw = (id: number, cause: number, content: string): object => ({
  id,
  source: 'agent',
  cause,
  observation: 'run',
  content,
});

const trajectory = [
  asked(0, 'Fix it.', { image_urls: ['data:image/png;base64,aGk=', 'https://x/a.png'] }),
  ran(1, 'ls'),
  saw(2, 1, 'a.py'),
  ran(3, 'cat a.py'),
  saw(4, 3, 'x = 1'),
];

describe('a trajectory of OpenHands before its SDK', () => {
  it.each([
    ['a list of events', trajectory],
    ['what the server gives', { trajectory }],
  ])('is read from %s, with its images', async (_, value) => {
    const { format, sessions } = await read(JSON.stringify(value));
    expect(format).toBe('openhands');
    expect(outline(sessions[0])).toEqual([
      'user: text media media',
      'assistant: call',
      'tool: result',
      'assistant: call',
      'tool: result',
    ]);
  });

  it.each([
    ['by their ids', { forgotten_event_ids: [1, 2] }],
    ['by the first and the last', { forgotten_events_start_id: 1, forgotten_events_end_id: 2 }],
  ])('is read without the events that a condensation names %s', async (_, forgotten) => {
    const args = { ...forgotten, summary: 'It was listed.', summary_offset: 1 };
    const text = JSON.stringify([...trajectory, { id: 5, source: 'agent', action: 'condensation', args }]);
    const { sessions } = await read(text);
    expect(outline(sessions[0])).toEqual([
      'user: text media media',
      'user: text',
      'assistant: call',
      'tool: result',
    ]);
    expect(JSON.stringify(sessions[0]?.messages[1])).toContain('It was listed.');
    expect((await read(text, true)).sessions[0]?.messages).toHaveLength(5);
  });
});

describe('the events of the OpenHands SDK', () => {
  it('are read with their images, and those of unknown kinds are told', async () => {
    const { sessions, notes } = await read(
      jsonl(
        { kind: 'MessageEvent', source: 'user', llm_message: { role: 'user', content: 'Look.' } },
        {
          kind: 'ActionEvent',
          source: 'agent',
          tool_name: 'browse',
          tool_call_id: 'b1',
          tool_call: { arguments: '{}' },
        },
        {
          kind: 'ObservationEvent',
          source: 'environment',
          tool_name: 'browse',
          tool_call_id: 'b1',
          observation: {
            is_error: true,
            content: [
              { type: 'text', text: 'Seen.' },
              { type: 'image', image_urls: ['https://x/a.png'] },
            ],
          },
        },
        { kind: 'PauseEvent', source: 'user' },
        { kind: 'NovelEvent', source: 'agent' },
      ),
    );
    expect(outline(sessions[0])).toEqual(['user: text', 'assistant: call', 'tool: result']);
    expect(sessions[0]?.messages[2]).toMatchObject({
      parts: [{ isError: true, content: [{ text: 'Seen.' }, { source: { url: 'https://x/a.png' } }] }],
    });
    expect(notes).toEqual([{ note: 'an event of type NovelEvent is not read' }]);
  });
});
