import { describe, expect, it } from 'vitest';
import { saidElsewhere } from './message-blocks.ts';
import type { SessionMessage } from '@throughline/core/codec';

const text = (said: string) => ({ type: 'text', text: said }) as const;

describe('saidElsewhere', () => {
  it('is the message itself where one was taken alone', () => {
    const message: SessionMessage = {
      id: 'i1',
      role: 'user',
      parts: [text('go on')],
      meta: { coalesced: false, originalMessages: [{ id: 'i1' }] },
    };
    expect(saidElsewhere(message, ['i1'])).toEqual(['go on']);
  });

  it('is, of several taken together, those that are asked for', () => {
    const message: SessionMessage = {
      id: 'i1',
      role: 'user',
      parts: [text('First: one\n\nAlso: two')],
      meta: {
        coalesced: true,
        originalMessages: [
          { id: 'i1', content: 'one' },
          { id: 'i2', content: { parts: [text('two')] } },
        ],
      },
    };
    expect(saidElsewhere(message, ['i2'])).toEqual(['two']);
    expect(saidElsewhere(message, ['i1', 'i2'])).toEqual(['one', 'two']);
  });

  it.each([undefined, {}, { originalMessages: null }, { originalMessages: [1, null, {}] }])(
    'is the whole message where nothing says what it was made of: %j',
    (meta) => {
      const message: SessionMessage = {
        id: 'i1',
        role: 'user',
        parts: [text('go on')],
        ...(meta && { meta }),
      };
      expect(saidElsewhere(message, ['i1'])).toEqual(['go on']);
    },
  );
});
