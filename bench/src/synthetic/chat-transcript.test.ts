import { describe, expect, it } from 'vitest';
import { brokenRules } from '@throughline/replay';
import { chatTranscript } from './chat-transcript.ts';
import { openaiChatCodec } from '@throughline/core';

describe('chatTranscript', () => {
  it.each([2, 3, 50, 301, 1_000])('makes a valid run of %i messages', (length) => {
    const messages = chatTranscript(length);
    expect(messages).toHaveLength(length);
    const entries = messages.map((message, index) => openaiChatCodec.decode(message, index));
    expect([...brokenRules(entries, { parts: new Set(), callIds: new Set() })]).toEqual([]);
    expect(messages.at(-1)).not.toHaveProperty('tool_calls');
  });

  it('is the same every time, and repeats no text', () => {
    const messages = chatTranscript(400);
    expect(chatTranscript(400)).toEqual(messages);
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(new Set(results).size).toBe(results.length);
  });
});
