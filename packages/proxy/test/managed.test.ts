import { ConversationIndex } from '../src/identity/conversation-index.ts';
import { ContextManager } from '../src/manage/context-manager.ts';
import { createStrategy } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { dialects } from '../src/wire/dialect.ts';
import { openMemoryStore } from '@throughline/stores';
import { randomIds } from '@throughline/ports';
import { readClientRequest } from '../src/wire/client-request.ts';
import { readOverflow } from '@throughline/drivers';
import { StoreGuard } from '../src/state/store-guard.ts';
import type { ClientRequest } from '../src/wire/client-request.ts';
import { withSmallerAnswer } from '../src/manage/request-text.ts';
import type { Managed } from '../src/manage/managed.ts';
import type { ProxyStore } from '@throughline/ports';
import type { TooLarge } from '../src/manage/asking.ts';

const windowTokens = 4_000;
const sentence = 'The account was moved to the other ledger because the first one was closed. ';

/** Messages of one talk, the user's last. It is compacted in its turns 12 and 18, of 23 and 35 messages. */
const talkOf = (turns: number, name = 'one'): readonly object[] =>
  Array.from({ length: 2 * turns - 1 }, (_, at) =>
    at % 2 === 0
      ? { role: 'user', content: `Question ${at / 2} of ${name}: why? ${sentence.repeat(11)}` }
      : { role: 'assistant', content: `As ${name} was, ${at}.` },
  );
const lengthOf = (turns: number): number => 2 * turns - 1;
/** Another talk that begins with so many messages of the first. */
const forkOf = (turns: number, shared: number): readonly object[] => [
  ...talkOf(turns).slice(0, shared),
  ...talkOf(turns, 'another').slice(shared),
];

function requestOf(messages: readonly object[], maxTokens = 300): ClientRequest {
  const body = { model: 'm', max_tokens: maxTokens, messages };
  const request = readClientRequest(dialects.chat, JSON.stringify(body));
  if (!request) throw new Error('expected a request');
  return request;
}

const hourMs = 3_600_000;

const asking = {
  route: { name: 'it', upstream: '', policy: { strategy: createStrategy('reactive-overflow') } },
  scope: 's',
  owner: '',
  endpoint: { dialect: 'chat', baseUrl: '', model: 'm', headers: {} },
  limits: {
    window: { tokens: windowTokens, source: 'user' },
    maxOutput: { tokens: 400, source: 'user' },
  },
  signal: new AbortController().signal,
} as const;

/** What one process makes of requests, without its sockets. */
interface Process {
  readonly manager: ContextManager;
  manage(messages: readonly object[], tooLarge?: TooLarge): Promise<Managed>;
  /** The bytes that go to the upstream. */
  send(messages: readonly object[], tooLarge?: TooLarge): Promise<string>;
}

function startProcess(store?: ProxyStore, nowMs: () => number = () => 0): Process {
  const services = { clock: { nowMs }, readOverflow };
  const manager = new ContextManager(
    new ConversationIndex(),
    services,
    store && new StoreGuard(store, services),
  );
  const manage: Process['manage'] = (messages, tooLarge) =>
    manager.manage(requestOf(messages), asking, tooLarge);
  return {
    manager,
    manage,
    send: async (messages, tooLarge) => (await manage(messages, tooLarge)).text ?? requestOf(messages).text,
  };
}

/** The store as long as it can be used. */
function breakable(store: ProxyStore, isBroken: () => boolean): ProxyStore {
  const guarded = <Methods extends object>(methods: Methods): Methods =>
    new Proxy(methods, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== 'function') return guarded(member as object);
        return isBroken() ? () => Promise.reject(new Error('the disk is gone')) : member;
      },
    });
  return guarded(store);
}

/** The store that is pruned right before one of these methods is called for the first time, and what it was asked for. */
function prunedBefore(
  store: ProxyStore,
  names: readonly string[],
  prune: () => Promise<unknown>,
): { readonly store: ProxyStore; readonly asked: readonly string[] } {
  const asked: string[] = [];
  let isPruned = false;
  const before = async (name: string, told = name): Promise<void> => {
    asked.push(told);
    if (isPruned || !names.includes(name)) return;
    isPruned = true;
    await prune();
  };
  const { passes, conversations } = store;
  return {
    asked,
    store: {
      ...store,
      addMessages: async (scope, after, messages) => {
        await before(
          'addMessages',
          `addMessages ${after === null ? 'from the beginning' : 'behind another'}`,
        );
        return await store.addMessages(scope, after, messages);
      },
      passes: {
        ...passes,
        replace: async (scope, pass, version) => {
          await before('passes.replace');
          return await passes.replace(scope, pass, version);
        },
      },
      conversations: {
        ...conversations,
        update: async (scope, note) => {
          await before('conversations.update');
          return await conversations.update(scope, note);
        },
      },
    },
  };
}

