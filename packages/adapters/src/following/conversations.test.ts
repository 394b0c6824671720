import { aiSdkCodec, createStrategy, emptyState } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { Conversations } from './conversations.ts';
import type { ContextState, Policy } from '@throughline/core';
import type { Driver } from '@throughline/ports';

const policy: Policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 4_000 } };

const user = (content: string): unknown => ({ role: 'user', content });
const said = (content: string): unknown => ({ role: 'assistant', content });

/** A conversation far beyond the window. */
function long(name: string, turns = 40): unknown[] {
  return Array.from({ length: turns }, (_, turn) => [
    user(`${name}, question ${turn}: ${'why does it fail? '.repeat(20)}`),
    said(`${name}, answer ${turn}: ${'because of the account. '.repeat(20)}`),
  ])
    .flat()
    .concat([user(`${name}, and now?`)]);
}

const open = (options: object = {}): Conversations => new Conversations(aiSdkCodec, { policy, ...options });

describe('Conversations', () => {
  it('gives the same messages again for the same history', async () => {
    const conversations = open();
    const first = await conversations.fit(long('a'), {});
    const again = await conversations.fit(structuredClone(long('a')), {});
    expect(first.step.report.wasCompacted).toBe(true);
    expect(again.messages).toEqual(first.messages);
    expect(again.followed).toBe(first.followed);
  });

  it('keeps conversations apart that take turns', async () => {
    const conversations = open();
    const first = await conversations.fit(long('a'), {});
    await conversations.fit(long('b'), {});
    await conversations.fit([user('A title for this, please.')], {});
    const next = [...long('a'), said('It is the account.'), user('Thanks.')];
    const second = await conversations.fit(next, {});
    expect(second.followed).toBe(first.followed);
    // Nothing was compacted anew: the earlier request is the beginning of this one.
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
  });

  it('follows a host that carries the last view forward', async () => {
    const conversations = open();
    const first = await conversations.fit(long('a'), {});
    const carried = [...first.messages, said('It is the account.'), user('Thanks.')];
    const second = await conversations.fit(carried, {});
    expect(second.followed).toBe(first.followed);
    expect(second.isChanged).toBe(false);
    expect(second.after.transcript.conversation.entries.length).toBe(long('a').length + 2);
  });

  it('starts from the same state where the user goes back, and leaves what was there', async () => {
    const conversations = open();
    const first = await conversations.fit(long('a'), {});
    const edited = [...long('a').slice(0, -1), user('a, something else')];
    const forked = await conversations.fit(edited, {});
    expect(forked.followed).not.toBe(first.followed);
    expect(JSON.stringify(forked.messages.slice(0, 2))).toBe(JSON.stringify(first.messages.slice(0, 2)));
    expect((await conversations.fit(long('a'), {})).followed).toBe(first.followed);
  });

  it('loads a state only for what it does not know, and saves after each step', async () => {
    const loaded: number[] = [];
    const saved: ContextState[] = [];
    const store = {
      load: (messages: readonly unknown[]) => void loaded.push(messages.length),
      save: (state: ContextState) => void saved.push(state),
    };
    const conversations = open(store);
    const messages = long('a');
    await conversations.fit(messages, {});
    await conversations.fit([...messages, said('ok'), user('more')], {});
    expect(loaded).toEqual([messages.length]);
    expect(saved).toHaveLength(2);
    const resumed = open({ load: async () => JSON.parse(JSON.stringify(saved[0])) as ContextState });
    const again = await resumed.fit(messages, {});
    expect(again.step.report.wasCompacted).toBe(false);
    expect(again.after.state.checkpointCount).toBe(1);
  });

  it('takes in one count for a request, and none once a newer one was sent', async () => {
    const saved: ContextState[] = [];
    const conversations = open({ save: (state: ContextState) => void saved.push(state) });
    const first = await conversations.fit([user('go')], {});
    await conversations.count(first, 50);
    await conversations.count(first, 60);
    await conversations.fit([user('go'), said('ok'), user('on')], {});
    await conversations.count(first, 70);
    expect(saved.map(({ usage }) => usage?.actualTokens)).toEqual([undefined, 50, 50]);
  });

  it('lets a driver write the summary, ahead of need where there is time', async () => {
    const prose = `## Completed Work\n${'- looked at the account table, found two rows\n'.repeat(6)}`;
    let asked = 0;
    const driver: Driver = {
      name: 'counting',
      complete: async () => {
        asked += 1;
        return { type: 'text', text: prose, finish: 'stop' };
      },
    };
    const summariser = { type: 'model', windowTokens: 100_000 } as const;
    const conversations = open({ policy: { ...policy, summariser }, driver });
    const messages: unknown[] = [];
    const waits: number[] = [];
    let sent: readonly unknown[] = [];
    for (const message of long('a')) {
      messages.push(message);
      const before = asked;
      const step = await conversations.fit(messages, {});
      if (step.step.checkpoint) waits.push(asked - before);
      sent = step.messages;
    }
    expect(waits.length).toBeGreaterThan(1);
    // The summary lay ready each time: no step asked for one.
    expect(waits).toEqual(waits.map(() => 0));
    expect(JSON.stringify(sent)).toContain('looked at the account table');
    conversations.dispose();
  });

  it('names a conversation by what was sent, and the only one only where there is one', async () => {
    const conversations = open();
    const a = await conversations.fit([user('a')], {});
    expect(conversations.only()).toBe(a.followed);
    const b = await conversations.fit([user('b')], {});
    expect(conversations.only()).toBeUndefined();
    expect(conversations.sentAs([user('b'), said('more')])).toBe(b.followed);
    expect(conversations.sentAs([user('c')])).toBeUndefined();
  });

  it('forgets the one not heard of longest', async () => {
    const conversations = open();
    const first = await conversations.fit([user('0')], {});
    const second = await conversations.fit([user('1')], {});
    await conversations.fit([user('0')], {});
    for (let index = 2; index < 65; index += 1) await conversations.fit([user(String(index))], {});
    expect(conversations.sentAs([user('0')])).toBe(first.followed);
    expect(conversations.sentAs([user('1')])).not.toBe(second.followed);
  });

  it('leaves everything as it was when nothing can fit', async () => {
    const conversations = open({ policy: { ...policy, auto: false } });
    await expect(conversations.fit(long('a'), {})).rejects.toMatchObject({ code: 'cannot-fit' });
    expect(conversations.only()).toBeUndefined();
    const { state } = (await conversations.fit([user('go')], {})).after;
    expect(state.changes).toEqual(emptyState().changes);
  });
});
