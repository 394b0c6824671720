import { describe, expect, it } from 'vitest';
import { joinMessages } from './repaired.ts';

describe('joinMessages', () => {
  it('puts the blocks of all messages into one and keeps the fields of the base', () => {
    const base = { role: 'user', content: 'hello', name: 'kim' };
    const first = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] };
    expect(joinMessages([first, base], base)).toEqual([
      {
        role: 'user',
        name: 'kim',
        content: [
          { type: 'tool_result', tool_use_id: 'a' },
          { type: 'text', text: 'hello' },
        ],
      },
    ]);
  });

  it('leaves messages of another shape as they are', () => {
    const messages = [{ role: 'user', content: 'a' }, { type: 'function_call' }];
    expect(joinMessages(messages, messages[0])).toBe(messages);
  });
});
