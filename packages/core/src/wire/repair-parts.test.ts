import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { applyRepair } from './repaired.ts';
import { repair } from './repair.ts';
import type { Codec, WireRules } from '../codecs/codec.ts';

/** What goes out of a list of Anthropic messages, and what was done to it. */
function repaired(messages: readonly unknown[], rules: Partial<WireRules> = {}) {
  const codec: Codec = { ...anthropicCodec, rules: { ...anthropicCodec.rules, ...rules } };
  const entries = messages.map((message, ordinal) => codec.decode(message, ordinal));
  const { items, repairs } = repair(entries, codec, { ending: 'send' });
  const sent = applyRepair(entries, items, codec).map(({ message }) => message);
  return { sent, done: repairs.map(({ type }) => type) };
}

const go = { role: 'user', content: 'go' };
const search = { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} };
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] };
const result = { type: 'tool_result', tool_use_id: 'a', content: 'text' };

describe('repair of one message', () => {
  it('leaves a call that the provider still runs at the end, whatever else is mended', () => {
    const paused = { role: 'assistant', content: [search] };
    const { sent, done } = repaired([go, { role: 'user', content: [result] }, paused]);
    expect(sent.at(-1)).toBe(paused);
    expect(done).toEqual(['result-dropped', 'message-dropped']);
  });

  it('drops signed reasoning with broken characters, which cannot be cleaned without breaking its signature', () => {
    const thinking = { type: 'thinking', thinking: 'hm \uD83D', signature: 'c2ln' };
    const answer = { type: 'text', text: 'done' };
    const { sent, done } = repaired([go, { role: 'assistant', content: [thinking, answer] }, go]);
    expect(sent[1]).toEqual({ role: 'assistant', content: [answer] });
    expect(done).toContain('part-dropped');
  });

  it('tells nothing of the media of a result that is dropped', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    };
    const orphan = { type: 'tool_result', tool_use_id: 'x', content: [image] };
    const mediaIn = { ...anthropicCodec.rules.mediaIn, result: false };
    const { sent, done } = repaired([go, call, { role: 'user', content: [result, orphan] }], { mediaIn });
    expect(sent[2]).toEqual({ role: 'user', content: [result] });
    expect(done).toEqual(['result-dropped']);
  });

  it('leaves a call its id where the other one with that id is dropped', () => {
    const broken = { role: 'assistant', content: [{ type: 'text', text: 'I search.' }, search] };
    const { sent, done } = repaired([go, broken, go, call, { role: 'user', content: [result] }]);
    expect(sent[3]).toBe(call);
    expect(done).toEqual(['call-dropped']);
  });

  it('tells of a message without any text once, and not of its parts', () => {
    const blank = { role: 'user', content: [{ type: 'text', text: '' }] };
    expect(repaired([go, blank])).toEqual({ sent: [go], done: ['message-dropped'] });
  });
});
