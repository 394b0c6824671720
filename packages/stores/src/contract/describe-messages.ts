import { describe, expect, it } from 'vitest';
import { formerState, openTranscript, renderView, sessionCodec, emptyState } from '@throughline/core';
import { replay } from '@throughline/core/internal';
import { compactedSession, userMessage, toolStep } from './compacted-session.ts';
import { begin, message, messagesOf, codeOf } from './test-store.ts';
import type { Json, SessionMessage } from '@throughline/core/codec';
import type { RunWrite } from '@throughline/ports';
import type { OpenStore } from './test-store.ts';

/** Messages, and the context that is made of them. */
export function describeMessages(name: string, open: OpenStore): void {
  describe(`${name}: messages`, () => {
    it('keep unknown fields, the order of keys, lone surrogates, NUL and content that is no list of parts', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const odd = [
        {
          parts: [{ type: 'text', text: 'a\0b\ud83d', x: { '2': 1, '1': 2 } }],
          zeta: [null],
          id: 'a',
          role: 'user',
        },
        { id: 'b', role: 'user', parts: 'no list' },
        { id: 'c', role: 'user' },
        { id: 'd', role: 'martian', parts: [null, 7, 'text', { type: 'new' }] },
        { id: 'e', role: 'assistant', parts: null, meta: { kind: 'summary' } },
        JSON.parse('{"id":"f","role":"user","__proto__":{"x":1},"parts":[]}'),
      ] as unknown as SessionMessage[];
      await store.write(lease, odd.map(message));
      const stored = messagesOf((await store.history.context(id)).messages);
      expect(stored.map((one) => JSON.stringify(one))).toEqual(odd.map((one) => JSON.stringify(one)));
    });

    it('get an id where they have none, and are refused under one that is taken: nothing of the write is stored', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const written = await store.write(lease, [
        message(userMessage('', 'a')),
        message(userMessage('b', 'b')),
      ]);
      expect(written.messages.map(({ ordinal }) => ordinal)).toEqual([0, 1]);
      expect(written.messages[0]?.id).not.toBe('');
      const again = store.write(lease, [message(userMessage('c', 'c')), message(userMessage('b', 'again'))]);
      expect(await codeOf(again)).toBe('already-exists');
      expect((await store.sessions.read(id)).messageCount).toBe(2);
      expect(messagesOf((await store.history.context(id)).messages).map((one) => one.id)).toEqual([
        written.messages[0]?.id,
        'b',
      ]);
    });

    it('grow by parts and streamed text until they are finished, and are seen as far as they have got', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const open_: RunWrite = {
        type: 'message',
        message: { id: 'a', role: 'assistant', parts: [] },
        isOpen: true,
        model: 'm',
      };
      await store.write(lease, [open_]);
      const text = (part: number, added: string): RunWrite => ({
        type: 'text',
        messageId: 'a',
        part,
        text: added,
      });
      await store.write(lease, [
        { type: 'part', messageId: 'a', part: { type: 'reasoning', text: '' }, isOpen: true },
        { type: 'part', messageId: 'a', part: { type: 'text', text: '' }, isOpen: true },
        text(0, 'think'),
        text(1, 'half a pair \ud83d'),
      ]);
      await store.write(lease, [text(1, '\ude00 done'), text(0, 'ing')]);
      const seen = (await store.history.context(id)).messages[0];
      expect(seen).toMatchObject({ isOpen: true, model: 'm' });
      expect(seen?.message.parts).toEqual([
        { type: 'reasoning', text: 'thinking' },
        { type: 'text', text: 'half a pair 😀 done' },
      ]);
      await store.write(lease, [
        {
          type: 'finish-part',
          messageId: 'a',
          part: 0,
          content: { type: 'reasoning', text: 'thinking', signature: 's' },
          marks: { isTruncated: true, isCancelled: true },
        },
      ]);
      expect(await codeOf(store.write(lease, [text(0, 'late')]))).toBe('not-found');
      await store.write(lease, [
        { type: 'finish-message', messageId: 'a', fields: { finishReason: 'stop' }, error: 'cut off' },
      ]);
      const [done] = (await store.history.context(id)).messages;
      expect(done).toEqual({
        ordinal: 0,
        isOpen: false,
        createdAtMs: opened.clock.nowMs(),
        model: 'm',
        error: 'cut off',
        marks: [{ isTruncated: true, isCancelled: true }, {}],
        message: {
          id: 'a',
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'thinking', signature: 's' },
            { type: 'text', text: 'half a pair 😀 done' },
          ],
          finishReason: 'stop',
        },
      });
      for (const late of [
        text(1, 'late'),
        { type: 'part', messageId: 'a', part: { type: 'text', text: '' } },
        { type: 'finish-message', messageId: 'a' },
        { type: 'finish-part', messageId: 'a', part: 1 },
      ] satisfies RunWrite[]) {
        expect(await codeOf(store.write(lease, [late]))).toBe('not-found');
      }
    });

    it('are paged from the newest to the oldest without gap or double', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(
        lease,
        Array.from({ length: 23 }, (_, index) => message(userMessage(`u${index}`, `${index}`))),
      );
      const pages: (readonly number[])[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await store.history.page(id, { limit: 10, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.items.map(({ ordinal }) => ordinal));
        cursor = page.next;
      }
      expect(pages.map((page) => [page[0], page.at(-1)])).toEqual([
        [13, 22],
        [3, 12],
        [0, 2],
      ]);
      const { items, next } = await store.history.page(id, { limit: 4, cursor: '9' });
      expect(items.map(({ ordinal }) => ordinal)).toEqual([5, 6, 7, 8]);
      expect(next).toBe('5');
      expect((await store.history.messages(id, 5, 8)).map(({ ordinal }) => ordinal)).toEqual([5, 6, 7]);
      expect(await store.history.messages(id, -5_000, 1e15)).toHaveLength(23);
    });
  });

  describe(`${name}: context`, () => {
    it('is what the engine left, step by step, and holds all that its view shows and no more', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const again = await opened.again();
      let checkpoints = 0;
      let withUnloaded = 0;
      for (const { messages, transcript, step } of compactedSession(60)) {
        const { checkpoint, state } = step;
        await store.write(lease, [
          ...messages.map(message),
          checkpoint ? { type: 'checkpoint', checkpoint, state } : { type: 'state', state },
        ]);
        checkpoints += checkpoint ? 1 : 0;
        for (const handle of [store, again]) {
          const context = await handle.history.context(id);
          expect(context.state).toEqual(JSON.parse(JSON.stringify(state)));
          const shown = [...step.view.items].flatMap((item) =>
            item.type === 'entry' ? [item.entry.ordinal] : [],
          );
          expect(context.messages.map(({ ordinal }) => ordinal)).toEqual(
            shown.toSorted((left, right) => left - right),
          );
          expect(context.historyLength).toBe(transcript.conversation.entries.length);
          if (context.messages.length < context.historyLength) withUnloaded += 1;
        }
      }
      expect(checkpoints).toBeGreaterThan(3);
      expect(withUnloaded).toBeGreaterThan(10);
      expect(await store.sessions.read(id)).toMatchObject({ compactionCount: checkpoints });

      // The whole history with what was stored gives the view that was sent.
      const last = [...compactedSession(60)].at(-1);
      const { historyLength, state } = await again.history.context(id);
      const all = await again.history.messages(id, 0, historyLength);
      const transcript = openTranscript({ codec: sessionCodec }, messagesOf(all));
      const { view, skipped } = replay(transcript.conversation, state?.changes ?? []);
      expect(skipped).toEqual([]);
      expect(renderView(transcript, view).messages).toEqual(
        last && renderView(last.transcript, last.step.view).messages,
      );
    });

    it('goes back and forth over a checkpoint by moving the head, and shows a former one without moving it', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      for (const { messages, step } of compactedSession(60)) {
        await store.write(lease, [
          ...messages.map(message),
          step.checkpoint
            ? { type: 'checkpoint', checkpoint: step.checkpoint, state: step.state, cost: { tookMs: 5 } }
            : { type: 'state', state: step.state },
        ]);
      }
      const { state } = await store.history.context(id);
      const stored = await store.history.checkpoints(id);
      const head = stored.at(-1);
      if (!state || !head) throw new Error('expected checkpoints');
      expect(stored.map(({ checkpoint }) => checkpoint.parent)).toEqual([
        null,
        ...stored.slice(0, -1).map(({ checkpoint }) => checkpoint.id),
      ]);
      expect(stored.map(({ cost }) => cost)).toEqual(stored.map(() => ({ tookMs: 5 })));
      expect((await store.sessions.read(id)).headCheckpoint).toBe(head.checkpoint.id);

      const former = formerState(state, head.checkpoint);
      const preview = await store.history.context(id, former.changes);
      expect(preview.state?.head).toBe(head.checkpoint.id);

      await store.write(lease, [{ type: 'state', state: former }]);
      const undone = await (await opened.again()).history.context(id);
      expect(undone.state).toEqual(former);
      expect(messagesOf(undone.messages)).toEqual(messagesOf(preview.messages));
      expect((await store.sessions.read(id)).headCheckpoint).toBe(head.checkpoint.parent);
      expect(await store.history.checkpoints(id)).toEqual(stored);

      await store.write(lease, [{ type: 'state', state }]);
      expect((await store.history.context(id)).state).toEqual(state);
      const elsewhere = { ...state, head: 'nowhere' };
      expect(await codeOf(store.write(lease, [{ type: 'state', state: elsewhere }]))).toBe('not-found');
      expect((await store.history.context(id)).state).toEqual(state);
    });

    it('says of a part since when a placeholder stands in its place', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const { id, lease } = await begin(store);
      const writes = [userMessage('u', 'task'), ...toolStep(1), ...toolStep(2)].map(message);
      await store.write(lease, writes);
      const pruned = (ordinal: number): Json => ({
        type: 'result-pruned',
        reason: 'old-output',
        beforeTokens: 9,
        afterTokens: 1,
        recallId: `m${ordinal}.0`,
        anchor: { ordinal, part: 0, fingerprint: 'f' },
        text: '[cleared]',
      });
      const stateWith = (changes: readonly Json[]): RunWrite => ({
        type: 'state',
        state: { ...emptyState(), changes: changes as never },
      });
      const marks = async (): Promise<unknown> =>
        (await store.history.context(id)).messages.flatMap((one) =>
          one.marks.map((mark) => mark.compactedAtMs),
        );
      await store.write(lease, [stateWith([pruned(2)])]);
      const firstAtMs = clock.nowMs();
      clock.advance(5);
      await store.write(lease, [stateWith([pruned(2), pruned(4)])]);
      expect(await marks()).toEqual([
        undefined,
        undefined,
        undefined,
        firstAtMs,
        undefined,
        undefined,
        clock.nowMs(),
      ]);
      await store.write(lease, [stateWith([pruned(4)])]);
      expect(await marks()).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        clock.nowMs(),
      ]);
    });
  });
}
