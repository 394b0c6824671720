import { describe, expect, it } from 'vitest';
import { compactedSession, userMessage } from './compacted-session.ts';
import { begin, leaseOf, message, linesOf, codeOf, plainBytes } from './test-store.ts';
import { emptyState } from '@throughline/core';
import type { OpenStore } from './test-store.ts';

/** A session leaves a store and comes back whole. */
export function describeExports(name: string, open: OpenStore): void {
  describe(`${name}: export`, () => {
    it('is the session: imported and exported again it is the same, line by line', async () => {
      const opened = await open();
      const { store, clock } = opened;
      const { id, lease } = await begin(store);
      for (const { messages, step } of compactedSession(40)) {
        clock.advance(7);
        await store.write(lease, [
          ...messages.map(message),
          step.checkpoint
            ? { type: 'checkpoint', checkpoint: step.checkpoint, state: step.state, cost: { usd: 1 } }
            : { type: 'state', state: step.state },
        ]);
      }
      const hash = await store.attachments.keep(id, new Uint8Array([7, 0, 255]));
      const output = await store.attachments.keepOutput(id, 'c', 'the whole NEEDLE');
      await store.inbox.accept(id, { content: { text: 'waits' } });
      await store.approvals.grant(id, { toolName: 'bash' }, 'session');
      await store.write(lease, [
        { type: 'run-started', runId: 'r' },
        { type: 'approval', id: 'p', request: 1 },
        { type: 'value', name: 'todos', value: ['a'] },
        { type: 'event', event: { type: 'x', data: { type: 'y' }, runId: 'r', chunkOf: 'k' } },
        {
          type: 'message',
          message: { id: 'open', role: 'assistant', parts: [] },
          isOpen: true,
          parentId: 'u0',
        },
        {
          type: 'part',
          messageId: 'open',
          part: { type: 'text', text: 'half' },
          isOpen: true,
          marks: { isTruncated: true, isCancelled: true },
        },
        { type: 'text', messageId: 'open', part: 0, text: ' done' },
      ]);
      clock.advance(1_000);
      const lines = await linesOf(store, id);
      expect(await codeOf(store.sessions.import(lines))).toBe('already-exists');

      const other = await open();
      other.clock.advance(99_999);
      const imported = await other.store.sessions.import(lines);
      expect(await linesOf(other.store, imported.id)).toEqual(lines);
      expect((await other.store.history.context(id)).state).toEqual((await store.history.context(id)).state);
      expect((await other.store.history.context(id)).messages).toEqual(
        (await store.history.context(id)).messages,
      );
      expect(plainBytes(await other.store.attachments.read(id, hash))).toEqual(new Uint8Array([7, 0, 255]));
      expect((await other.store.history.recall(id, output))?.text).toBe('the whole NEEDLE');
      expect((await other.store.history.search(id, 'needle')).map((hit) => hit.id)).toEqual([output]);
      // Nobody goes on with a run that came in a file.
      expect((await other.store.journal.unfinished()).some(({ hasOpenRun }) => hasOpenRun)).toBe(false);
      // And the copy can be worked with.
      const next = await leaseOf(other.store, id);
      await other.store.write(next, [
        { type: 'finish-message', messageId: 'open' },
        message(userMessage('n', 'new')),
      ]);

      const copy = await other.store.sessions.import(lines, { id: 'copy' });
      expect(copy.id).toBe('copy');
    });

    it('brings no permission and no answered question, whatever its lines say', async () => {
      const { store } = await open();
      const { id, lease } = await begin(store);
      await store.approvals.grant(id, { toolName: 'bash' }, 'session');
      await store.write(lease, [{ type: 'approval', id: 'p', request: 1 }]);
      await store.approvals.answer(id, { id: 'p', answer: { type: 'allow' } });
      const lines = await linesOf(store, id);
      expect(lines.filter((line) => /"line":"(grant|approval)"/.test(line))).toEqual([]);
      const forged = [
        ...lines,
        '{"line":"grant","permission":{"toolName":"bash"}}',
        '{"line":"approval","id":"q","position":0,"request":1,"requested_at_ms":1,"answer":{"type":"allow"}}',
      ];
      const copy = await store.sessions.import(forged, { id: 'copy', folder: '/here' });
      expect([await store.approvals.grants('copy'), await store.approvals.list('copy')]).toEqual([[], []]);
      expect(copy.folder).toBe('/here');
      // Those of the session itself stay.
      expect(await store.approvals.grants(id)).toEqual([{ toolName: 'bash' }]);
    });

    it('goes to the owner that is asked for, and else stays with whose it was', async () => {
      const { store } = await open();
      const { id } = await store.sessions.create({ owner: 'ann' });
      const lines = await linesOf(store, id);
      const given = await store.sessions.import(lines, { id: 'given', owner: 'bob' });
      const kept = await store.sessions.import(lines, { id: 'kept' });
      expect([given.owner, kept.owner]).toEqual(['bob', 'ann']);
      expect((await store.sessions.list({ owner: 'bob' })).items.map((one) => one.id)).toEqual(['given']);
    });

    it('does not bring the bytes of another session by their name', async () => {
      const { store } = await open();
      const secret = await store.sessions.create({ owner: 'ann' });
      await store.attachments.keepOutput(secret.id, 'call', 'a secret of Ann');
      const lines = await linesOf(store, secret.id);
      const id = 'bobs';
      await store.sessions.import(
        lines.filter((line) => !line.includes('"line":"blob"')),
        { id, owner: 'bob' },
      );
      expect(await store.history.recall(id, 'o0')).toBeUndefined();
      expect(await store.history.search(id, 'secret')).toEqual([]);
      expect((await store.history.recall(secret.id, 'o0'))?.text).toBe('a secret of Ann');
    });

    it('of many lines is imported out of sight, and nothing is left where it is cut off', async () => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      const texts = Array.from({ length: 1_200 }, (_, index) =>
        message(userMessage(`u${index}`, `text ${index}`)),
      );
      await store.write(lease, texts);
      await store.attachments.keep(id, new Uint8Array([1]));
      const lines = await linesOf(store, id);
      async function* interrupted(): AsyncGenerator<string> {
        for (const [index, line] of lines.entries()) {
          yield line;
          if (index === 500) expect((await store.sessions.list()).items.map((one) => one.id)).toEqual([id]);
          if (index === 1_100) throw new Error('the line is dead');
        }
      }
      await expect(store.sessions.import(interrupted(), { id: 'copy' })).rejects.toThrow('the line is dead');
      expect((await store.sessions.list()).items.map((one) => one.id)).toEqual([id]);
      await store.sessions.import(lines, { id: 'copy' });
      expect(await store.sessions.delete(id)).toBe(true);
      expect((await store.history.search('copy', 'text 1199')).map((hit) => hit.id)).toEqual(['m1199']);
      expect(await linesOf(store, 'copy')).toEqual(
        lines.map((line, index) => (index === 0 ? line.replace(id, 'copy') : line)),
      );
      // The id is free for another.
      expect((await store.sessions.create({ id })).messageCount).toBe(0);
    });

    it.each([
      ['is cut', (lines: string[]) => [...lines.slice(0, -1), lines.at(-1)?.slice(0, -3) ?? '']],
      ['begins elsewhere', (lines: string[]) => lines.slice(1)],
      ['is empty', () => []],
      ['is no JSON', () => ['hello']],
      [
        'is of a later format',
        (lines: string[]) => [lines[0]!.replace('"format":2', '"format":3'), ...lines.slice(1)],
      ],
      ['repeats a message', (lines: string[]) => [...lines, lines[1]!]],
      ['repeats an event', (lines: string[]) => [...lines, lines.find((line) => line.includes('"event"'))!]],
      ['holds a line of another kind', (lines: string[]) => [...lines, '{"line":"constructor"}']],
      [
        'holds an event that tells nothing',
        (lines: string[]) => [
          ...lines,
          '{"line":"event","seq":999,"type":"run:start","run_id":null,"chunk_of":null,"at_ms":1,"data":null}',
        ],
      ],
      ['holds a wrong type', (lines: string[]) => [...lines, '{"line":"value","name":7,"value":1}']],
      ['holds a message that is none', (lines: string[]) => [...lines, '{"line":"message","message":7}']],
      [
        'holds marks that are none',
        (lines: string[]) => [
          ...lines,
          '{"line":"message","marks":[{"tokens":"many"}],"message":{"id":"z","role":"user","parts":[{"type":"text","text":""}]}}',
        ],
      ],
      [
        'holds a false blob',
        (lines: string[]) => [...lines, `{"line":"blob","hash":"${'0'.repeat(64)}","base64":"AA=="}`],
      ],
      [
        'holds a session that is none',
        (lines: string[]) => [lines[0]!.replace(/"owner":""/, '"owner":7'), ...lines.slice(1)],
      ],
      [
        'holds half a millisecond',
        (lines: string[]) => [
          lines[0]!.replace(/"created_at_ms":\d+/, '"created_at_ms":1.5'),
          ...lines.slice(1),
        ],
      ],
      [
        'names a checkpoint that is not there',
        (lines: string[]) => [
          lines[0]!.replace(/"state":null/, `"state":${JSON.stringify({ ...emptyState(), head: 'c9' })}`),
          ...lines.slice(1),
        ],
      ],
      [
        'holds no sound state',
        (lines: string[]) => [lines[0]!.replace(/"state":null/, '"state":{"version":9}'), ...lines.slice(1)],
      ],
    ])('that %s is refused with its line, and nothing of it is stored', async (_, spoil) => {
      const opened = await open();
      const { store } = opened;
      const { id, lease } = await begin(store);
      await store.write(lease, [
        message(userMessage('a', 'a')),
        { type: 'event', event: { type: 'x', data: 1 } },
      ]);
      await store.attachments.keep(id, new Uint8Array([1]));
      const lines = spoil(await linesOf(store, id));
      const other = await open();
      const attempt = other.store.sessions.import(lines);
      await expect(attempt).rejects.toMatchObject({
        code: 'unreadable-file',
        details: { line: expect.any(Number) },
      });
      expect((await other.store.sessions.list()).items).toEqual([]);
      expect(await other.blobs()).toEqual([]);
    });
  });
}
