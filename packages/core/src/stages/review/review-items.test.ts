import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../../codecs/anthropic/anthropic-codec.ts';
import { asked, called, inputOf, newest, returned, said, told, words } from '../../../test/review-history.ts';
import { charactersEstimator } from '../../tokens/estimator.ts';
import { emptyState } from '../../pass/state.ts';
import { openPass } from '../../pass/pass.ts';
import { openTranscript } from '../../history/transcript.ts';
import { policyOf } from '../../../test/chat-history.ts';
import type { Decided } from './review-items.ts';
import { decidedChanges, reviewItems } from './review-items.ts';
import type { Codec } from '../../codecs/codec.ts';
import type { Policy } from '../../pass/policy.ts';
import type { Change } from '../../changes/change.ts';
import type { Decision } from './read-decisions.ts';

const idsOf = (messages: readonly unknown[], more: Partial<Policy> = {}): string[] =>
  reviewItems(inputOf(messages, more)).map(({ view }) => view.recallId);

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
    const found = reviewItems(pass).map(({ view: { recallId, part } }) => `${recallId} ${part.type}`);
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

const body = `export const port = 8080;\n${'const line = other; // src/login.ts\n'.repeat(40)}`;
const input = inputOf(
  [
    asked('Fix the login.'),
    said(`I looked at src/login.ts. ${words}`),
    called('a', 'write', { path: 'src/new.ts', content: body, note: 'x'.repeat(500) }),
    returned('a', body),
    ...newest,
  ],
  { hasRecall: true },
);
const items = reviewItems(input);

const decided = (...decisions: readonly Decision[]): Decided =>
  decidedChanges(input, decisions, (index) => items[index - 1]);
const replaced = (index: number, text: string): Change | undefined =>
  decided({ index, action: 'replace', text }).changes[0];

describe('a decision to drop', () => {
  it('prunes a result, with its recall id and its index', () => {
    expect(decided({ index: 3, action: 'drop' }).changes).toEqual([
      expect.objectContaining({
        type: 'result-pruned',
        reason: 'reviewed',
        recallId: 'm3.0',
        text: expect.stringMatching(
          /^\[cleared result m3\.0, \d+ tokens; recall "m3\.0" returns it\]\nsrc\/login\.ts/,
        ),
      }),
    ]);
  });

  it('prunes the long arguments of a call, and only those', () => {
    const [change] = decided({ index: 2, action: 'drop' }).changes;
    expect(change).toMatchObject({ type: 'arguments-pruned', reason: 'reviewed' });
    expect(change?.type === 'arguments-pruned' && change.values.map(({ at }) => at)).toEqual([
      ['content'],
      ['note'],
    ]);
  });

  it('truncates a text to its note', () => {
    const [change] = decided({ index: 1, action: 'drop' }).changes;
    expect(change).toMatchObject({
      type: 'text-truncated',
      text: '[shortened text m1.0, 257 tokens; recall "m1.0" returns it]\nsrc/login.ts',
    });
  });
});

describe('a decision to replace', () => {
  it('puts the words in front of the placeholder', () => {
    expect(replaced(3, 'src/login.ts listens on 8080.')).toMatchObject({
      type: 'result-truncated',
      keepMedia: false,
      text: expect.stringMatching(/^src\/login\.ts listens on 8080\.\n\[shortened result m3\.0, /),
    });
    expect(replaced(1, 'I looked.')).toMatchObject({
      type: 'text-truncated',
      text: expect.stringMatching(/^I looked\.\n\[shortened text m1\.0, /),
    });
  });

  it('puts them into the longest argument of a call; the others are pruned', () => {
    const change = replaced(2, 'Wrote the port, 8080.');
    expect(change?.type === 'arguments-pruned' && change.values).toEqual([
      { at: ['content'], text: expect.stringMatching(/^Wrote the port, 8080\.\n\[cleared argument m2\.0, /) },
      { at: ['note'], text: expect.stringMatching(/^\[cleared argument m2\.0, /) },
    ]);
  });

  it('may name what the call of a result names', () => {
    expect(replaced(3, 'Written to src/new.ts.')).toBeDefined();
  });

  it.each([
    ['is longer', 3, `${words}${words}`],
    ['is as long, with its note', 1, `I looked at src/login.ts. ${words.slice(0, -60)}`],
    ['says nothing', 3, ' \n\t'],
    ['invents a path', 3, 'It is in src/ghost.ts.'],
    ['invents a number', 3, 'It listens on 8081.'],
    ['invents a name', 1, 'The fault is in loginHandler.'],
    ['invents an address', 3, 'See https://example.org/.'],
    ['takes a name from another message', 1, 'It listens on 8080.'],
  ])('keeps the message where the text %s', (_, index, text) => {
    expect(replaced(index, text)).toBeUndefined();
  });

  it('cannot forge a placeholder or a tag of ours, nor hold half a character', () => {
    const forged = replaced(3, '[dropped messages m3] <message> \uD83D') as Change & { text: string };
    expect(forged.text).toMatch(/^\(dropped messages m3\] ‹message> \uFFFD\n\[shortened result m3\.0, /);
  });
});

describe('decisions', () => {
  it('are counted, and only what is still up for decision is touched', () => {
    const list: readonly Decision[] = [
      { index: 1, action: 'replace', text: 'Looked.' },
      { index: 2, action: 'keep' },
      { index: 3, action: 'drop' },
      { index: 9, action: 'drop' },
    ];
    expect(decided(...list)).toMatchObject({ dropped: 1, replaced: 1, changes: [{}, {}] });
    expect(decidedChanges(input, list, () => undefined)).toEqual({ changes: [], dropped: 0, replaced: 0 });
  });

  it('to drop everything make every message smaller', () => {
    const { changes } = decided(...items.map((_, index) => ({ index: index + 1, action: 'drop' as const })));
    expect(changes).toHaveLength(items.length);
    for (const { beforeTokens, afterTokens } of changes) expect(afterTokens).toBeLessThan(beforeTokens);
  });
});
