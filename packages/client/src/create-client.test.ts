import { describe, expect, it } from 'vitest';
import { createClient, ProblemError } from './index.ts';
import type { AgentEvent } from './index.ts';

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

type Answer = (asked: Asked) => Response | Promise<Response>;

/** A server that gives these answers in turn, the last one for ever, and remembers what it was asked. */
function answering(...answers: readonly Answer[]) {
  const asked: Asked[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const one: Asked = {
      method: init.method ?? 'GET',
      url: url as string,
      headers: new Headers(init.headers),
      body: init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : (init.body as string),
      signal: init.signal ?? undefined,
    };
    asked.push(one);
    return await answers[Math.min(asked.length, answers.length) - 1]!(one);
  };
  const reconnection = { firstWaitMs: 1, longestWaitMs: 2, silenceMs: 20 };
  const client = createClient({ baseUrl: 'http://server/base/', token: 'secret', fetch, reconnection });
  return { asked, client };
}

const json =
  (value: unknown, status = 200): Answer =>
  () =>
    new Response(JSON.stringify(value), { status });
const problem = (status: number): Answer => {
  const body = { type: 'x', title: 'No', status, detail: `Refused with ${status}.`, code: 'some-code' };
  const headers = { 'content-type': 'application/problem+json' };
  return () => new Response(JSON.stringify(body), { status, headers });
};

