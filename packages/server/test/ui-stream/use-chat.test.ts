import { describe, expect, it } from 'vitest';
import { uiStreamRoutes } from '../../src/ui-stream/ui-stream-routes.ts';
import { openChatPage, shortParts } from '../support/chat-page.ts';
import { look, openBench, press, serve, until } from '../support/serve.ts';

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

  it('answers once more, and an edited message anew', async () => {
    const bench = await openBench([{ text: 'One' }, { text: 'Other' }, { text: 'Third' }]);
    const page = await openChatPage(await serve(uiStreamRoutes(bench.services)), { id: 'chat-1' });
    await page.chat.sendMessage({ text: 'Hi' });
    await page.chat.regenerate();
    await page.shows(
      ({ messages, status }) => status === 'ready' && shortParts(messages[1]).includes('text:Other'),
    );
    expect(page.chat.messages).toHaveLength(2);
    await page.chat.sendMessage({ text: 'Hi there', messageId: page.chat.messages[0]!.id });
    await page.shows(
      ({ messages, status }) => status === 'ready' && shortParts(messages[1]).includes('text:Third'),
    );
    expect(page.chat.messages.map(shortParts)).toEqual([['text:Hi there'], ['step', 'text:Third']]);
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
    const bench = await openBench([{ text: 'Mine' }]);
    const address = await serve(uiStreamRoutes(bench.services), 'ann');
    await bench.agent.create({ id: 'chat-1', owner: 'bob' });
    const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${address}/api/chat${path}`, init);
    for (const id of ['chat-1', 'chat-2']) {
      expect((await ask(`/${id}/stream`)).status, id).toBe(204);
      expect((await ask(`/${id}/stop`, { method: 'POST' })).status, id).toBe(404);
    }
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    const sent = await ask('', { method: 'POST', body: JSON.stringify({ id: 'chat-1', messages }) });
    expect(sent.status).toBe(404);
    expect((await bench.agent.store.sessions.read('chat-1')).messageCount).toBe(0);
  });
});
