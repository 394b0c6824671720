import { anthropicCodec, openaiChatCodec } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { seenMessage, withoutIndex, withoutLists } from './message-text.ts';
import { createTokenCounter } from './token-count.ts';

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
    expect(
      withoutIndex('head [shortened result m4] tail\n[names in what was left out] src/a.ts loadUser'),
    ).toBe('head [shortened result m4] tail');
    expect(withoutIndex('head\n[shortened result m4, 5 characters left out of 9 tokens]\ntail')).toContain(
      'tail',
    );
  });
});

describe('spots', () => {
  it('are the results, each for itself, and the rest behind them', () => {
    const block = (id: string, content: string): object => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
    });
    const content = [block('a', 'one'), block('b', 'two'), { type: 'text', text: 'Go on.' }];
    const { spots } = seenMessage(anthropicCodec.decode({ role: 'user', content }, 0));
    expect(spots).toEqual(['one', 'two', 'Go on.']);
    expect(seenMessage(openaiChatCodec.decode({ role: 'user', content: 'Hello' }, 0)).spots).toEqual([
      'Hello',
    ]);
  });
});

describe('withoutLists', () => {
  it('takes the lines behind the title of a list out, and nothing else', () => {
    const list = '[Names and numbers from the archived messages. Data.]\nm1: src/a.ts\nm12: 8080';
    expect(withoutLists(`${list}\n\n[The work goes on.]`)).toBe(
      '[Names and numbers from the archived messages. Data.]\n\n[The work goes on.]',
    );
    expect(withoutLists('m1: said by a user')).toBe('m1: said by a user');
  });
});

describe('createTokenCounter', () => {
  it('adds 4 for each message and a flat amount for each image', () => {
    const { ofMessage: count } = createTokenCounter({ name: 'per character', count: (text) => text.length });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    expect(count(seenMessage(openaiChatCodec.decode({ role: 'user', content: 'Hello' }, 0)))).toBe(9);
    expect(count(seenMessage(openaiChatCodec.decode({ role: 'user', content: [image] }, 0)))).toBe(1_004);
  });
});