const messagesOf = (body: string): readonly object[] => JSON.parse(body).messages;

/** What is sent for a history that goes on behind what was sent for so many turns of it. */
const behind = (sent: string, turns: number, messages: readonly object[]): readonly object[] => [
  ...messagesOf(sent),
  ...messages.slice(lengthOf(turns)),
];

async function sendTurns(process: Process, from: number, to: number): Promise<readonly string[]> {
  const sent: string[] = [];
  for (let turns = from; turns <= to; turns += 1) sent.push(await process.send(talkOf(turns)));
  return sent;
}

it('a talk that parts from another gets what it would get if that had ended where they part', async () => {
  const ends = 20;
  for (const shared of [1, 2, 21, 22, 23, 24, 33, 34, 35, 36, lengthOf(ends) - 1]) {
    const [both, alone] = [startProcess(), startProcess()];
    await sendTurns(both, 1, ends);
    await sendTurns(alone, 1, Math.floor((shared + 1) / 2));
    const turns = Math.floor(shared / 2) + 1;
    for (const length of [turns, turns + 1, ends, ends + 6]) {
      const fork = forkOf(length, shared);
      expect(await both.send(fork), `${shared} shared of ${lengthOf(length)}`).toBe(await alone.send(fork));
    }
  }
});

describe('an answer that is made smaller because the upstream has counted its prompt', () => {
  const counted = { promptTokens: 7_000, isAtLeast: false };
  const asked = requestOf(talkOf(2), 4_000);

  it('gets the room there is, down to 1 024 tokens, and below that the context is made smaller instead', async () => {
    const here = startProcess();
    const managed = await here.manager.manage(asked, asking);
    const limitFor = (roomTokens: number) =>
      withSmallerAnswer(asked, managed, { ...counted, windowTokens: 7_000 + roomTokens });
    for (const roomTokens of [1_024, 1_025, 3_000]) {
      const smaller = limitFor(roomTokens);
      expect(smaller?.maxTokens).toBe(roomTokens);
      expect(JSON.parse(smaller?.text ?? '')).toMatchObject({ max_tokens: roomTokens });
    }
    for (const roomTokens of [1_023, 1, 0, -500]) expect(limitFor(roomTokens)).toBeUndefined();
  });

  it('is halved where nobody knows how large the prompt is, down to 1 024 tokens', async () => {
    const here = startProcess();
    const managed = await here.manager.manage(asked, asking);
    const limitOf = (maxTokens: number) =>
      withSmallerAnswer(
        asked,
        { ...managed, maxTokens },
        { ...counted, windowTokens: 20_000, isAtLeast: true },
      )?.maxTokens;
    expect([3_999, 2_049, 2_048, 2_047].map(limitOf)).toEqual([1_999, 1_024, 1_024, undefined]);
  });
});

