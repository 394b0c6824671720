import { describe, expect, it } from 'vitest';
import { isAnthropicModel, markAiSdkForCache } from './mark-for-cache.ts';

const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } };
const user = (content: string, providerOptions?: object): object => ({
  role: 'user',
  content,
  ...(providerOptions && { providerOptions }),
});
const written = (kind: string): object => user(kind, { throughline: { kind } });
const marksIn = (messages: readonly unknown[]): readonly number[] =>
  messages.flatMap((message, index) => (JSON.stringify(message).includes('cacheControl') ? [index] : []));

describe('markAiSdkForCache', () => {
  const messages = [user('task'), written('summary'), user('a'), user('b'), user('c'), written('note')];

  it('marks the system text, the summary and the two newest messages that are no note', () => {
    const marked = markAiSdkForCache({ instructions: 'Be brief.', messages });
    expect(marked.instructions).toEqual([{ role: 'system', content: 'Be brief.', providerOptions: mark }]);
    expect(marksIn(marked.messages)).toEqual([1, 3, 4]);
    expect(marked.messages[1]).toEqual(user('summary', { throughline: { kind: 'summary' }, ...mark }));
    expect(marked.messages[0]).toBe(messages[0]);
    expect(marksIn(messages)).toEqual([]);
  });

  it('marks system text among the messages where there is none outside', () => {
    const system = [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
    ];
    expect(marksIn(markAiSdkForCache({ messages: [...system, ...messages] }).messages)).toEqual([1, 3, 5, 6]);
    const said = markAiSdkForCache({ instructions: system, messages: [user('a')] });
    expect(marksIn(said.instructions as unknown[])).toEqual([1]);
    expect(markAiSdkForCache({ messages: [] }).messages).toEqual([]);
  });

  it.each([
    [0, true, [3, 4, 5]],
    [1, true, [3, 5]],
    [2, true, [5]],
    [3, false, [5]],
    [4, false, []],
  ])('spends what %i other marks leave on what is worth most', (unseenMarks, isSystemMarked, places) => {
    const talk = [
      user('task'),
      { role: 'system', content: 'Mind the date.' },
      written('summary'),
      written('summary'),
      user('a'),
      user('b'),
      written('note'),
    ];
    const marked = markAiSdkForCache({ instructions: 'Be brief.', messages: talk, unseenMarks });
    expect(JSON.stringify(marked.instructions).includes('cacheControl')).toBe(isSystemMarked);
    expect(marksIn(marked.messages)).toEqual(places);
    // What the system says in the middle of a talk stands before nothing that comes again.
    const within = markAiSdkForCache({ messages: talk, unseenMarks });
    expect(marksIn(within.messages)).not.toContain(1);
  });

  it('counts marks wherever the client may set them', () => {
    const media = { type: 'content', value: [{ type: 'text', text: 'x', providerOptions: mark }] };
    const given = [
      { role: 'user', content: [{ type: 'text', text: 'a', providerOptions: mark }] },
      { role: 'tool', content: [{ type: 'tool-result', output: media }] },
      // What a tool said is no mark.
      {
        role: 'tool',
        content: [{ type: 'tool-result', output: { type: 'json', value: [{ providerOptions: mark }] } }],
      },
      user('b'),
    ];
    const beside = [
      { name: 'read', providerOptions: { anthropic: { cache_control: { type: 'ephemeral' } } } },
    ];
    const { instructions, messages: sent } = markAiSdkForCache({
      instructions: 'Be brief.',
      messages: given,
      beside,
    });
    expect(instructions).toBe('Be brief.');
    expect(marksIn(sent)).toEqual([0, 1, 2, 3]);
    expect(sent.slice(0, 3)).toEqual(given.slice(0, 3));
    expect(marksIn(markAiSdkForCache({ messages: given, beside, unseenMarks: 1 }).messages)).toEqual([
      0, 1, 2,
    ]);
  });

  it('keeps the other options of what it marks', () => {
    const thinking = { anthropic: { effort: 'high' }, openai: { store: false } };
    expect(markAiSdkForCache({ messages: [user('a', thinking)] }).messages).toEqual([
      user('a', { ...thinking, anthropic: { effort: 'high', cacheControl: { type: 'ephemeral' } } }),
    ]);
  });
});

describe('isAnthropicModel', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5', true],
    ['openai/gpt-5', false],
    [{ provider: 'anthropic.messages', modelId: 'claude' }, true],
    [{ provider: 'googleVertex.anthropic.messages', modelId: 'claude' }, true],
    [{ provider: 'gateway', modelId: 'anthropic/claude-sonnet-4-5' }, true],
    [{ provider: 'amazon-bedrock', modelId: 'anthropic.claude' }, false],
    [{}, false],
  ])('says of %j: %s', (model, isAnthropic) => {
    expect(isAnthropicModel(model)).toBe(isAnthropic);
  });
});
