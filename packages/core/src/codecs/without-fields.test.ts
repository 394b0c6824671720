import { describe, expect, it } from 'vitest';
import { openTranscript } from '../history/transcript.ts';
import { anthropicCodec } from './anthropic/anthropic-codec.ts';
import { withoutFields } from './without-fields.ts';

const answer = { role: 'assistant', id: 'msg_1', content: [{ type: 'text', text: 'Hi' }] };
const history = [{ role: 'user', content: 'Hello' }, answer];

const open = (fields: readonly string[]) =>
  openTranscript({ codec: withoutFields(anthropicCodec, fields, 'belongs to an answer') }, history);

describe('withoutFields', () => {
  it('leaves out the fields and notes it, and leaves the rest to the codec', () => {
    const [first, second] = [...open(['id', 'usage']).conversation.entries];
    expect(first?.wire).toBe(history[0]);
    expect(second?.wire).toEqual({ role: 'assistant', content: answer.content });
    expect(second?.mended?.mends).toEqual([{ at: ['id'], what: 'belongs to an answer' }]);
  });

  it.each(['content', 'role'])('refuses to leave out %s, which says something', (name) => {
    expect(() => open([name])).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  });
});
