import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askerOf } from './api-client.ts';
import { openServer } from './open-server.ts';
import { routes } from '@throughline/protocol';
import type { Ask, Parsed } from './api-client.ts';
import type { OpenedServer } from './open-server.ts';
import type { Route, RouteName } from '@throughline/protocol';
import type { z } from 'zod';

let opened: OpenedServer;
let ask: Ask;

beforeAll(async () => {
  opened = await openServer();
  ask = askerOf(opened.url);
});

afterAll(() => opened[Symbol.asyncDispose]());

/** What an answer of a route must be by its schema: every field it names, as it says. */
function expectAnswer(name: RouteName, { status, body }: { status: number; body: unknown }): void {
  const schema = (routes[name] as Route).answers[status] as z.ZodType | undefined;
  expect(schema, `${name} answers ${status}`).toBeDefined();
  expect(schema?.safeParse(body).error?.issues ?? []).toEqual([]);
}

/** A session in which something was said. */
async function talked(content = 'help'): Promise<string> {
  const { body } = await ask('POST', '/api/message?wait=true', { body: { content } });
  return body.sessionId as string;
}

describe('POST /api/message', () => {
  it('begins a run in a new session and says so at once', async () => {
    const answer = await ask('POST', '/api/message', { body: { content: 'help' } });
    expectAnswer('sendMessage', answer);
    expect([answer.status, answer.body]).toMatchObject([202, { ok: true, queued: false }]);
    const settled = await ask('GET', `/api/sessions/${answer.body.sessionId}/settled`);
    expectAnswer('settleRun', settled);
    expect(settled.body).toEqual({ ok: true, outcome: { type: 'completed', finish: 'stop' } });
  });

  it('answers with the reply where it is waited for', async () => {
    const answer = await ask('POST', '/api/message?wait=true', { body: { content: 'help' } });
    expectAnswer('sendMessage', answer);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ outcome: { type: 'completed' }, queued: false });
    expect(answer.body.reply).toContain('demo model');
  });

  it('takes a message in parts, and keeps its bytes apart', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const content = [
      { type: 'text', text: 'what is this?' },
      { type: 'image', data: png.toString('base64'), mediaType: 'image/png', filename: 'dot.png' },
    ];
    const { body } = await ask('POST', '/api/message?wait=true', { body: { content } });
    const page = await ask('GET', `/api/sessions/${body.sessionId}/messages`);
    expectAnswer('listMessages', page);
    const image = page.body.items[0].parts[1];
    expect(image).toMatchObject({ type: 'media', mediaType: 'image/png', filename: 'dot.png' });
    expect(image.source.url).toMatch(new RegExp(`^/api/sessions/${body.sessionId}/blobs/[0-9a-f]{64}$`));
  });

  it('that cannot be sent leaves no session behind', async () => {
    const before = (await ask('GET', '/api/sessions?limit=200')).body.items;
    expect((await ask('POST', '/api/message', { body: { content: ' ' } })).status).toBe(422);
    expect((await ask('GET', '/api/sessions?limit=200')).body.items).toEqual(before);
  });

  it('streams the events of the run until it ends to whoever accepts them', async () => {
    const answer = await ask('POST', '/api/message', {
      body: { content: 'help' },
      headers: { accept: 'text/event-stream' },
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const types = [...answer.text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    expect([types[0], ...types.slice(-2)]).toEqual(['run:start', 'run:end', 'stream:closed']);
    expect(answer.text).toMatch(/data: \{"reason":"answered"\}\n\n$/);
    expect(answer.headers.get('x-session-id')).toMatch(/^session_/);
  });

  it('streams the same events to whoever sends the message of one id again', async () => {
    const headers = { accept: 'text/event-stream' };
    const body = { messageId: 'streamed', content: 'help' };
    const told = async (): Promise<readonly string[]> => {
      const { text } = await ask('POST', '/api/message', { body, headers });
      return [...text.matchAll(/^event: (message:dequeued|run:end|stream:closed)$/gm)].map(([line]) => line);
    };
    const first = await told();
    expect(first).toEqual(['event: message:dequeued', 'event: run:end', 'event: stream:closed']);
    expect(await told()).toEqual(first);
  });

  it('lets whoever lost a stream go on to its end, from wherever they were', async () => {
    const { body } = await ask('POST', '/api/message?wait=true', {
      body: { messageId: 'cut', content: 'help' },
    });
    const path = `/api/sessions/${body.sessionId}/events`;
    await ask('POST', '/api/message?wait=true', { body: { sessionId: body.sessionId, content: 'help' } });
    const whole = await ask('GET', `${path}?until=cut`);
    const seqs = [...whole.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(whole.text).toMatch(
      /event: run:end\n.*\n.*\n\nevent: stream:closed\ndata: \{"reason":"answered"\}\n\n$/,
    );
    for (const after of [seqs.at(1)!, seqs.at(-2)!, seqs.at(-1)!, seqs.at(-1)! + 2]) {
      const rest = await ask('GET', `${path}?until=cut&after=${after}`);
      const left = [...rest.text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
      expect(left).toEqual(seqs.filter((seq) => seq > after));
      expect(rest.text).toContain('"answered"');
    }
    expect((await ask('GET', `${path}?until=another`)).status).toBe(404);
  });

  it('sends a message of the same id once, and answers the second time as the first', async () => {
    const sessionId = await talked();
    const body = { sessionId, messageId: 'mine', content: 'help' };
    const first = await ask('POST', '/api/message?wait=true', { body });
    const second = await ask('POST', '/api/message?wait=true', { body });
    expect(second.body.reply).toBe(first.body.reply);
    const { body: page } = await ask('GET', `/api/sessions/${sessionId}/messages`);
    expect(page.items.filter(({ id }: { id: string }) => id === 'mine')).toHaveLength(1);
  });

  it('lets a message wait while a run is busy: its place is told, and it can be edited, moved, removed', async () => {
    await using slow = await openServer({ wordDelayMs: 20 });
    const askSlow = askerOf(slow.url);
    const { body: begun } = await askSlow('POST', '/api/message', { body: { content: 'tell me 500 words' } });
    const { sessionId } = begun;
    const send = async (messageId: string): Promise<void> => {
      const answer = await askSlow('POST', '/api/message', {
        body: { sessionId, messageId, content: messageId },
      });
      expectAnswer('sendMessage', answer);
      expect([answer.status, answer.body.queued]).toEqual([202, true]);
    };
    await send('one');
    await send('two');
    await send('three');
    const at = `?sessionId=${sessionId}`;
    const ids = async (): Promise<readonly string[]> => {
      const answer = await askSlow('GET', `/api/message/queue${at}`);
      expectAnswer('listQueue', answer);
      return answer.body.items.map(({ id }: { id: string }) => id);
    };
    expect(await ids()).toEqual(['one', 'two', 'three']);
    const changed = await askSlow('PATCH', `/api/message/queue/three${at}`, {
      body: { position: 1, content: 'new' },
    });
    expectAnswer('changeWaiting', changed);
    expect(changed.body.items[0]).toMatchObject({ id: 'three', parts: [{ type: 'text', text: 'new' }] });
    expect((await askSlow('DELETE', `/api/message/queue/one${at}`)).body).toEqual({ ok: true });
    expect(await ids()).toEqual(['three', 'two']);
    expect((await askSlow('DELETE', `/api/message/queue/one${at}`)).status).toBe(404);
    const now = await askSlow('POST', `/api/message/queue/two/send${at}`);
    expectAnswer('sendWaiting', now);
    expect(now.body).toMatchObject({ queued: false, messageId: 'two' });
    expect((await askSlow('DELETE', `/api/message/queue${at}`)).body.ok).toBe(true);
    await askSlow('POST', `/api/sessions/${sessionId}/cancel`);
    expect((await askSlow('GET', `/api/sessions/${sessionId}/settled`)).body.outcome).toEqual({
      type: 'cancelled',
    });
    expect((await askSlow('POST', `/api/sessions/${sessionId}/compact`)).status).toBe(200);
  });

  it('says plainly that nothing is compacted while a run is busy', async () => {
    await using slow = await openServer({ wordDelayMs: 20 });
    const askSlow = askerOf(slow.url);
    const { body } = await askSlow('POST', '/api/message', { body: { content: 'tell me 500 words' } });
    for (const path of ['compact', 'compaction/undo']) {
      const answer = await askSlow('POST', `/api/sessions/${body.sessionId}/${path}`);
      expect([answer.status, answer.body.code]).toEqual([409, 'busy']);
    }
    await askSlow('POST', `/api/sessions/${body.sessionId}/cancel`);
    const resumed = await askSlow('POST', `/api/sessions/${body.sessionId}/resume`);
    expectAnswer('resumeRun', resumed);
    expect(resumed.body.runId).toMatch(/^run_/);
  });
});

describe('a request that is wrong', () => {
  it.each<[string, unknown, number, string, readonly string[]]>([
    ['broken JSON', '{"content":', 400, 'bad-json', []],
    ['no JSON at all', 'hello', 400, 'bad-json', []],
    ['an empty body', '', 400, 'bad-json', []],
    ['a list', [], 422, 'invalid-request', ['']],
    ['nothing in it', {}, 422, 'invalid-request', ['/content']],
    ['another type', { content: 5 }, 422, 'invalid-request', ['/content']],
    ['an unknown field', { content: 'x', colour: 1 }, 422, 'invalid-request', ['/colour']],
    ['a part of another kind', { content: [{ type: 'video' }] }, 422, 'invalid-request', ['/content/0/type']],
    [
      'a part with more',
      { content: [{ type: 'text', text: 'x', y: 1 }] },
      422,
      'invalid-request',
      ['/content/0/y'],
    ],
    ['no parts', { content: [] }, 422, 'invalid-request', ['/content']],
    ['blank text', { content: '  ' }, 422, 'invalid-option', ['/content']],
    [
      'bytes that are none',
      { content: [{ type: 'image', data: '§', mediaType: 'image/png' }] },
      422,
      'invalid-option',
      ['/content/0/data'],
    ],
    ['a key of prototypes', '{"content":"x","__proto__":{"a":1}}', 422, 'invalid-request', ['/__proto__']],
    ['an id with a line end', { content: 'x', messageId: 'a\nb' }, 422, 'invalid-request', ['/messageId']],
  ])('is told what is wrong with it, and stores nothing: %s', async (_, body, status, code, paths) => {
    const before = (await ask('GET', '/api/sessions?limit=200')).body.items.length as number;
    const sessionId = await talked();
    const asked = typeof body === 'object' && !Array.isArray(body) ? { sessionId, ...body } : body;
    const answer = await ask('POST', '/api/message', { body: asked });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect((answer.body.faults ?? []).map(({ path }: { path: string }) => path)).toEqual(paths);
    const { body: after } = await ask('GET', `/api/sessions/${sessionId}`);
    expect(after).toMatchObject({ messageCount: 2, waitingCount: 0 });
    expect((await ask('GET', '/api/sessions?limit=200')).body.items).toHaveLength(before + 1);
  });

  it.each([
    ['/api/sessions?limit=0', 'query.limit'],
    ['/api/sessions?limit=x', 'query.limit'],
    ['/api/sessions?limit=1&limit=2', 'query.limit'],
    ['/api/sessions?page=2', 'query.page'],
    ['/api/message/queue', 'query.sessionId'],
    [`/api/sessions/${'x'.repeat(201)}`, 'path.id'],
  ])('is told which part of its address is wrong: %s', async (path, place) => {
    const answer = await ask('GET', path);
    expect([answer.status, answer.body.code, answer.body.faults[0].path]).toEqual([
      422,
      'invalid-request',
      place,
    ]);
  });

  it('with a page that never was is refused', async () => {
    expect((await ask('GET', '/api/sessions?cursor=nonsense')).status).toBe(422);
  });

  it('to a route with another method is told those that there are', async () => {
    const answer = await ask('PUT', '/api/sessions');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD']);
  });

  it('with a body that is too large is refused while it comes, by its length or without one', async () => {
    await using small = await openServer({ limits: { maxBodyBytes: 1_000 } });
    const askSmall = askerOf(small.url);
    const body = { content: 'x'.repeat(2_000) };
    expect((await askSmall('POST', '/api/message', { body })).body.code).toBe('payload-too-large');
    const chunked = await fetch(`${small.url}/api/message`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([JSON.stringify(body)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect((await askSmall('POST', '/api/message', { body: { content: 'help' } })).status).toBe(202);
  });

  it('with a body that is too deep is refused before it is read', async () => {
    const deep = `{"content":${'['.repeat(100_000)}`;
    expect((await ask('POST', '/api/message', { body: deep })).body.code).toBe('payload-too-deep');
    const quoted = JSON.stringify({ content: `${'[{"'.repeat(100)}\\` });
    expect((await ask('POST', '/api/message', { body: quoted })).status).toBe(202);
  });

  it.each([
    ['many values', `{"content":[${'1,'.repeat(100_000)}1]}`],
    ['many names', `{"content":"help"${',"":{}'.repeat(60_000)}}`],
  ])('that has too %s is refused before it is parsed', async (_, body) => {
    const answer = await ask('POST', '/api/message', { body });
    expect(answer).toMatchObject({
      status: 413,
      body: { code: 'payload-too-large', data: { maxBodyValues: 100_000 } },
    });
  });

  it('that has a comma for each of many words is none of many values', async () => {
    const { status } = await ask('POST', '/api/message', { body: { content: 'help,'.repeat(110_000) } });
    expect(status).toBe(202);
  });
});

describe('sessions', () => {
  it('are made, told, renamed, listed in pages, and deleted', async () => {
    const made = await ask('POST', '/api/sessions', { body: { title: ' First ' } });
    expectAnswer('createSession', made);
    expect([made.status, made.body.title]).toEqual([201, 'First']);
    await ask('POST', '/api/sessions');
    const first = await ask('GET', '/api/sessions?limit=1');
    expectAnswer('listSessions', first);
    const second = await ask('GET', `/api/sessions?limit=1&cursor=${encodeURIComponent(first.body.next)}`);
    expect(first.body.items[0].id).not.toBe(second.body.items[0].id);
    const path = `/api/sessions/${made.body.id}`;
    expect((await ask('PATCH', path, { body: { title: 'Second' } })).body.title).toBe('Second');
    const told = await ask('GET', path);
    expectAnswer('getSession', told);
    expect(told.body).toMatchObject({
      title: 'Second',
      isRunning: false,
      waitingCount: 0,
      pendingApprovals: 0,
    });
    expect((await ask('DELETE', path)).body).toEqual({ ok: true });
    expect((await ask('GET', path)).status).toBe(404);
    expect((await ask('DELETE', path)).status).toBe(404);
  });

  it('are forked at a message, and branched with another in the place of one', async () => {
    const id = await talked();
    await ask('POST', '/api/message?wait=true', { body: { sessionId: id, content: 'list files' } });
    const forked = await ask('POST', `/api/sessions/${id}/fork`, { body: { at: 1, title: 'Fork' } });
    expectAnswer('forkSession', forked);
    expect(forked.body).toMatchObject({ parentSessionId: id, forkedAt: 2, messageCount: 2, title: 'Fork' });
    const body = { at: 2, content: 'tell me 20 words' };
    const branched = await ask('POST', `/api/sessions/${id}/branch`, { body });
    expectAnswer('branchSession', branched);
    const branch = branched.body.session.id as string;
    await ask('GET', `/api/sessions/${branch}/settled`);
    const { body: page } = await ask('GET', `/api/sessions/${branch}/messages`);
    expect(page.items[2].parts).toEqual([{ type: 'text', text: 'tell me 20 words' }]);
    expect((await ask('POST', `/api/sessions/${id}/fork`, { body: { at: 99 } })).status).toBe(404);
    expect((await ask('POST', `/api/sessions/${id}/branch`, { body: { at: 1, content: 'x' } })).status).toBe(
      422,
    );
  });

  it('go out as lines and come back as another session with the same history', async () => {
    const id = await talked();
    const exported = await ask('GET', `/api/sessions/${id}/export`);
    expect(exported.headers.get('content-type')).toBe('application/x-ndjson');
    expect(exported.headers.get('content-disposition')).toContain('attachment');
    const imported = await ask('POST', '/api/sessions/import', {
      body: exported.text,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expectAnswer('importSession', imported);
    expect(imported.body.id).not.toBe(id);
    const [one, other] = await Promise.all(
      [id, imported.body.id].map((session: string) => ask('GET', `/api/sessions/${session}/messages`)),
    );
    expect(other?.body.items).toEqual(one?.body.items);
  });

  it('that are cut off come back not at all, and the line is named', async () => {
    const { text } = await ask('GET', `/api/sessions/${await talked()}/export`);
    const before = (await ask('GET', '/api/sessions?limit=200')).body.items;
    const answer = await ask('POST', '/api/sessions/import', {
      body: text.slice(0, -20),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'unreadable-file']);
    expect(answer.body.data.line).toBeGreaterThan(1);
    expect((await ask('GET', '/api/sessions?limit=200')).body.items).toEqual(before);
  });

  it('give back what was said: in pages, found, and recalled', async () => {
    const id = await talked();
    const newest = await ask('GET', `/api/sessions/${id}/messages?limit=1`);
    expectAnswer('listMessages', newest);
    expect(newest.body.items[0]).toMatchObject({ ordinal: 1, role: 'assistant' });
    const older = await ask('GET', `/api/sessions/${id}/messages?limit=1&cursor=${newest.body.next}`);
    expect(older.body.items[0]).toMatchObject({ ordinal: 0, parts: [{ type: 'text', text: 'help' }] });
    expect(older.body.next).toBeNull();
    const found = await ask('GET', `/api/sessions/${id}/search?query=DEMO`);
    expectAnswer('searchSession', found);
    const recalled = await ask('GET', `/api/sessions/${id}/recall/${found.body.items[0].id}`);
    expectAnswer('recall', recalled);
    expect(recalled.body.text).toContain('demo model');
    expect((await ask('GET', `/api/sessions/${id}/recall/m99`)).body).toMatchObject({
      code: 'not-found',
      data: { kind: 'recall id' },
    });
  });

  it('tell their context, the next request, their runs and compactions', async () => {
    const id = await talked();
    const asked = async (name: RouteName, path: string): Promise<Parsed> => {
      const answer = await ask('GET', `/api/sessions/${id}/${path}`);
      expectAnswer(name, answer);
      return answer.body;
    };
    expect((await asked('getContext', 'context')).currentTokens).toBeGreaterThan(0);
    const { items, others } = await asked('listContextItems', 'context/items?limit=1');
    expect([items.length, others.count]).toEqual([1, expect.any(Number)]);
    expect((await asked('getNextRequest', 'request')).messages).toHaveLength(2);
    expect((await asked('listRuns', 'runs')).items).toMatchObject([{ outcome: { type: 'completed' } }]);
    expect(await asked('getCompaction', 'compaction')).toEqual({
      isCompacting: false,
      count: 0,
      lastAtMs: null,
      last: null,
    });
    expect(await asked('listCompactions', 'compactions')).toEqual({ items: [] });
    expect(await asked('listChanges', 'changes')).toEqual({ items: [], next: null });
    expect(await asked('getSetup', 'setup')).toMatchObject({ pins: [], state: { version: 2, head: null } });
    expect((await ask('GET', `/api/sessions/${id}/changes?cursor=nothing`)).status).toBe(422);
    expect(await asked('listApprovals', 'approvals')).toEqual({ items: [] });
    expect((await ask('GET', `/api/sessions/${id}/compaction/compare`)).status).toBe(404);
  });

  it('tell what happened, and the exact request of each step', async () => {
    const id = await talked();
    const trace = await ask('GET', `/api/sessions/${id}/trace?limit=10`);
    expectAnswer('getTrace', trace);
    const [step] = trace.body.runs[0].steps;
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    expect(step.context).toEqual({ historyLength: 1, head: null, systemHash: hash, toolsHash: hash });
    const request = await ask('GET', `/api/sessions/${id}/steps/${step.seq}/request`);
    expectAnswer('getStepRequest', request);
    expect(request.body).toMatchObject({ isExact: true, request: { messages: [{ role: 'user' }] } });
    expect(JSON.stringify(request.body.request.messages)).toContain('help');
    expect((await ask('GET', `/api/sessions/${id}/steps/999/request`)).status).toBe(404);
  });

  it('keep messages that are pinned', async () => {
    const id = await talked();
    const path = `/api/sessions/${id}/pins`;
    const pinned = await ask('PUT', `${path}/0`);
    expectAnswer('pin', pinned);
    expect(pinned.body).toEqual({ pins: [0] });
    const listed = await ask('GET', path);
    expectAnswer('listPins', listed);
    expect(listed.body).toEqual({ pins: [0] });
    const unpinned = await ask('DELETE', `${path}/0`);
    expectAnswer('unpin', unpinned);
    expect(unpinned.body).toEqual({ pins: [] });
    expect((await ask('PUT', `${path}/99`)).status).toBe(404);
  });

  it('are found by what was said in them', async () => {
    const id = await talked('a needle in a haystack');
    const found = await ask('GET', '/api/search?query=NEEDLE');
    expectAnswer('searchSessions', found);
    expect(found.body.items.map(({ session }: { session: { id: string } }) => session.id)).toEqual([id]);
  });

  it('go on with a model that is configured, and with no other', async () => {
    const id = await talked();
    const models = await ask('GET', '/api/models');
    expectAnswer('listModels', models);
    const switched = await ask('POST', `/api/sessions/${id}/model`, { body: { model: models.body.default } });
    expectAnswer('switchModel', switched);
    const unknown = await ask('POST', `/api/sessions/${id}/model`, { body: { model: 'http://evil/' } });
    expect([unknown.status, unknown.body.data.known]).toEqual([404, [models.body.default]]);
  });
});

describe('compaction', () => {
  it('is previewed, made with a strategy and a focus, told, compared, and undone', async () => {
    const id = await talked('tell me 500 words');
    const path = `/api/sessions/${id}`;
    for (let turn = 0; turn < 4; turn += 1)
      await ask('POST', '/api/message?wait=true', { body: { sessionId: id, content: 'tell me 900 words' } });
    const preview = await ask('POST', `${path}/compaction/preview`, { body: { strategy: 'digest' } });
    expectAnswer('previewCompaction', preview);
    expect((await ask('GET', `${path}/compactions`)).body.items).toEqual([]);
    const compacted = await ask('POST', `${path}/compact`, { body: { focus: 'the words' } });
    expectAnswer('compact', compacted);
    expect(compacted.body.type).toBe('compacted');
    const state = await ask('GET', `${path}/compaction`);
    expectAnswer('getCompaction', state);
    expect(state.body).toMatchObject({
      count: 1,
      last: {
        id: compacted.body.checkpointId,
        isInForce: true,
        cost: { messagesCompacted: compacted.body.messagesCompacted, model: null, usd: null },
      },
    });
    const changes = await ask('GET', `${path}/changes`);
    expectAnswer('listChanges', changes);
    const [made] = changes.body.items;
    expect(made).toMatchObject({
      id: compacted.body.checkpointId,
      checkpoint: { parent: null, retired: [] },
    });
    expect((await ask('GET', `${path}/setup`)).body.state).toMatchObject({
      head: made.id,
      changes: made.checkpoint.changes,
    });
    expectAnswer('compareViews', await ask('GET', `${path}/compaction/compare`));
    const undone = await ask('POST', `${path}/compaction/undo`);
    expectAnswer('undoCompaction', undone);
    expect(undone.body).toMatchObject({ type: 'undone', checkpointId: compacted.body.checkpointId });
    const listed = await ask('GET', `${path}/compactions`);
    expectAnswer('listCompactions', listed);
    expect(listed.body.items).toMatchObject([{ isInForce: false }]);
    expect((await ask('POST', `${path}/compaction/undo`)).body).toEqual({ type: 'nothing-to-undo' });
    const tried = await ask('POST', `${path}/compaction/what-if`, { body: { strategies: ['digest'] } });
    expectAnswer('whatIf', tried);
    expect(tried.body.items).toMatchObject([{ strategy: 'digest' }]);
    const redone = await ask('POST', `${path}/compaction/redo`);
    expectAnswer('redoCompaction', redone);
    expect(redone.body).toMatchObject({ type: 'redone', checkpointId: compacted.body.checkpointId });
    expect((await ask('POST', `${path}/compaction/redo`)).body).toEqual({ type: 'nothing-to-redo' });
    const unknown = await ask('POST', `${path}/compaction/redo`, { body: { checkpointId: 'another' } });
    expect([unknown.status, unknown.body.data]).toMatchObject([404, { kind: 'checkpoint', id: 'another' }]);
    const at = `${path}/compaction/compare?before=none&now=${compacted.body.checkpointId}`;
    expectAnswer('compareViews', await ask('GET', at));
    expect((await ask('GET', `${path}/compaction/compare?now=nonsense`)).status).toBe(404);
  });

  it('by a strategy that there is not is refused, and those that there are are named', async () => {
    const answer = await ask('POST', `/api/sessions/${await talked()}/compact`, {
      body: { strategy: 'magic' },
    });
    expect([answer.status, answer.body.data.kind]).toEqual([404, 'strategy']);
    expect(answer.body.data.known).toContain('digest');
  });
});

describe('what proxies remember', () => {
  it('is nothing where there is no proxy: lists are empty, and no conversation is there', async () => {
    for (const [name, path] of [
      ['listProxyRoutes', '/api/proxy/routes'],
      ['listProxyConversations', '/api/proxy/conversations'],
      ['searchProxyConversations', '/api/proxy/search?query=x'],
    ] as const) {
      const answer = await ask('GET', path);
      expectAnswer(name, answer);
      expect([answer.status, answer.body.items]).toEqual([200, []]);
    }
    expect((await ask('GET', '/api/proxy/conversations/none/messages')).status).toBe(404);
    expect((await ask('DELETE', '/api/proxy/conversations/none')).status).toBe(404);
  });
});