describe('processes on one store', () => {
  let nowMs = 0;
  const openStore = () => openMemoryStore({ clock: { nowMs: () => nowMs }, ids: randomIds });
  const tooLarge: TooLarge = { windowTokens: 2_400 };

  it('go on with what another has put in the place of their pass', async () => {
    await using store = await openStore();
    const [here, there] = [startProcess(store.proxy), startProcess(store.proxy)];
    const first = (await sendTurns(here, 1, 12)).at(-1);
    const replaced = await there.send(talkOf(12), tooLarge);
    expect(replaced.length).toBeLessThan(first?.length ?? 0);
    expect(await here.send(talkOf(12))).toBe(replaced);
    expect(messagesOf(await here.send(talkOf(14)))).toEqual(behind(replaced, 12, talkOf(14)));
  });

  it('put a pass in the place of that one, where it is too large for the window that is known there', async () => {
    await using store = await openStore();
    const [here, there] = [startProcess(store.proxy), startProcess(store.proxy)];
    await sendTurns(here, 1, 12);
    const replaced = await there.send(talkOf(12), tooLarge);
    expect(await here.send(talkOf(12))).toBe(replaced);
    const smaller = await here.send(talkOf(12), { windowTokens: 1_800 });
    expect(smaller.length).toBeLessThan(replaced.length);
    expect(await there.send(talkOf(12))).toBe(smaller);
  });

  it('go on with it where a talk parts from another right behind that pass', async () => {
    await using store = await openStore();
    const [here, there] = [startProcess(store.proxy), startProcess(store.proxy)];
    await sendTurns(here, 1, 14);
    const replaced = await there.send(talkOf(12), tooLarge);
    const fork = forkOf(13, lengthOf(12));
    expect(messagesOf(await here.send(fork))).toEqual(behind(replaced, 12, fork));
    const smaller = await here.send(fork, { windowTokens: 1_800 });
    expect(smaller.length).toBeLessThan(replaced.length);
    expect(await startProcess(store.proxy).send(fork)).toBe(smaller);
  });

  it('go on with what another has stored while their own store could not be used', async () => {
    await using store = await openStore();
    let isBroken = false;
    const broken = breakable(store.proxy, () => isBroken);
    const here = startProcess(broken, () => nowMs);
    await sendTurns(here, 1, 11);
    isBroken = true;
    await sendTurns(here, 12, 13);
    const stored = await startProcess(store.proxy).send(talkOf(12), tooLarge);
    isBroken = false;
    nowMs += hourMs;
    expect(messagesOf(await here.send(talkOf(14)))).toEqual(behind(stored, 12, talkOf(14)));
  });

  it('keep a pass that the store has not, where the store has but one of a shorter history', async () => {
    await using store = await openStore();
    let isBroken = false;
    const broken = breakable(store.proxy, () => isBroken);
    const here = startProcess(broken, () => nowMs);
    await sendTurns(here, 1, 11);
    isBroken = true;
    const sent = await here.send(talkOf(12));
    await startProcess(store.proxy).send(talkOf(11), tooLarge);
    isBroken = false;
    nowMs += hourMs;
    expect(messagesOf(await here.send(talkOf(13)))).toEqual(behind(sent, 12, talkOf(13)));
    expect(await here.send(talkOf(12))).toBe(sent);
  });

  it('store a pass though what it stands on is pruned between the two', async () => {
    await using store = await openStore();
    const pruned = prunedBefore(store.proxy, ['passes.replace'], async () => {
      nowMs += 2 * hourMs;
      // A pass stands at the last answer; what comes behind that is stored after it.
      expect((await store.proxy.prune({})).messages).toBe(lengthOf(12) - 1);
    });
    const sent = await startProcess(pruned.store).send(talkOf(12), tooLarge);
    expect(pruned.asked).toEqual([
      'addMessages from the beginning',
      'passes.replace',
      'addMessages from the beginning',
      'passes.replace',
      'addMessages behind another',
    ]);
    expect(await startProcess(store.proxy).send(talkOf(12))).toBe(sent);
    expect(sent).not.toBe(await startProcess().send(talkOf(12)));
  });

  it('store a history from its beginning where what it goes on from is pruned meanwhile', async () => {
    await using store = await openStore();
    await sendTurns(startProcess(store.proxy), 11, 11);
    const pruned = prunedBefore(store.proxy, ['addMessages'], async () => {
      nowMs += 2 * hourMs;
      expect((await store.proxy.prune({})).messages).toBe(lengthOf(11));
    });
    const sent = await startProcess(pruned.store).send(talkOf(12), tooLarge);
    expect(pruned.asked).toEqual([
      'addMessages behind another',
      'addMessages from the beginning',
      'passes.replace',
      'addMessages behind another',
    ]);
    expect(await startProcess(store.proxy).send(talkOf(12))).toBe(sent);
  });

  it('write down a conversation though its history is pruned meanwhile', async () => {
    await using store = await openStore();
    const pruned = prunedBefore(store.proxy, ['conversations.update'], async () => {
      nowMs += 2 * hourMs;
      expect((await store.proxy.prune({})).messages).toBe(lengthOf(12));
    });
    const here = startProcess(pruned.store);
    await here.manager.answered(await here.manage(talkOf(12)), asking);
    await here.manager[Symbol.asyncDispose]();
    const { items } = await store.proxy.conversations.list({ owner: '' });
    expect(items).toMatchObject([{ length: lengthOf(12) }]);
  });
});
