import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../../codecs/anthropic/anthropic-codec.ts';
import { asked, called, inputOf, newest, returned, said, told, words } from '../../../test/review-history.ts';
import { charactersEstimator } from '../../tokens/estimator.ts';
import { emptyState } from '../../context/state.ts';
import { openPass, stageInput } from '../../context/pass.ts';
import { openTranscript } from '../../context/transcript.ts';
import { partRecallId } from '../../transcript/entry.ts';
import { policyOf } from '../../../test/chat-history.ts';
import { reviewItems } from './review-items.ts';
import type { Codec } from '../../codecs/codec.ts';
import type { Policy } from '../../context/policy.ts';

const idsOf = (messages: readonly unknown[], more: Partial<Policy> = {}): string[] =>
  reviewItems(inputOf(messages, more)).map(({ view }) => partRecallId(view.item.entry.ordinal, view.index));

const task = asked(words);
const write = called('a', 'write', { path: 'a.ts', content: words });

describe('what a reviewer decides about', () => {
  it('is old results, long arguments and texts of the assistant', () => {
    const messages = [task, said(words), write, returned('a', words), ...newest];
    expect(idsOf(messages)).toEqual(['m1.0', 'm2.0', 'm3.0']);
  });

  it.each<[string, readonly unknown[]]>([
    ['the words of the user', [task, asked(words), asked(words)]],
    ['the system prompt, wherever it stands', [told(words), task, told(words)]],
    ['what costs as little as its placeholder', [task, said('Short.'), returned('a', 'Done.')]],
    ['a call with short arguments', [task, called('a', 'read', { path: 'a.ts' }), returned('a', 'ok')]],
  ])('is never %s', (_, messages) => {
    expect(idsOf([...messages, ...newest])).toEqual([]);
  });

  it('is none of the newest five messages', () => {
    expect(idsOf([task, ...newest])).toEqual([]);
    expect(idsOf([task, ...newest, asked('And?')])).toEqual(['m1.0']);
  });

  it('is nothing the model has not answered, however much that is', () => {
    const calls = Array.from({ length: 12 }, (_, index) => `c${index}`);
    const open = {
      role: 'assistant',
      content: words,
      tool_calls: calls.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
    };
    const results = calls.slice(1).map((id) => returned(id, words));
    expect(idsOf([task, said(words), open, ...results])).toEqual(['m1.0']);
  });

  it('is nothing pinned', () => {
    const messages = [task, said(words), write, returned('a', words), ...newest];
    expect(idsOf(messages, { pins: [1, 3] })).toEqual(['m2.0']);
  });

  it('is nothing in front of a compaction of the provider, signed, or of its own tools', () => {
    const result = (id: string, content: string): unknown => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
    });
    const messages = [
      { role: 'user', content: words },
      { role: 'assistant', content: words },
      { role: 'assistant', content: [{ type: 'compaction', content: words }] },
      { role: 'user', content: words },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: words, signature: 'c2ln' },
          { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: words } },
          { type: 'web_search_tool_result', tool_use_id: 's', content: words },
          { type: 'tool_use', id: 'a', name: 'write', input: { content: words } },
        ],
      },
      { role: 'user', content: [result('a', words), { type: 'text', text: words }] },
      { role: 'assistant', content: words },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: 'Well.' },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: 'Well.' },
    ];
    const transcript = openTranscript(
      { codec: anthropicCodec as Codec, estimator: charactersEstimator },
      messages,
    );
    const pass = openPass(transcript, emptyState(), policyOf(100_000));
    const found = reviewItems(stageInput(pass)).map(
      ({ view: { item, index, part } }) => `${partRecallId(item.entry.ordinal, index)} ${part.type}`,
    );
    // Of the message that holds a result and the user's words, only the result.
    expect(found).toEqual(['m4.3 call', 'm5.0 result']);
  });

  it('comes with the call that it answers, also where ids repeat', () => {
    const messages = [
      task,
      called('a', 'read', { path: 'first.ts' }),
      returned('a', words),
      called('a', 'grep', { pattern: 'x' }),
      returned('a', words),
      ...newest,
    ];
    expect(reviewItems(inputOf(messages)).map(({ call }) => call?.name)).toEqual(['read', 'grep']);
  });
});
