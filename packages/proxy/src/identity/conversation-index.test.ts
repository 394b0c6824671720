import { anthropicCodec, createStrategy, emptyState } from '@throughline/core';
import { ConversationIndex, stateAfter } from './conversation-index.ts';
import { describe, expect, it } from 'vitest';
import { dialects } from '../wire/dialect.ts';
import { openSnapshot } from '@throughline/adapters/following';
import fc from 'fast-check';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Conversation } from './conversation-index.ts';

/** As much as all conversations may come to, in characters. */
const mostCharacters = 50_000_000;
const budget = { windowTokens: 4_000 };

function conversationOf(name: number, passes: Conversation['passes'] = []): Conversation {
  return {
    id: String(name),
    scope: 's',
    snapshot: openSnapshot(anthropicCodec, emptyState(), {
      policy: { strategy: createStrategy('reactive-overflow'), budget },
    }),
    passes,
    asked: new Set(),
    chain: [],
    lookedUp: 0,
    isRecognised: false,
    news: { compactions: 0 },
    idle: Promise.resolve(),
  };
}

/** A request whose text would be so long. */
function requestOf(name: number, characters: number): ClientRequest {
  return {
    dialect: dialects.messages,
    text: { length: characters } as string,
    body: {},
    instructions: [],
    messages: [{ role: 'user', content: `Talk ${name}` }],
    model: 'm',
    isStreamed: false,
  };
}

describe('ConversationIndex', () => {
  it('keeps the one that is served, and of the others those heard of last that fit beside it', () => {
    const heard = fc.record({
      name: fc.nat({ max: 5 }),
      characters: fc.constantFrom(
        1,
        mostCharacters / 4,
        mostCharacters / 2,
        mostCharacters,
        2 * mostCharacters,
      ),
    });
    fc.assert(
      fc.property(fc.array(heard, { minLength: 1, maxLength: 12 }), (all) => {
        const conversations = Array.from({ length: 6 }, (_, name) => conversationOf(name));
        const index = new ConversationIndex();
        /** Those that are to be kept, the one heard of last at the end. */
        let kept: typeof all = [];
        for (const one of all) {
          index.keep(conversations[one.name] as Conversation, requestOf(one.name, one.characters));
          kept = [...kept.filter(({ name }) => name !== one.name), one];
          while (
            kept.length > 1 &&
            kept.reduce((sum, { characters }) => sum + characters, 0) > mostCharacters
          )
            kept = kept.slice(1);
          const known = conversations.flatMap((conversation, name) =>
            index.has(conversation) ? [name] : [],
          );
          expect(known).toEqual(kept.map(({ name }) => name).toSorted((one, other) => one - other));
          expect(index.size).toBe(kept.length);
        }
      }),
    );
  });

  it('keeps a thousand conversations, and the one heard of longest ago goes first', () => {
    const index = new ConversationIndex();
    const conversations = Array.from({ length: 1_002 }, (_, name) => conversationOf(name));
    const keep = (name: number): void => index.keep(conversations[name] as Conversation, requestOf(name, 1));
    for (let name = 0; name < 1_000; name += 1) keep(name);
    expect(index.size).toBe(1_000);
    keep(0);
    keep(1_000);
    keep(1_001);
    expect(index.size).toBe(1_000);
    const gone = conversations.flatMap((conversation, name) => (index.has(conversation) ? [] : [name]));
    expect(gone).toEqual([1, 2]);
  });
});

describe('stateAfter', () => {
  it('is what the newest pass left that was made of no more messages than are shared and is not late', () => {
    const drawn = fc.array(fc.record({ messages: fc.integer({ min: 1, max: 9 }), isLate: fc.boolean() }));
    fc.assert(
      fc.property(drawn, fc.nat({ max: 10 }), (all, shared) => {
        const passes = all
          .toSorted((one, other) => one.messages - other.messages)
          .map((pass) => ({ ...pass, state: { ...emptyState() }, version: 1 }));
        const state = stateAfter(conversationOf(0, passes), shared);
        const counting = passes.filter(({ messages, isLate }) => messages <= shared && !isLate);
        if (counting.length > 0) expect(state).toBe(counting.at(-1)?.state);
        else expect(state).toEqual(emptyState());
      }),
    );
  });
});
