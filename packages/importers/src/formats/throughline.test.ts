import { expect, it } from 'vitest';
import { readRecording } from '../read-recording.ts';

const hash = 'ab'.repeat(32);
const source = { type: 'url', url: `@blob:${hash}` };
const media = { type: 'media', mediaType: 'image/png', source };
const lines = [
  { line: 'session', format: 1, id: 's1', title: 'Look', model: 'demo:scripted' },
  { line: 'message', message: { id: 'm0', role: 'user', parts: [{ type: 'text', text: 'Look' }, media] } },
  {
    line: 'message',
    message: {
      id: 'm1',
      role: 'assistant',
      parts: [{ type: 'call', callId: 'c', name: 'shot', input: {} }],
      usage: { inputTokens: 900, outputTokens: 5, cacheReadTokens: 700 },
    },
  },
  {
    line: 'message',
    message: {
      id: 'm2',
      role: 'tool',
      parts: [{ type: 'result', callId: 'c', name: 'shot', content: [media] }],
    },
  },
  { line: 'blob', hash, base64: 'iVBORw0KGgo=' },
  { line: 'of tomorrow' },
];

async function read(): ReturnType<typeof readRecording> {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  return await readRecording(
    (async function* () {
      yield text;
    })(),
  );
}

it('reads an export as it was said, media in place, with what the provider counted', async () => {
  const { format, sessions, notes } = await read();
  expect(format).toBe('throughline');
  expect(sessions).toMatchObject([{ id: 's1', title: 'Look', model: 'demo:scripted' }]);
  expect(JSON.stringify(sessions[0]?.messages).match(/iVBORw0KGgo=/g)).toHaveLength(2);
  expect(sessions[0]?.usage).toEqual([
    { messageIndex: 1, inputTokens: 900, cacheReadTokens: 700, cacheWriteTokens: 0, outputTokens: 5 },
  ]);
  expect(notes).toMatchObject([{ line: 6, note: 'a line of an unknown type is not read' }]);
});
