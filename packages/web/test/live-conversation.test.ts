import { applyEvent } from '../src/data/conversation/apply-event.ts';
import { createClient } from '@throughline/client';
import { describe, expect, it } from 'vitest';
import { openConversation } from '../src/data/conversation/live-conversation.ts';
import { openSite } from './open-site.ts';
import { shownMessages, withPage } from '../src/data/conversation/history.ts';
import fc from 'fast-check';
import type { AgentEvent, Client, HistoryMessage } from '@throughline/client';
import type { LiveConversation } from '../src/data/conversation/live-conversation.ts';
import type { ConversationState } from '../src/data/conversation/state.ts';

function stateOf({ watched }: LiveConversation): ConversationState | undefined {
  const now = watched.get();
  if (now.state === 'failed') throw new Error(now.failure.detail);
  return now.state === 'ready' ? now.value : undefined;
}

function seen(live: LiveConversation, is: (state: ConversationState) => boolean): Promise<ConversationState> {
  return new Promise((resolve) => {
    const look = (): void => {
      const state = stateOf(live);
      if (!state || !is(state)) return;
      end();
      resolve(state);
    };
    const end = live.watched.subscribe(look);
    look();
  });
}

const texts = (messages: readonly HistoryMessage[]): string =>
  messages.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : part.type))).join('\n');

describe('a conversation that is followed', () => {
  it('shows the same to who opens it in the middle of an answer, and grows only', async () => {
    const site = await openSite({ wordDelayMs: 2 });
    const client = createClient({ baseUrl: site.url });
    const { sessionId } = await client.sendMessage({ content: 'tell me 400 words' });
    const first = openConversation(client, sessionId);
    const lengths: number[] = [];
    first.watched.subscribe(() => {
      const state = stateOf(first);
      if (state) lengths.push(texts(shownMessages(state)).length);
    });
    await seen(first, ({ answer }) => (answer?.parts[0]?.text.length ?? 0) > 200);
    const late = openConversation(client, sessionId);
    const [one, other] = await Promise.all(
      [first, late].map((live) =>
        seen(
          live,
          ({ lastOutcome, messages }) =>
            lastOutcome?.type === 'completed' &&
            messages.length === 2 &&
            messages.every(({ isOpen }) => !isOpen),
        ),
      ),
    );
    expect(shownMessages(one!)).toEqual(shownMessages(other!));
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    expect(new Set(lengths).size).toBeGreaterThan(3);
    first.close();
    late.close();
  });

  it('shows a message that could not be sent, and sends it once when it is tried again', async () => {
    const site = await openSite();
    let isDown = false;
    const client = createClient({
      baseUrl: site.url,
      fetch: (url, init) =>
        isDown && init?.method === 'POST' ? Promise.reject(new TypeError('down')) : fetch(url, init),
    });
    const { id } = await client.createSession({});
    const live = openConversation(client, id);
    await seen(live, () => true);
    isDown = true;
    await live.send('help', 'mine');
    const failed = await seen(live, ({ sent }) => sent[0]?.state === 'failed');
    expect(failed.sent).toMatchObject([{ messageId: 'mine', content: 'help' }]);
    isDown = false;
    await Promise.all([live.send('help', 'mine'), live.send('help', 'mine')]);
    const done = await seen(live, ({ messages, sent }) => messages.length === 2 && sent.length === 0);
    expect(texts(done.messages)).toContain('demo model');
    live.close();
  });

  it('never shows as not sent what is given back', async () => {
    const site = await openSite();
    const client = createClient({
      baseUrl: site.url,
      fetch: (url, init) =>
        typeof init?.body === 'string' && init.body.includes('give me back')
          ? Promise.reject(new TypeError('down'))
          : fetch(url, init),
    });
    const { id } = await client.createSession({});
    const live = openConversation(client, id);
    await seen(live, () => true);
    const states = new Set<string>();
    const end = live.watched.subscribe(() => stateOf(live)?.sent.forEach(({ state }) => states.add(state)));
    expect(await live.send('give me back', 'mine', ({ code }) => code === 'unreachable')).toMatchObject({
      code: 'unreachable',
    });
    expect([...states]).toEqual(['sending']);
    expect((await seen(live, () => true)).sent).toEqual([]);
    end();
    live.close();
  });

  it('tells whoever has it open that it was deleted', async () => {
    const site = await openSite();
    const client = createClient({ baseUrl: site.url });
    const { id } = await client.createSession({});
    const live = openConversation(client, id);
    await seen(live, () => true);
    await client.deleteSession({ id });
    expect((await seen(live, ({ isDeleted }) => isDeleted)).isDeleted).toBe(true);
    live.close();
  });
});

const message = (ordinal: number): HistoryMessage => ({
  ordinal,
  id: `id${ordinal}`,
  role: 'user',
  parts: [{ type: 'text', text: String(ordinal) }],
  marks: [{}],
  isOpen: false,
  createdAtMs: 0,
});

const run = (from: number, length: number): HistoryMessage[] =>
  Array.from({ length }, (_, at) => message(from + at));

