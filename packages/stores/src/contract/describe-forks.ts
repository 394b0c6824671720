import { describe, expect, it } from 'vitest';
import { openTranscript, renderView, sessionCodec, stateAt } from '@throughline/core';
import { replay } from '@throughline/core/internal';
import { compactedSession, toolStep, userMessage } from './compacted-session.ts';
import { begin, codeOf, leaseOf, message, messagesOf, linesOf, plainBytes } from './test-store.ts';
import type { SessionStore } from '@throughline/ports';
import type { EngineStep } from './compacted-session.ts';
import type { OpenStore } from './test-store.ts';

/** A session as a loop leaves it, compacted again and again; the steps of the engine that made it. */
async function longSession(
  store: SessionStore,
  sessionId: string,
): Promise<readonly (EngineStep & { readonly length: number })[]> {
  const { lease } = await begin(store, sessionId);
  const steps: (EngineStep & { readonly length: number })[] = [];
  for (const one of compactedSession(40)) {
    const { checkpoint, state } = one.step;
    const stored = checkpoint
      ? ({ type: 'checkpoint', checkpoint, state } as const)
      : ({ type: 'state', state } as const);
    await store.write(lease, [...one.messages.map(message), stored]);
    steps.push({ ...one, length: one.transcript.conversation.entries.length });
  }
  await store.leases.release(lease);
  return steps;
}

async function forkAt(store: SessionStore, sessionId: string, end: number, id: string): Promise<void> {
  const { state } = await store.history.context(sessionId);
  const checkpoints = (await store.history.checkpoints(sessionId)).map(({ checkpoint }) => checkpoint);
  if (!state) throw new Error('expected a state');
  await store.sessions.fork(sessionId, { end, id, state: stateAt(state, checkpoints, end) });
}

async function viewOf(store: SessionStore, sessionId: string): Promise<readonly unknown[]> {
  const { historyLength, state } = await store.history.context(sessionId);
  const all = messagesOf(await store.history.messages(sessionId, 0, historyLength));
  const transcript = openTranscript({ codec: sessionCodec }, all);
  const { view, skipped } = replay(transcript.conversation, state?.changes ?? []);
  expect(skipped).toEqual([]);
  return renderView(transcript, view).messages.map(({ message: one }) => one);
}

