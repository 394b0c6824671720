import { aiSdkCodec, openTranscript } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { answerRecall } from './recall-tool.ts';

const log = Array.from({ length: 2_000 }, (_, line) => `line ${line} 😀`).join('\n');
const transcript = openTranscript({ codec: aiSdkCodec }, [
  { role: 'user', content: 'Read the log.' },
  { role: 'assistant', content: log },
  { role: 'assistant', content: '' },
]);
const answer = (input: unknown, windowTokens = 4_000): string =>
  answerRecall(transcript, input, windowTokens);

describe('answerRecall', () => {
  it('returns a message by its id, also from JSON text', () => {
    expect(answer({ id: 'm0' })).toBe('Read the log.');
    expect(answer('{"id":" m0 "}')).toBe('Read the log.');
  });

  it('finds messages by words, with their ids', () => {
    expect(answer({ query: 'LINE 1999' })).toMatch(/^m1 \(assistant\): .*line 1999/s);
    expect(answer({ query: 'nowhere' })).toContain('Nothing');
  });

  it('returns a long text page by page, the whole of it', () => {
    let text = '';
    let offset = 0;
    for (let pages = 0; pages < 100; pages += 1) {
      const page = answer({ id: 'm1', offset });
      const left = /\n\[\d+ characters left: offset (\d+)\]$/.exec(page);
      text += left ? page.slice(0, left.index) : page;
      if (!left) break;
      offset = Number(left[1]);
    }
    expect(text).toBe(log);
  });

  it('says so where there is no text, or none so far behind', () => {
    expect(answer({ id: 'm2' })).toBe('m2 is empty.');
    expect(answer({ id: 'm0', offset: 500 })).toBe('m0 has 13 characters; there is nothing from 500 on.');
  });

  it.each([
    [undefined],
    [null],
    [7],
    ['{'],
    [{}],
    [{ id: 7 }],
    [{ id: 'm99' }],
    [{ id: 'm1', offset: -3 }],
    [{ query: ' ' }],
  ])('answers %j without throwing', (input) => {
    expect(answer(input)).not.toBe('');
  });
});
