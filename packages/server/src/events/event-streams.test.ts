import fc from 'fast-check';
import { ContextError } from '@throughline/core';
import { createEventStreams } from './event-streams.ts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AgentEvent } from '@throughline/agent';
import type { ByteSink, SinkHandlers } from './send-events.ts';
import type { EventFeed } from './event-feed.ts';

const eventOf = (seq: number): AgentEvent => {
  return { seq, type: 'session:updated', data: { title: `Title ${seq}` }, runId: null, atMs: seq };
};

interface FakeFeed extends EventFeed {
  readonly journal: AgentEvent[];
  /** Stores an event and tells it, unless nobody is told. */
  store(options?: { readonly isTold?: boolean }): void;
  tell(event: AgentEvent): void;
  readonly readCount: number;
  readonly listenerCount: number;
  failure: Error | undefined;
}

function fakeFeed(): FakeFeed {
  const journal: AgentEvent[] = [];
  const listeners = new Set<(sessionId: string, event: AgentEvent) => void>();
  let readCount = 0;
  const tell = (event: AgentEvent): void => listeners.forEach((listener) => listener('s', event));
  return {
    journal,
    failure: undefined,
    get readCount() {
      return readCount;
    },
    get listenerCount() {
      return listeners.size;
    },
    tell,
    store({ isTold = true } = {}) {
      const event = eventOf(journal.length + 1);
      journal.push(event);
      if (isTold) tell(event);
    },
    subscribe(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    async after(_, seq, limit) {
      readCount += 1;
      if (this.failure) throw this.failure;
      const page = journal.filter((event) => event.seq > seq).slice(0, limit);
      await Promise.resolve();
      return page;
    },
  };
}

interface FakeSink extends ByteSink {
  readonly written: Uint8Array[];
  isFull: boolean;
  readonly end: () => void;
  readonly state: 'open' | 'ended' | 'destroyed';
  drain(): void;
  disconnect(): void;
}

function fakeSink(): FakeSink {
  const written: Uint8Array[] = [];
  let handlers: SinkHandlers | undefined;
  let state: FakeSink['state'] = 'open';
  return {
    written,
    isFull: false,
    get state() {
      return state;
    },
    write(bytes) {
      if (state !== 'open') throw new Error('Written to after the end.');
      written.push(bytes);
      return !this.isFull;
    },
    end: () => {
      state = 'ended';
    },
    destroy: () => {
      state = 'destroyed';
    },
    listen(given) {
      handlers = given;
    },
    drain() {
      this.isFull = false;
      handlers?.onDrain();
    },
    disconnect: () => handlers?.onClose(),
  };
}

const textOf = ({ written }: FakeSink): string => Buffer.concat(written).toString();

function seqsIn(sink: FakeSink): number[] {
  return [...textOf(sink).matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
}

const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const upTo = (count: number, from = 1): number[] =>
  Array.from({ length: count - from + 1 }, (_, index) => from + index);

describe('streams of events', () => {
  it('send each event once and in order, whatever is told when, and however slow a reader is', async () => {
    const deed = fc.oneof(
      { weight: 4, arbitrary: fc.record({ type: fc.constant('store' as const), isTold: fc.boolean() }) },
      { weight: 2, arbitrary: fc.constant({ type: 'rest' as const }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('fill' as const), reader: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('drain' as const), reader: fc.nat(2) }) },
      // Told late, or a second time.
      { weight: 1, arbitrary: fc.record({ type: fc.constant('again' as const), back: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.constant({ type: 'many' as const }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 60 }), fc.nat(80), async (deeds, before) => {
        const feed = fakeFeed();
        using streams = createEventStreams({ feed });
        for (let count = 0; count < before; count += 1) feed.store();
        const readers = [0, 1, Math.floor(before / 2)].map((after) => ({ after, sink: fakeSink() }));
        for (const reader of readers) streams.add({ sessionId: 's', ...reader });
        for (const one of deeds) {
          if (one.type === 'store') feed.store(one);
          if (one.type === 'many') for (let count = 0; count < 70; count += 1) feed.store();
          if (one.type === 'rest') await rest();
          if (one.type === 'fill') readers[one.reader]!.sink.isFull = true;
          if (one.type === 'drain') readers[one.reader]!.sink.drain();
          if (one.type === 'again') feed.journal.slice(-1 - one.back).forEach((event) => feed.tell(event));
        }
        for (const { sink } of readers) sink.drain();
        await rest();
        feed.store();
        await rest();
        await rest();
        for (const { after, sink } of readers)
          expect(seqsIn(sink)).toEqual(upTo(feed.journal.length, after + 1));
      }),
    );
  });

  it('write an event out once for all who read it, and read no journal for those who keep up', async () => {
    const feed = fakeFeed();
    using streams = createEventStreams({ feed });
    const sinks = upTo(10).map(fakeSink);
    for (const sink of sinks) streams.add({ sessionId: 's', after: 0, sink });
    await rest();
    const { readCount } = feed;
    for (let round = 0; round < 3; round += 1) {
      feed.store();
      feed.store();
      await rest();
    }
    const [first, ...others] = sinks;
    expect(seqsIn(first!)).toEqual(upTo(6));
    for (const { written } of others) {
      expect(written.slice(1).every((bytes, index) => bytes === first!.written[index + 1])).toBe(true);
      expect(written).toHaveLength(4);
    }
    expect(feed.readCount).toBe(readCount);
  });

  it('send what is stored while the journal is read, without waiting for more', async () => {
    const feed = fakeFeed();
    using streams = createEventStreams({ feed });
    const sink = fakeSink();
    streams.add({ sessionId: 's', after: 0, sink });
    feed.store();
    await rest();
    expect(seqsIn(sink)).toEqual([1]);
  });

  it('write nothing for a reader that has enough on its way, and keep nothing for it', async () => {
    const feed = fakeFeed();
    using streams = createEventStreams({ feed });
    const sink = fakeSink();
    streams.add({ sessionId: 's', after: 0, sink });
    await rest();
    sink.isFull = true;
    feed.store();
    await rest();
    const count = sink.written.length;
    const { readCount } = feed;
    for (let index = 0; index < 500; index += 1) feed.store();
    await rest();
    expect(sink.written).toHaveLength(count);
    expect(feed.readCount).toBe(readCount);
    sink.drain();
    for (let index = 0; index < 10; index += 1) await rest();
    expect(seqsIn(sink)).toEqual(upTo(501));
  });

  it('end with a reason when the server stops, the session is gone, or the store fails', async () => {
    const feed = fakeFeed();
    const streams = createEventStreams({ feed });
    const sinks = upTo(3).map(fakeSink);
    const closed = (sink: FakeSink): unknown =>
      JSON.parse(/event: stream:closed\ndata: (.*)\n\n$/.exec(textOf(sink))?.[1] ?? 'null');
    feed.failure = new ContextError('not-found', 'Gone.', { kind: 'session', id: 's', known: [] });
    streams.add({ sessionId: 's', after: 0, sink: sinks[0]! });
    await rest();
    expect(closed(sinks[0]!)).toEqual({ reason: 'session-deleted' });
    feed.failure = new Error('The disk is on fire.');
    streams.add({ sessionId: 's', after: 0, sink: sinks[1]! });
    await rest();
    expect(closed(sinks[1]!)).toEqual({ reason: 'store-failed' });
    feed.failure = undefined;
    streams.add({ sessionId: 's', after: 0, sink: sinks[2]! });
    await rest();
    streams[Symbol.dispose]();
    expect(closed(sinks[2]!)).toEqual({ reason: 'server-stopping' });
    expect(sinks.map(({ state }) => state)).toEqual(['ended', 'ended', 'ended']);
    expect(streams.readerCount).toBe(0);
    expect(feed.listenerCount).toBe(0);
    const late = fakeSink();
    streams.add({ sessionId: 's', after: 0, sink: late });
    expect(closed(late)).toEqual({ reason: 'server-stopping' });
    expect(late.state).toBe('ended');
  });

  it('end whole for a reader that has enough on its way, and cut it off where it does not take it', async () => {
    const feed = fakeFeed();
    const streams = createEventStreams({ feed });
    const [slow, still] = [fakeSink(), fakeSink()];
    for (const sink of [slow, still]) {
      sink.isFull = true;
      streams.add({ sessionId: 's', after: 0, sink });
    }
    await rest();
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    streams.close('session-deleted', 's');
    for (const sink of [slow, still]) expect(textOf(sink)).toMatch(/event: stream:closed\n.*\n\n$/);
    slow.disconnect();
    vi.runAllTimers();
    expect([slow.state, still.state]).toEqual(['ended', 'destroyed']);
  });

  it('forget a reader that is gone', async () => {
    const feed = fakeFeed();
    using streams = createEventStreams({ feed });
    const sink = fakeSink();
    streams.add({ sessionId: 's', after: 0, sink });
    expect(streams.readerCount).toBe(1);
    await rest();
    sink.disconnect();
    expect(streams.readerCount).toBe(0);
    const count = sink.written.length;
    feed.store();
    await rest();
    expect(sink.written).toHaveLength(count);
  });

  it('end behind the last event that was asked for, be it read or told', async () => {
    for (const isTold of [true, false]) {
      const feed = fakeFeed();
      using streams = createEventStreams({ feed });
      const sink = fakeSink();
      if (!isTold) for (let index = 0; index < 5; index += 1) feed.store();
      streams.add({ sessionId: 's', after: 0, sink, isLast: ({ seq }) => seq === 3 });
      await rest();
      if (isTold) for (let index = 0; index < 5; index += 1) feed.store();
      await rest();
      expect(seqsIn(sink)).toEqual([1, 2, 3]);
      expect(sink.state).toBe('ended');
      expect(streams.readerCount).toBe(0);
    }
  });
});