/** A session becomes two. */
export function describeForks(name: string, open: OpenStore): void {
  describe(`${name}: forks`, () => {
    it('have the messages up to their end, the compactions that saw no more, and the view of that time', async () => {
      const opened = await open();
      const { store } = opened;
      const steps = await longSession(store, 's');
      const before = await linesOf(store, 's');
      for (const at of [0, 9, 22, 39]) {
        const { step, transcript, length } = steps[at] ?? (steps.at(-1) as (typeof steps)[number]);
        await forkAt(store, 's', length, `f${at}`);
        const reader = await opened.again();
        expect(await viewOf(reader, `f${at}`)).toEqual(
          renderView(transcript, step.view).messages.map(({ message: one }) => one),
        );
        const info = await reader.sessions.read(`f${at}`);
        const checkpoints = await reader.history.checkpoints(`f${at}`);
        expect(info).toMatchObject({
          messageCount: length,
          headCheckpoint: step.state.head,
          parentSessionId: 's',
          forkedAt: length,
          family: 's',
          status: 'idle',
          lastEventSeq: 0,
          compactionCount: checkpoints.length,
        });
        for (const { checkpoint } of checkpoints) expect(checkpoint.historyEnd).toBeLessThanOrEqual(length);
        expect(await reader.history.messages(`f${at}`, 0, 999)).toMatchObject(
          (await reader.history.messages('s', 0, length)).map(({ message: one }) => ({ message: one })),
        );
      }
      // Compactions are in it, or it would prove nothing.
      expect((await store.history.checkpoints('f39')).length).toBeGreaterThan(2);
      expect(await linesOf(store, 's')).toEqual(before);
    });

    it('go their own way: neither sees what is said in the other, and either can be deleted', async () => {
      const opened = await open();
      const { store } = opened;
      const { lease } = await begin(store, 'one');
      const media = await store.attachments.keep('one', new Uint8Array([1, 2, 3]));
      const later = await store.attachments.keep('one', new Uint8Array([4]));
      const source = { type: 'url', url: `@blob:${media}` } as const;
      await store.write(lease, [
        message({ id: 'u', role: 'user', parts: [{ type: 'media', mediaType: 'image/png', source }] }),
        ...toolStep(1).map(message),
        message(userMessage('late', `needle later @blob:${later}`)),
      ]);
      const output = await store.attachments.keepOutput('one', 'call-1', 'the whole NEEDLE');
      await store.attachments.keepOutput('one', 'call-2', 'a needle of later');
      await store.sessions.fork('one', { end: 3, id: 'two', title: 'other', values: { pins: [0] } });

      expect(await store.sessions.read('two')).toMatchObject({ title: 'other', messageCount: 3 });
      expect(await store.value('two', 'pins')).toEqual([0]);
      expect(plainBytes(await store.attachments.read('two', media))).toEqual(new Uint8Array([1, 2, 3]));
      expect(await store.attachments.read('two', later)).toBeUndefined();
      expect((await store.history.search('two', 'needle')).map(({ id }) => id)).toEqual([output]);
      expect((await store.history.recall('two', output))?.text).toBe('the whole NEEDLE');
      expect(await store.history.find('two', 'late')).toBeUndefined();
      expect((await store.history.find('one', 'late'))?.ordinal).toBe(3);

      const own = await leaseOf(store, 'two');
      await store.write(own, [message(userMessage('late', 'said in two'))]);
      expect(await store.attachments.keepOutput('two', 'x', 'more')).toBe('o1');
      expect(await store.history.search('one', 'said in two')).toEqual([]);
      await store.sessions.delete('one');
      expect(plainBytes(await store.attachments.read('two', media))).toEqual(new Uint8Array([1, 2, 3]));
      expect((await store.history.recall('two', output))?.text).toBe('the whole NEEDLE');
      expect((await opened.blobs()).includes(later)).toBe(false);
      expect(messagesOf(await store.history.messages('two', 0, 9)).map(({ id }) => id)).toEqual([
        'u',
        'a1',
        't1',
        'late',
      ]);
      expect((await store.sessions.read('two')).parentSessionId).toBe('one');
    });

    it('keep an answer that is being written as far as it has got, and go on without it', async () => {
      const { store } = await open();
      const { id, lease } = await begin(store);
      await store.write(lease, [
        message(userMessage('u', 'go')),
        { type: 'message', message: { id: 'a', role: 'assistant', parts: [] }, isOpen: true },
        { type: 'part', messageId: 'a', part: { type: 'text', text: 'ha' }, isOpen: true },
        { type: 'text', messageId: 'a', part: 0, text: 'lf' },
      ]);
      await store.sessions.fork(id, { end: 2, id: 'f' });
      await store.write(lease, [{ type: 'text', messageId: 'a', part: 0, text: ' and more' }]);
      const [, open_] = await store.history.messages('f', 0, 9);
      expect(open_).toMatchObject({ isOpen: true, message: { parts: [{ type: 'text', text: 'half' }] } });
    });

    it('are refused where there is no such session, id or end, and nothing is left of them', async () => {
      const { store } = await open();
      await begin(store, 's');
      await begin(store, 'taken');
      expect(await codeOf(store.sessions.fork('x', { end: 0 }))).toBe('not-found');
      expect(await codeOf(store.sessions.fork('s', { end: 0, id: 'taken' }))).toBe('already-exists');
      for (const end of [1, -1, 0.5, Number.NaN])
        expect(await codeOf(store.sessions.fork('s', { end }))).toBe('invalid-option');
      expect((await store.sessions.list()).items).toHaveLength(2);
    });

    it('are a family of which a list may show the one touched last, each owner their own', async () => {
      const { store, clock } = await open();
      await store.sessions.create({ id: 'a', owner: 'ada' });
      clock.advance(1);
      await store.sessions.create({ id: 'b', owner: 'ada' });
      clock.advance(1);
      await store.sessions.fork('a', { id: 'a1', end: 0 });
      await store.sessions.fork('a1', { id: 'a2', end: 0 });
      const ids = async (query: Parameters<SessionStore['sessions']['list']>[0]): Promise<string[]> =>
        (await store.sessions.list(query)).items.map(({ id }) => id);
      expect(await ids({ isNewestOfFamily: true })).toEqual(['a2', 'b']);
      expect(await ids({ family: 'a' })).toEqual(['a2', 'a1', 'a']);
      clock.advance(1);
      const sinceMs = clock.nowMs();
      await store.sessions.rename('a', 'touched');
      expect(await ids({ isNewestOfFamily: true, owner: 'ada' })).toEqual(['a', 'b']);
      expect(await ids({ updatedSinceMs: sinceMs })).toEqual(['a']);
      expect(await store.sessions.read('a2')).toMatchObject({
        owner: 'ada',
        parentSessionId: 'a1',
        family: 'a',
      });
      // A copy that comes in under another id is no relative, but what was forked stays one.
      const lines = await linesOf(store, 'a');
      expect((await store.sessions.import(lines, { id: 'c' })).family).toBe('c');
      const forked = await linesOf(store, 'a1');
      expect(await store.sessions.import(forked, { id: 'd' })).toMatchObject({
        family: 'a',
        parentSessionId: 'a',
      });
    });
  });
}