const eventOf = (seq: number): AgentEvent => {
  return { seq, type: 'session:updated', data: { title: `${seq}` }, runId: null, atMs: 0 };
};
const frame = (event: AgentEvent): string =>
  `event: ${event.type}\nid: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
const stream =
  (...parts: readonly (string | Error)[]): Answer =>
  () => {
    const left = [...parts];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const part = left.shift();
        if (part === undefined) controller.close();
        else if (typeof part === 'string') controller.enqueue(new TextEncoder().encode(part));
        else controller.error(part);
      },
    });
    const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-session-id': 's 1' };
    return new Response(body, { headers });
  };
/** Begins, and then says nothing any more. */
const silent: Answer = ({ signal }) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(': open\n\n'));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  );
const page: Answer = () => new Response('<h1>Log in</h1>', { headers: { 'content-type': 'text/html' } });
const deleted = 'event: stream:closed\ndata: {"reason":"session-deleted"}\n\n';
const answered = 'event: stream:closed\ndata: {"reason":"answered"}\n\n';
const stopping = 'event: stream:closed\ndata: {"reason":"server-stopping"}\n\n';

async function seqsOf(events: AsyncIterable<AgentEvent>): Promise<readonly number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) seqs.push(seq);
  return seqs;
}

describe('a call', () => {
  it('puts each field where its route has it, below the address of the server', async () => {
    const { client, asked } = answering(json({ items: [] }));
    await client.listMessages({ id: 'a/b', limit: 5 });
    await client.changeWaiting({ id: 'm1', sessionId: 's1', position: 2 });
    await client.answerApproval({ id: 's1', approvalId: 'a1', type: 'deny', reason: 'No.' });
    await client.listSessions();
    await client.compact({ id: 's1' });
    expect(asked.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', 'http://server/base/api/sessions/a%2Fb/messages?limit=5', undefined],
      ['PATCH', 'http://server/base/api/message/queue/m1?sessionId=s1', '{"position":2}'],
      ['POST', 'http://server/base/api/sessions/s1/approvals/a1', '{"type":"deny","reason":"No."}'],
      ['GET', 'http://server/base/api/sessions', undefined],
      ['POST', 'http://server/base/api/sessions/s1/compact', undefined],
    ]);
    expect(asked[1]?.headers.get('content-type')).toBe('application/json');
    expect(asked.every(({ headers }) => headers.get('authorization') === 'Bearer secret')).toBe(true);
  });

  it.each(['', '.', '..'])('goes nowhere with %j for an id', async (id) => {
    const { client, asked } = answering(json({}));
    await expect(client.getSession({ id })).rejects.toThrow('id must be an id');
    expect(asked).toEqual([]);
  });

  it('throws what the server says when it refuses', async () => {
    const { client } = answering(problem(404));
    const error: unknown = await client.getSession({ id: 's' }).catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).problem).toMatchObject({ status: 404, code: 'some-code' });
    expect((error as ProblemError).message).toBe('Refused with 404.');
  });

  it('throws what can be said when somebody else refuses', async () => {
    const page = (): Response =>
      new Response('<h1>Bad Gateway</h1>', { status: 502, statusText: 'Bad Gateway' });
    await expect(answering(page).client.listModels()).rejects.toMatchObject({
      problem: { status: 502, code: 'unknown', detail: '502 Bad Gateway: <h1>Bad Gateway</h1>' },
    });
  });

  it.each(['null', '"no"', '{}', '{"status":200,"code":"busy"}', '{"code":7,"detail":{}}', '{"cod'])(
    'throws what can be said where the problem is %s',
    async (body) => {
      const headers = { 'content-type': 'application/problem+json' };
      const { client } = answering(() => new Response(body, { status: 404, headers }));
      await expect(client.listModels()).rejects.toMatchObject({ problem: { status: 404, code: 'unknown' } });
    },
  );

  it('believes the status of an answer, and not that of the problem in it', async () => {
    const headers = { 'content-type': 'application/problem+json' };
    const body = '{"type":"x","title":"No","detail":"No.","code":"busy","status":200}';
    const { client } = answering(() => new Response(body, { status: 409, headers }));
    await expect(client.listModels()).rejects.toMatchObject({ problem: { status: 409, code: 'busy' } });
  });

  it('says what came where a success is no JSON', async () => {
    const { client } = answering(page);
    await expect(client.listModels()).rejects.toMatchObject({
      problem: { status: 200, code: 'unknown', detail: expect.stringContaining('<h1>Log in</h1>') },
    });
    await expect(client.wait({ content: 'Hi' })).rejects.toBeInstanceOf(ProblemError);
  });

  it('hands its signal on', async () => {
    const { client, asked } = answering(json({}));
    const { signal } = new AbortController();
    await client.settleRun({ id: 's' }, { signal });
    expect(asked[0]?.signal).toBe(signal);
  });

  it('waits for a reply where it is asked to', async () => {
    const { client, asked } = answering(json({ ok: true, queued: false, reply: 'Hi' }));
    expect(await client.wait({ content: 'Hello' })).toMatchObject({ reply: 'Hi' });
    expect(asked[0]?.url).toBe('http://server/base/api/message?wait=true');
  });

  it('reads bytes as they are', async () => {
    const { client, asked } = answering(() => new Response(Uint8Array.of(0, 255)));
    expect(await client.getBlob({ id: 's1', hash: 'ab' })).toEqual(Uint8Array.of(0, 255));
    expect(asked[0]?.url).toBe('http://server/base/api/sessions/s1/blobs/ab');
  });

  it('reads an export line by line, and sends one back as it was', async () => {
    const { client, asked } = answering(stream('{"a":1}\n{"b"', ':"ü"}\n'), json({ id: 's2' }, 201));
    const lines: string[] = [];
    for await (const line of client.exportSession({ id: 's1' })) lines.push(line);
    expect(lines).toEqual(['{"a":1}', '{"b":"ü"}']);
    await client.importSession(lines);
    expect(asked[1]).toMatchObject({ method: 'POST', body: '{"a":1}\n{"b":"ü"}\n' });
    expect(asked[1]?.headers.get('content-type')).toBe('application/x-ndjson');
  });
});

describe('the events of a session', () => {
  it('go on behind the last one whatever happens to the connection', async () => {
    const { client, asked } = answering(
      stream(frame(eventOf(4)), frame(eventOf(5)).slice(0, 20)),
      () => Promise.reject(new TypeError('fetch failed')),
      problem(503),
      stream(frame(eventOf(5)), new TypeError('terminated')),
      // What was seen already does not come twice.
      stream(frame(eventOf(5)) + frame(eventOf(7)), stopping),
      stream(frame(eventOf(8)), deleted),
    );
    expect(await seqsOf(client.events('s1', { after: 3 }))).toEqual([4, 5, 7, 8]);
    expect(asked.map(({ url }) => new URL(url).search)).toEqual(['?after=3', '', '', '', '', '']);
    expect(asked.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '4', '4', '4', '5', '7']);
  });

  it.each([401, 403, 404])('end with the error where the server refuses for good: %i', async (status) => {
    const { client, asked } = answering(stream(frame(eventOf(1))), problem(status));
    await expect(seqsOf(client.events('s1'))).rejects.toMatchObject({ problem: { status } });
    expect(asked).toHaveLength(2);
  });

  it('end with an error where a success is no stream of events', async () => {
    for (const answer of [page, (): Response => new Response(null, { status: 204 })]) {
      const { client, asked } = answering(answer);
      await expect(seqsOf(client.events('s1'))).rejects.toMatchObject({ problem: { code: 'unknown' } });
      expect(asked).toHaveLength(1);
    }
  });

  it('leave out what has no number', async () => {
    const other = 'data: {"type":"other"}\n\n';
    const { client, asked } = answering(stream(other + frame(eventOf(1)) + other), stream(deleted));
    expect(await seqsOf(client.events('s1'))).toEqual([1]);
    expect(asked[1]?.headers.get('last-event-id')).toBe('1');
  });

  it('give up a connection on which nothing comes any more', async () => {
    const { client } = answering(silent, stream(frame(eventOf(1)), deleted));
    expect(await seqsOf(client.events('s1'))).toEqual([1]);
  });

  it('end quietly when the signal is aborted: before, while they come, and while they wait', async () => {
    expect(await seqsOf(answering(silent).client.events('s1', { signal: AbortSignal.abort() }))).toEqual([]);
    for (const answer of [silent, problem(503)]) {
      const { client, asked } = answering(answer);
      const stopped = new AbortController();
      const reading = seqsOf(client.events('s1', { signal: stopped.signal }));
      while (asked.length === 0) await Promise.resolve();
      stopped.abort();
      expect(await reading).toEqual([]);
    }
  });

  it('are read no further when nobody asks for more', async () => {
    const { client, asked } = answering(stream(frame(eventOf(1)), frame(eventOf(2))));
    for await (const { seq } of client.events('s1')) {
      expect(seq).toBe(1);
      break;
    }
    expect(asked).toHaveLength(1);
  });
});

describe('a message whose answer is streamed', () => {
  const dequeued = (seq: number, id: string): AgentEvent => {
    const data = { count: 1, ids: [id], coalesced: false, messageId: 'm' };
    return { seq, type: 'message:dequeued', data, runId: 'r', atMs: 0 };
  };
  const ended = (seq: number): AgentEvent => {
    const outcome = { type: 'completed', finish: 'stop' } as const;
    return { seq, type: 'run:end', data: { runId: 'r', outcome, durationMs: 1 }, runId: 'r', atMs: 0 };
  };

  it('ends where the server says that it is answered', async () => {
    const { client, asked } = answering(stream(frame(dequeued(3, 'mine')) + frame(ended(4)) + answered));
    expect(await seqsOf(client.streamMessage({ content: 'Hi', messageId: 'mine' }))).toEqual([3, 4]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers.get('accept')).toBe('text/event-stream');
  });

  it('is followed to its end where the connection is cut, in the session that was made for it', async () => {
    const { client, asked } = answering(
      stream(frame(dequeued(3, 'mine')), new TypeError('terminated')),
      stream(frame(eventOf(4)), stopping),
      stream(frame(ended(5)) + answered),
    );
    expect(await seqsOf(client.streamMessage({ content: 'Hi', messageId: 'mine' }))).toEqual([3, 4, 5]);
    expect(asked.map(({ url }) => url.replace('http://server/base/api/', ''))).toEqual([
      'message',
      'sessions/s%201/events?after=3&until=mine',
      'sessions/s%201/events?until=mine',
    ]);
    expect(asked[2]?.headers.get('last-event-id')).toBe('4');
  });

  it('is refused with an error where the answer is no stream of events', async () => {
    const { client } = answering(page);
    await expect(seqsOf(client.streamMessage({ content: 'Hi' }))).rejects.toMatchObject({
      problem: { detail: expect.stringContaining('text/html') },
    });
  });

  it('is refused with the error', async () => {
    const { client } = answering(problem(422));
    await expect(seqsOf(client.streamMessage({ content: '' }))).rejects.toBeInstanceOf(ProblemError);
  });
});
