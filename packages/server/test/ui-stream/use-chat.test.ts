import { describe, expect, it } from 'vitest';
import { uiStreamRoutes } from '../../src/ui-stream/ui-stream-routes.ts';
import { openChatPage, shortParts } from '../support/chat-page.ts';
import { look, openBench, press, serve, until } from '../support/serve.ts';
import type { Bench } from '../support/serve.ts';

/** What was said in each session of a family, by what it begins with. */
async function familyOf({ store }: Bench, family: string): Promise<readonly (readonly string[])[]> {
  const { items } = await store.sessions.list({ family });
  const told = items.map(async ({ id }) =>
    (await store.history.messages(id, 0, 100)).map(({ message }) =>
      message.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(),
    ),
  );
  return (await Promise.all(told)).toSorted((a, b) => (a.join() < b.join() ? -1 : 1));
}

const patient = { stopAfterMs: Infinity };

describe('useChat over a socket', () => {
  it('sends a message and shows the answer with reasoning, usage and metadata', async () => {
    const bench = await openBench([
      { reasoning: 'hm', text: ['Hel', 'lo'], usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 } },
    ]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'Hi' });
    await page.shows(({ status }) => status === 'ready');
    const [asked, answer] = page.chat.messages;
    expect(shortParts(answer)).toEqual(['step', 'reasoning:hm', 'text:Hello']);
    expect(answer?.metadata).toMatchObject({
      throughline: { sessionId: 'chat-1', model: 'scripted:model', usage: { input: 10, output: 4 } },
    });
    expect(answer?.parts.filter(({ type }) => type === 'data-throughline-usage')).toHaveLength(1);
    const [stored] = await bench.store.history.messages('chat-1', 0, 10);
    expect(stored?.message.id).toBe(asked?.id);
    expect(bench.driver.requests).toHaveLength(1);
  });

  it('keeps one session for a chat: the second request brings only its newest message into it', async () => {
    const bench = await openBench([{ text: 'One' }, { text: 'Two' }]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'First' });
    await page.chat.sendMessage({ text: 'Second' });
    await page.shows(({ messages, status }) => status === 'ready' && messages.length === 4);
    expect(page.chat.messages.map(shortParts)).toEqual([
      ['text:First'],
      ['step', 'text:One'],
      ['text:Second'],
      ['step', 'text:Two'],
    ]);
    expect(bench.driver.requests[1]?.messages).toHaveLength(3);
  });

  it('shows tool calls with their input and output, step by step', async () => {
    const bench = await openBench(
      [
        { text: 'Let me see.', calls: [{ callId: 'c1', name: 'look', input: { at: 'x' } }] },
        { text: 'Done.' },
      ],
      { tools: [look] },
    );
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'Look' });
    await page.shows(({ status }) => status === 'ready');
    const answer = page.chat.messages[1];
    expect(shortParts(answer)).toEqual([
      'step',
      'text:Let me see.',
      'look(output-available)',
      'step',
      'text:Done.',
    ]);
    expect(answer?.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
      input: { at: 'x' },
      output: 'seen x',
    });
  });

  it.each([
    { approved: true, state: 'output-available' },
    { approved: false, state: 'output-denied' },
  ])(
    'asks for an approval, and goes on in the same message when it is $approved',
    async ({ approved, state }) => {
      const bench = await openBench(
        [
          {
            text: 'I press both.',
            calls: [
              { callId: 'c1', name: 'press', input: { button: 'red' } },
              { callId: 'c2', name: 'press', input: { button: 'blue' } },
            ],
          },
          { text: 'Over.' },
        ],
        { tools: [press], approvals: { isAttended: () => true } },
      );
      const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
      await page.chat.sendMessage({ text: 'Press' });
      await page.shows(({ status }) => status === 'ready');
      expect(shortParts(page.chat.messages[1])).toEqual([
        'step',
        'text:I press both.',
        'press(approval-requested)',
        'press(approval-requested)',
      ]);
      for (const part of page.chat.messages[1]?.parts ?? []) {
        if (part.type !== 'dynamic-tool' || part.state !== 'approval-requested') continue;
        await page.chat.addToolApprovalResponse({ id: part.approval.id, approved });
      }
      await page.shows(({ messages }) => shortParts(messages[1]).includes('text:Over.'));
      await page.shows(({ status }) => status === 'ready');
      expect(page.chat.messages).toHaveLength(2);
      expect(shortParts(page.chat.messages[1])).toEqual([
        'step',
        'text:I press both.',
        `press(${state})`,
        `press(${state})`,
        'step',
        'text:Over.',
      ]);
    },
  );

  it.each([
    ['beside one that asks', ['look', 'press']],
    ['behind one that asks, and waits for it', ['press', 'look']],
  ])('a call %s keeps nobody waiting', async (_, names) => {
    const inputs = { look: { at: 'x' }, press: { button: 'red' } };
    const bench = await openBench(
      [
        {
          calls: names.map((name) => ({
            callId: `c-${name}`,
            name,
            input: inputs[name as keyof typeof inputs],
          })),
        },
        { text: 'Over.' },
      ],
      { tools: [look, press], approvals: { isAttended: () => true } },
    );
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'Press' });
    await page.shows(({ messages }) => shortParts(messages[1]).includes('press(approval-requested)'));
    const asked = page.chat.messages[1]?.parts.find(
      (part) => part.type === 'dynamic-tool' && part.state === 'approval-requested',
    );
    if (asked?.type !== 'dynamic-tool' || !asked.approval) throw new Error('Nothing is asked');
    await page.chat.addToolApprovalResponse({ id: asked.approval.id, approved: true });
    await page.shows(({ messages }) => shortParts(messages[1]).includes('text:Over.'));
    expect(shortParts(page.chat.messages[1]).toSorted()).toEqual([
      'look(output-available)',
      'press(output-available)',
      'step',
      'step',
      'text:Over.',
    ]);
  });

  it('a message that waited for a run that was cancelled is held, and its stream says so', async () => {
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const bench = await openBench([{ calls: [{ callId: 'c1', name: 'hold', input: {} }] }], {
      tools: [
        {
          ...look,
          name: 'hold',
          prepare: () => ({
            type: 'ready',
            touches: 'anything',
            execute: async ({ signal }) => {
              signal.addEventListener('abort', goOn);
              await gate;
              return 'held';
            },
          }),
        },
      ],
    });
    const address = await serve(uiStreamRoutes(bench.services, patient));
    const first = await openChatPage(address, { id: 'chat-1' });
    void first.chat.sendMessage({ text: 'One' });
    await first.shows(({ messages }) => shortParts(messages[1]).includes('hold(input-available)'));
    const second = await openChatPage(address, { id: 'chat-1' });
    void second.chat.sendMessage({ text: 'Two' });
    await until(() => second.data.some(({ type }) => type === 'data-throughline-queue'));
    await fetch(`${address}/api/chat/chat-1/stop`, { method: 'POST' });
    await second.shows(({ status }) => status === 'error');
    expect(second.data.at(-1)).toMatchObject({ type: 'data-throughline-queue', data: { state: 'held' } });
    expect(second.chat.error?.message).toContain('the message waits');
  });

  it('a page that is loaded anew while a call asks shows the question, and goes on with the answer', async () => {
    const bench = await openBench(
      [{ calls: [{ callId: 'c', name: 'press', input: { button: 'red' } }] }, { text: 'Over.' }],
      { tools: [press], approvals: { isAttended: () => true } },
    );
    const address = await serve(uiStreamRoutes(bench.services));
    const first = await openChatPage(address, { id: 'chat-1' });
    await first.chat.sendMessage({ text: 'Press' });
    const [asked] = first.chat.messages;
    first.close();
    const page = await openChatPage(address, { id: 'chat-1', resume: true, messages: [asked!] });
    await page.shows(({ messages }) => shortParts(messages[1]).includes('press(approval-requested)'));
    await page.shows(({ status }) => status === 'ready');
    const [request] = await (await bench.agent.open('chat-1')).approvals.pending();
    await page.chat.addToolApprovalResponse({ id: request?.id ?? '', approved: true });
    await page.shows(({ messages }) => shortParts(messages[1]).includes('text:Over.'));
    expect(shortParts(page.chat.messages[1])).toEqual([
      'step',
      'press(output-available)',
      'step',
      'text:Over.',
    ]);
  });

  it('a page that is loaded anew in the middle of an answer shows all of it, once', async () => {
    let tellMore = (): void => {};
    const more = new Promise<void>((resolve) => (tellMore = resolve));
    const slow = {
      ...look,
      prepare: (input: unknown) => {
        const prepared = look.prepare(input);
        if (prepared.type !== 'ready') return prepared;
        return {
          ...prepared,
          execute: async (context: Parameters<typeof prepared.execute>[0]) => {
            await more;
            return await prepared.execute(context);
          },
        };
      },
    };
    const bench = await openBench(
      [{ text: 'Wait.', calls: [{ callId: 'c1', name: 'look', input: { at: 'x' } }] }, { text: 'Done.' }],
      { tools: [slow] },
    );
    const address = await serve(uiStreamRoutes(bench.services, patient));
    const first = await openChatPage(address, { id: 'chat-1' });
    void first.chat.sendMessage({ text: 'Go' });
    await first.shows(({ messages }) => shortParts(messages[1]).includes('look(input-available)'));
    const kept = structuredClone(first.chat.messages);
    first.close();
    const second = await openChatPage(address, { id: 'chat-1', resume: true, messages: kept });
    await second.shows(({ status }) => status === 'streaming');
    tellMore();
    await second.shows(({ status }) => status === 'ready');
    expect(second.chat.messages.map(shortParts)).toEqual([
      ['text:Go'],
      ['step', 'text:Wait.', 'look(output-available)', 'step', 'text:Done.'],
    ]);
  });

  it('a page that asks for its stream before its first message sees no error', async () => {
    const bench = await openBench([{ text: 'Hello' }]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'new', resume: true });
    await page.chat.sendMessage({ text: 'Hi' });
    await page.shows(({ messages }) => shortParts(messages[1]).includes('text:Hello'));
    await page.shows(({ status }) => status === 'ready');
    expect(page.chat.error).toBeUndefined();
  });

  it('a page that is loaded while nothing runs shows what it has', async () => {
    const bench = await openBench([]);
    const address = await serve(uiStreamRoutes(bench.services));
    await bench.agent.create({ id: 'chat-1' });
    const page = await openChatPage(address, { id: 'chat-1', resume: true });
    expect((await fetch(`${address}/api/chat/chat-1/stream`)).status).toBe(204);
    await page.shows(({ status }) => status === 'ready');
    expect(page.chat.messages).toEqual([]);
    expect(page.chat.error).toBeUndefined();
  });

  it('stop ends the run, and what was said stays', async () => {
    const bench = await openBench([{ text: 'Once upon', hangs: true }]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services, { stopAfterMs: 0 })), {
      id: 'chat-1',
    });
    void page.chat.sendMessage({ text: 'Tell' });
    await page.shows(({ messages }) => shortParts(messages[1]).includes('text:Once upon'));
    await page.chat.stop();
    const session = await bench.agent.open('chat-1');
    expect(await session.settled()).toEqual({ type: 'cancelled' });
    expect(shortParts(page.chat.messages[1])).toEqual(['step', 'text:Once upon']);
    expect(page.chat.status).toBe('ready');
  });

  it('the stop route ends the run at once, and the stream says so', async () => {
    const bench = await openBench([{ text: 'Once upon', hangs: true }]);
    const address = await serve(uiStreamRoutes(bench.services, patient));
    const page = await openChatPage(address, { id: 'chat-1' });
    void page.chat.sendMessage({ text: 'Tell' });
    await page.shows(({ messages }) => shortParts(messages[1]).includes('text:Once upon'));
    await fetch(`${address}/api/chat/chat-1/stop`, { method: 'POST' });
    await page.shows(({ status }) => status === 'ready');
    expect(await (await bench.agent.open('chat-1')).settled()).toEqual({ type: 'cancelled' });
  });

  it('shows why a run has failed', async () => {
    const bench = await openBench([
      { failure: { kind: 'auth', message: 'The key is wrong', recoverable: false } },
    ]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'Hi' });
    await page.shows(({ status }) => status === 'error');
    expect(page.chat.error?.message).toBe('The key is wrong');
  });

  it('makes the last answer anew in a branch, however often, and goes on from what it shows', async () => {
    const bench = await openBench([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }, { text: 'Next' }]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'Hi' });
    for (const text of ['Two', 'Three']) {
      await page.chat.regenerate();
      await page.shows(
        ({ messages, status }) => status === 'ready' && shortParts(messages[1]).includes(`text:${text}`),
      );
      expect(page.chat.messages).toHaveLength(2);
    }
    await page.chat.sendMessage({ text: 'Go on' });
    await page.shows(({ messages, status }) => status === 'ready' && messages.length === 4);
    expect(await familyOf(bench, 'chat-1')).toEqual([
      ['Hi', 'One'],
      ['Hi', 'Three', 'Go on', 'Next'],
      ['Hi', 'Two'],
    ]);
  });

  it('makes an earlier answer anew in a branch: what came after it stays where it was', async () => {
    const bench = await openBench(['One', 'Two', 'Three', 'Anew', 'After'].map((text) => ({ text })));
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    for (const text of ['A', 'B', 'C']) await page.chat.sendMessage({ text });
    await page.shows(({ messages, status }) => status === 'ready' && messages.length === 6);
    await page.chat.regenerate({ messageId: page.chat.messages[3]!.id });
    await page.shows(({ messages, status }) => status === 'ready' && messages.length === 4);
    await page.chat.sendMessage({ text: 'D' });
    await page.shows(({ messages, status }) => status === 'ready' && messages.length === 6);
    expect(page.chat.messages.map((message) => shortParts(message).at(-1))).toEqual(
      ['A', 'One', 'B', 'Anew', 'D', 'After'].map((text) => `text:${text}`),
    );
    expect(await familyOf(bench, 'chat-1')).toEqual([
      ['A', 'One', 'B', 'Anew', 'D', 'After'],
      ['A', 'One', 'B', 'Two', 'C', 'Three'],
    ]);
    expect(bench.driver.requests[3]?.messages).toHaveLength(3);
  });

  it('an edited message, the first or a later one, is sent in a branch in the place of what it was', async () => {
    const bench = await openBench(['One', 'Two', 'Three', 'Four'].map((text) => ({ text })));
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    for (const text of ['A', 'B']) await page.chat.sendMessage({ text });
    await page.shows(({ messages, status }) => status === 'ready' && messages.length === 4);
    const edit = async (index: number, text: string, answer: string): Promise<void> => {
      await page.chat.sendMessage({ text, messageId: page.chat.messages[index]!.id });
      await page.shows(
        ({ messages, status }) =>
          status === 'ready' && shortParts(messages[index + 1]).includes(`text:${answer}`),
      );
      expect(page.chat.messages).toHaveLength(index + 2);
    };
    await edit(2, 'B, but better', 'Three');
    await edit(0, 'A, but better', 'Four');
    expect(await familyOf(bench, 'chat-1')).toEqual([
      ['A, but better', 'Four'],
      ['A', 'One', 'B, but better', 'Three'],
      ['A', 'One', 'B', 'Two'],
    ]);
  });

  it('a page that was left open goes on with the branch it shows, and not with the newest', async () => {
    const bench = await openBench(['One', 'Two', 'Three'].map((text) => ({ text })));
    const address = await serve(uiStreamRoutes(bench.services));
    const page = await openChatPage(address, { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'A' });
    await page.shows(({ status }) => status === 'ready');
    const other = await openChatPage(address, {
      id: 'chat-1',
      messages: structuredClone(page.chat.messages),
    });
    await page.chat.regenerate();
    await page.shows(({ messages }) => shortParts(messages[1]).includes('text:Two'));
    await page.shows(({ status }) => status === 'ready');
    await other.chat.sendMessage({ text: 'B' });
    await other.shows(({ messages }) => shortParts(messages[3]).includes('text:Three'));
    expect(await familyOf(bench, 'chat-1')).toEqual([
      ['A', 'One', 'B', 'Three'],
      ['A', 'Two'],
    ]);
  });

  it('a request for another answer that comes twice while it is given makes one branch', async () => {
    const bench = await openBench([{ text: 'One' }, { text: 'Two', hangs: true }]);
    const address = await serve(uiStreamRoutes(bench.services, patient));
    const page = await openChatPage(address, { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'A' });
    await page.shows(({ status }) => status === 'ready');
    const [asked, answer] = page.chat.messages;
    const body = JSON.stringify({
      id: 'chat-1',
      messages: [asked],
      trigger: 'regenerate-message',
      messageId: answer?.id,
    });
    const first = await fetch(`${address}/api/chat`, { method: 'POST', body });
    await until(() => bench.driver.requests.length === 2);
    const again = await fetch(`${address}/api/chat`, { method: 'POST', body });
    expect(again.headers.get('x-session-id')).toBe(first.headers.get('x-session-id'));
    expect(await familyOf(bench, 'chat-1')).toHaveLength(2);
    await fetch(`${address}/api/chat/chat-1/stop`, { method: 'POST' });
    await Promise.all([first.text(), again.text()]);
  });

  it('takes files as parts, and no addresses', async () => {
    const bench = await openBench([{ text: 'A dot.' }]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    const url =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await page.chat.sendMessage({
      text: 'What is it?',
      files: [{ type: 'file', mediaType: 'image/png', filename: 'dot.png', url }],
    });
    await page.shows(({ status }) => status === 'ready');
    const [stored] = await bench.store.history.messages('chat-1', 0, 1);
    expect(stored?.message.parts.map(({ type }) => type).toSorted()).toEqual(['media', 'text']);
    await page.chat.sendMessage({
      text: 'And this?',
      files: [{ type: 'file', mediaType: 'image/png', url: 'http://169.254.169.254/' }],
    });
    await page.shows(({ status }) => status === 'error');
  });

  it('a message that is sent while a run is busy waits, and its stream shows its own answer', async () => {
    let tellMore = (): void => {};
    const more = new Promise<void>((resolve) => (tellMore = resolve));
    const bench = await openBench(
      [{ text: 'Wait.', calls: [{ callId: 'c1', name: 'hold', input: {} }] }, { text: 'Both done.' }],
      {
        tools: [
          {
            ...look,
            name: 'hold',
            prepare: () => ({
              type: 'ready',
              touches: 'anything',
              execute: async () => {
                await more;
                return 'held';
              },
            }),
          },
        ],
      },
    );
    const address = await serve(uiStreamRoutes(bench.services, patient));
    const first = await openChatPage(address, { id: 'chat-1' });
    void first.chat.sendMessage({ text: 'One' });
    await first.shows(({ messages }) => shortParts(messages[1]).includes('hold(input-available)'));
    const second = await openChatPage(address, { id: 'chat-1' });
    void second.chat.sendMessage({ text: 'Two' });
    await until(() => second.data.some(({ type }) => type === 'data-throughline-queue'));
    tellMore();
    await first.shows(({ status }) => status === 'ready');
    await second.shows(({ status }) => status === 'ready');
    expect(shortParts(first.chat.messages[1])).toEqual(['step', 'text:Wait.', 'hold(output-available)']);
    expect(shortParts(second.chat.messages[1])).toEqual(['step', 'text:Both done.']);
  });

  it('a message that waits in a session that is deleted waits no longer', async () => {
    const bench = await openBench([]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    // Nothing begins any more: the message waits.
    await bench.agent.stop();
    void page.chat.sendMessage({ text: 'One' });
    await until(() => page.data.some(({ type }) => type === 'data-throughline-queue'));
    await bench.agent.delete('chat-1');
    await page.shows(
      ({ status, error }) => status === 'error' && error?.message.includes('deleted') === true,
    );
  });

  it('an answer to a question that nobody has asked is refused, and makes no chat', async () => {
    const bench = await openBench([{ text: 'Hello' }]);
    const address = await serve(uiStreamRoutes(bench.services));
    const reply = (id: string, position?: number): Promise<Response> => {
      const approval = { id: 'nobody-asked', approved: true };
      const parts = [{ type: 'dynamic-tool', state: 'approval-responded', approval }];
      const metadata = { throughline: { position } };
      const messages = [{ id: 'm2', role: 'assistant', parts, ...(position !== undefined && { metadata }) }];
      return fetch(`${address}/api/chat`, { method: 'POST', body: JSON.stringify({ id, messages }) });
    };
    const page = await openChatPage(address, { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'Hi' });
    for (const position of [undefined, 1_000_000_000])
      expect((await reply('chat-1', position)).status).toBe(404);
    expect((await reply('chat-2')).status).toBe(404);
    expect((await bench.store.sessions.list()).items.map(({ id }) => id)).toEqual(['chat-1']);
  });

  it.each(['a\u0000b', 'half \ud800 of a character'])(
    'a chat that cannot be named so is not made: %j',
    async (id) => {
      const bench = await openBench([]);
      const address = await serve(uiStreamRoutes(bench.services));
      const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
      const sent = await fetch(`${address}/api/chat`, {
        method: 'POST',
        body: JSON.stringify({ id, messages }),
      });
      expect(sent.status).toBe(422);
      expect((await bench.store.sessions.list()).items).toEqual([]);
    },
  );

  it("does not tell somebody else's chat from one that is not there", async () => {
    const bench = await openBench([{ text: 'Mine' }, { text: 'Mine' }]);
    const address = await serve(uiStreamRoutes(bench.services), 'ann');
    await bench.agent.create({ id: 'chat-1', owner: 'bob' });
    const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${address}/api/chat${path}`, init);
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    for (const id of ['chat-1', 'chat-2']) {
      expect((await ask(`/${id}/stream`)).status, id).toBe(204);
      expect((await ask(`/${id}/stop`, { method: 'POST' })).status, id).toBe(404);
      const sent = await ask('', { method: 'POST', body: JSON.stringify({ id, messages }) });
      expect([sent.status, await sent.text()], id).toEqual([200, expect.stringContaining('Mine')]);
      expect(sent.headers.get('x-session-id'), id).toMatch(/^named_/);
      expect((await ask(`/${id}/stop`, { method: 'POST' })).status, id).toBe(200);
    }
    expect((await bench.agent.store.sessions.read('chat-1')).messageCount).toBe(0);
  });
});