/** A client of a session with this many messages, whose pages are refused while `isDown`. */
function pagedClient(length: number): { readonly client: Client; isDown: boolean } {
  const all = run(0, length);
  const paged = {
    isDown: false,
    client: {
      getSession: () => Promise.resolve({ id: 'one', lastEventSeq: 0 }),
      listRuns: () => Promise.resolve({ items: [] }),
      listMessages: ({ cursor, limit = length }: { readonly cursor?: string; readonly limit?: number }) => {
        if (paged.isDown) return Promise.reject(new TypeError('down'));
        const end = cursor === undefined ? length : Number(cursor);
        const start = Math.max(0, end - limit);
        return Promise.resolve({ items: all.slice(start, end), next: start > 0 ? String(start) : null });
      },
      events: (_id: string, { signal }: { readonly signal: AbortSignal }) => silentUntil(signal),
    } as unknown as Client,
  };
  return paged;
}

/** No event until then. */
function silentUntil(signal: AbortSignal): AsyncIterable<AgentEvent> {
  const end = { done: true, value: undefined } as const;
  const next = (): Promise<typeof end> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(end)));
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

describe('messages beside those that are shown', () => {
  it.each(['older', 'newer'] as const)('are asked for again where they failed: %s', async (direction) => {
    const paged = pagedClient(1_000);
    const live = openConversation(paged.client, 'one');
    await seen(live, () => true);
    await live.goTo(400);
    const other = direction === 'older' ? 'newer' : 'older';
    const shown = stateOf(live)!.far!.messages.length;
    paged.isDown = true;
    await (direction === 'older' ? live.loadOlder() : live.loadNewer());
    const { loads } = stateOf(live)!;
    expect(loads[direction]).toMatchObject({ isLoading: false, failure: { code: 'unreachable' } });
    expect(loads[other]).toEqual({ isLoading: false, failure: null });
    paged.isDown = false;
    await loads[direction].failure?.retry();
    const after = stateOf(live)!;
    expect(after.loads[direction].failure).toBeNull();
    expect(after.far!.messages).toHaveLength(shown + 200);
    expect(after.far!.messages.at(direction === 'older' ? 0 : -1)!.ordinal).toBe(
      direction === 'older' ? 140 : 739,
    );
    live.close();
  });

  it('are loaded on one side while those on the other could not be', async () => {
    const paged = pagedClient(1_000);
    const live = openConversation(paged.client, 'one');
    await seen(live, () => true);
    await live.goTo(400);
    paged.isDown = true;
    await live.loadNewer();
    paged.isDown = false;
    await live.loadOlder();
    expect(stateOf(live)!.loads.newer.failure).not.toBeNull();
    expect(stateOf(live)!.far!.messages[0]!.ordinal).toBe(140);
    live.close();
  });

  it('are those around the place that was asked for, where that could not be loaded', async () => {
    const paged = pagedClient(1_000);
    const live = openConversation(paged.client, 'one');
    await seen(live, () => true);
    paged.isDown = true;
    await live.goTo(400);
    paged.isDown = false;
    await stateOf(live)!.loads.older.failure?.retry();
    expect(stateOf(live)!.far!.messages.map(({ ordinal }) => ordinal)).toContain(400);
    live.close();
  });

  it('are missed no longer where the newest are shown again', async () => {
    const paged = pagedClient(1_000);
    const live = openConversation(paged.client, 'one');
    await seen(live, () => true);
    await live.goTo(400);
    paged.isDown = true;
    await live.loadNewer();
    live.toNewest();
    expect(stateOf(live)!.loads.newer.failure).toBeNull();
    live.close();
  });
});

describe('a newer page of the history', () => {
  it('is put in so that there is no gap, nothing twice, and what was shown stays the same object', () => {
    const place = fc.nat(60);
    fc.assert(
      fc.property(
        place,
        place,
        place,
        fc.integer({ min: 1, max: 60 }),
        (from, length, pageFrom, pageLength) => {
          fc.pre(pageFrom + pageLength >= from + length);
          const known = run(from, length);
          const { messages, isJoined } = withPage(known, run(pageFrom, pageLength));
          const ordinals = messages.map(({ ordinal }) => ordinal);
          expect(ordinals).toEqual(run(ordinals[0]!, ordinals.length).map(({ ordinal }) => ordinal));
          expect(ordinals.at(-1)).toBe(pageFrom + pageLength - 1);
          expect(isJoined).toBe(length > 0 && pageFrom <= from + length);
          if (!isJoined) return;
          for (const before of known.filter(({ ordinal }) => ordinal >= pageFrom))
            expect(messages).toContain(before);
        },
      ),
    );
  });
});

describe('what went wrong', () => {
  it('is no longer said once the model is asked again, unless a compaction failed', async () => {
    const site = await openSite();
    const client = createClient({ baseUrl: site.url });
    const live = openConversation(client, (await client.createSession({})).id);
    const before = await seen(live, () => true);
    live.close();
    const error = { code: 'interrupted', message: 'The answer was cut off: its process ended.' };
    const around = { seq: 1, atMs: 1, sessionId: before.session.id, runId: 'r', cursor: null };
    const troubleAfter = (context: 'step' | 'summary'): string | undefined => {
      const data = { error, context, recoverable: true };
      const failed = applyEvent(before, { ...around, type: 'llm:error', data } as AgentEvent);
      expect(failed.state.trouble?.detail).toBe(error.message);
      const step = { ...around, type: 'step:start', data: { step: 1, provider: 'p', model: 'm' } };
      return applyEvent(failed.state, step as AgentEvent).state.trouble?.type;
    };
    expect(troubleAfter('step')).toBe(undefined);
    expect(troubleAfter('summary')).toBe('compaction');
  });
});
