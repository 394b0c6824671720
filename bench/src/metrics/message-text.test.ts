import { describe, expect, it } from 'vitest';
import { openaiChatCodec } from '@throughline/core';
import { seenMessage } from './message-text.ts';
import { createTokenCount } from './token-count.ts';
import { withoutIndex } from './blank-index.ts';

const calling = {
  role: 'assistant',
  content: 'Reading.',
  tool_calls: [
    {
      id: 'a',
      type: 'function',
      function: { name: 'read', arguments: '{"path":"C:\\\\a\\"b.ts","line":1200}' },
    },
  ],
};

describe('seenMessage', () => {
  it('costs arguments as they are sent and searches them unescaped', () => {
    const { costText, searchText } = seenMessage(openaiChatCodec.decode(calling, 0));
    expect(costText).toBe('Reading.\nread\n{"path":"C:\\\\a\\"b.ts","line":1200}');
    expect(searchText).toBe('Reading.\nread\nC:\\a"b.ts\n1200');
  });

  it('takes the index of a placeholder out, and nothing else', () => {
    expect(
      withoutIndex('[cleared result m4.0, 812 tokens; recall "m4.0" returns it]\nsrc/a.ts loadUser'),
    ).toBe('[cleared result m4.0, 812 tokens; recall "m4.0" returns it]');
    expect(withoutIndex('head\n[shortened result m4, 5 characters left out of 9 tokens]\ntail')).toContain(
      'tail',
    );
  });
});

describe('createTokenCount', () => {
  it('adds 4 for each message and a flat amount for each image', () => {
    const count = createTokenCount({ name: 'per character', count: (text) => text.length });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    expect(count(seenMessage(openaiChatCodec.decode({ role: 'user', content: 'Hello' }, 0)))).toBe(9);
    expect(count(seenMessage(openaiChatCodec.decode({ role: 'user', content: [image] }, 0)))).toBe(1_004);
  });
});
