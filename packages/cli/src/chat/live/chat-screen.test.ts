import { chunk, countingIds, event, fakeServices, fakeSession } from '../../../test/chat-support.ts';
import { ChatScreen } from './chat-screen.ts';
import { createStyle } from '../../terminal/page.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMemoryStore } from '@throughline/stores';
import { KeyDecoder } from '../../terminal/keyboard.ts';
import { keyNamed, keyOf } from '../../terminal/keys.ts';
import type { AgentSession, ApprovalRequest } from '@throughline/agent';
import type { ChatServices } from '../state/chat-services.ts';
import type { FakeSession } from '../../../test/chat-support.ts';
import type { KeyName } from '../../terminal/keys.ts';

interface Opened {
  readonly screen: ChatScreen;
  readonly session: FakeSession;
  readonly type: (text: string) => void;
  readonly press: (name: KeyName, held?: { readonly hasAlt?: boolean; readonly hasShift?: boolean }) => void;
  readonly ctrl: (letter: string) => void;
  readonly paste: (text: string) => void;
  readonly enter: (text: string) => Promise<void>;
  /** The rows of the bottom. */
  readonly bottom: () => readonly string[];
  readonly clock: { ms: number };
  /** What was printed since. */
  readonly printed: () => string;
}

async function openScreen(
  script: Partial<AgentSession> = {},
  services: Partial<ChatServices> = {},
): Promise<Opened> {
  const session = fakeSession(script);
  const clock = { ms: 10_000 };
  const screen = new ChatScreen({
    services: fakeServices(services),
    session,
    clock: { nowMs: () => clock.ms },
    ids: countingIds(),
    style: createStyle(false),
    size: () => ({ columns: 60, rows: 20 }),
    onChange: () => {},
  });
  await screen.chat.begin();
  const press: Opened['press'] = (name, held) => screen.take(keyNamed(name, held));
  const type = (text: string): void => screen.take({ type: 'text', text });
  return {
    screen,
    session,
    clock,
    type,
    press,
    ctrl: (letter) => screen.take(keyOf(letter, { hasCtrl: true })),
    paste: (text) => screen.take({ type: 'paste', text }),
    enter: async (text) => {
      type(text);
      press('enter');
      await screen.chat.settled();
    },
    bottom: () => screen.live(10_000).rows,
    printed: () => screen.takePrinted().join('\n'),
  };
}

const start = event('run:start', { runId: 'run_1', isResumed: false }, 8_000);
const request = (id: string, toolName = 'bash'): ApprovalRequest => ({
  id,
  callId: `call_${id}`,
  toolName,
  input: { command: 'rm -rf build' },
  grant: { toolName, key: 'rm -rf build' },
  warning: 'Commands run without a sandbox.',
  requestedAtMs: 0,
});

describe('the screen', () => {
  it('shows model, context and a place to type', async () => {
    const { bottom } = await openScreen();
    expect(bottom()).toEqual([
      '─'.repeat(59),
      '› ',
      expect.stringMatching(/^demo:scripted · ▕████.+▏ 41 % of 24k$/),
    ]);
  });

  it('sends what is typed', async () => {
    const { enter, session } = await openScreen();
    await enter('hello there');
    expect(session.asked).toEqual(['send hello there']);
  });

  it('takes what is typed while a run is busy', async () => {
    const { enter, session, bottom, type } = await openScreen({
      send: () => {
        session.waiting = [{ id: 'inbox_1', content: 'and then this', position: 1 } as never];
        return Promise.resolve({ isQueued: true, id: 'inbox_1', position: 1 });
      },
    });
    session.isRunning = true;
    session.emit(start, chunk('an answer that goes on'));
    await enter('and then this');
    type('next');
    expect(bottom().slice(0, -1)).toEqual([
      'an answer that goes on',
      expect.stringMatching(/^. answering \(2\.0 s, Esc stops\)$/),
      '1 waiting: and then this',
      '─'.repeat(59),
      '› next',
    ]);
  });

  it('never grows as high as the terminal, whatever is typed, called and waiting', async () => {
    const { screen, session, bottom, paste } = await openScreen();
    session.emit(start);
    for (let index = 0; index < 30; index += 1)
      session.emit(
        event('llm:tool-call', {
          toolName: 'bash',
          args: { command: 'x\n'.repeat(99) },
          callId: `c${index}`,
        }),
      );
    paste('line\n'.repeat(100));
    expect(bottom().length).toBeLessThan(20);
    expect(screen.live(0).cursor.y).toBeLessThan(bottom().length);
  });

  it('makes a new line of Alt-Enter, and of a backslash before Enter', async () => {
    const { type, press, session, screen } = await openScreen();
    type('one');
    press('enter', { hasAlt: true });
    type('two\\');
    press('enter');
    type('three');
    press('enter');
    await screen.chat.settled();
    expect(session.asked).toEqual(['send one\ntwo\nthree']);
  });

  it('takes a paste as text, line ends and all', async () => {
    const { screen, press, session, paste } = await openScreen();
    paste('one\r\ntwo\r\n');
    press('enter');
    await screen.chat.settled();
    expect(session.asked).toEqual(['send one\ntwo']);
  });
});

describe('what arrives in one read', () => {
  it('is taken key by key', async () => {
    const { screen, session, bottom } = await openScreen();
    const decoder = new KeyDecoder();
    const read = (piece: string): void => decoder.push(piece).inputs.forEach((input) => screen.take(input));
    read('hello\u0015abc');
    expect(bottom().at(-2)).toBe('› abc');
    read(' def\u0017x\u0001y\u0005z\u001b[D\u001b[D\u000b');
    expect(bottom().at(-2)).toBe('› yabc');
    read('\u0019\rand then\r/comp\t');
    await screen.chat.settled();
    expect(session.asked).toEqual(['send yabc xz', 'send and then']);
    expect(bottom().at(-2)).toBe('› /compact');
  });

  it('is a paste where it is large: one short text on the line, and all of it is sent', async () => {
    const { screen, paste, press, session, bottom, printed } = await openScreen();
    const text = Array.from({ length: 20_000 }, (_, index) => `line ${index} of a log\tthat is long`).join(
      '\n',
    );
    paste(text);
    expect(bottom().at(-2)).toBe('› [pasted 20,000 lines, 648.9 kB]');
    press('backspace');
    expect(bottom().at(-2)).toBe('› ');
    paste(text);
    press('enter');
    await screen.chat.settled();
    expect(session.asked).toEqual([`send ${text}`]);
    session.emit(event('message:dequeued', { ids: ['inbox_1'], count: 1, coalesced: false, messageId: 'm' }));
    expect(printed().split('\n').length).toBeLessThan(20);
  });
});

describe('stopping', () => {
  it('is seen at once', async () => {
    const { session, press, bottom } = await openScreen();
    session.isRunning = true;
    session.emit(start);
    press('escape');
    expect(bottom()[0]).toMatch(/stopping …$/);
    expect(session.asked).toEqual(['cancel']);
  });

  it('happens at the first Ctrl-C, and the second leaves', async () => {
    const { session, bottom, screen, ctrl } = await openScreen();
    session.isRunning = true;
    session.emit(start);
    ctrl('c');
    expect(bottom().at(-1)).toBe('Ctrl-C again leaves; the session is kept.');
    expect(session.asked).toEqual(['cancel']);
    ctrl('c');
    await screen.left;
  });

  it('empties the line where nothing is busy', async () => {
    const { type, bottom, screen, ctrl } = await openScreen();
    type('half a thought');
    ctrl('c');
    expect(bottom().at(-2)).toBe('› ');
    ctrl('d');
    await screen.left;
  });

  it('shows the end of a run that could not be stored any more', async () => {
    const { session, printed, bottom } = await openScreen({
      settled: () => Promise.resolve({ type: 'lost' }),
    });
    session.emit(start);
    await Promise.resolve();
    await Promise.resolve();
    expect(printed()).toContain('Another process has taken this session over.');
    expect(bottom()).toHaveLength(3);
  });

  it('lets go of the session properly', async () => {
    const { session, screen } = await openScreen();
    session.isRunning = true;
    await screen.chat.end();
    expect(session.asked).toEqual(['cancel']);
  });
});

describe('an approval', () => {
  it('is answered with a key, one after the other', async () => {
    const { session, type, printed, bottom, clock } = await openScreen();
    session.emit(start, event('approval:requested', { request: request('a1') }));
    session.emit(event('approval:requested', { request: request('a2', 'write') }));
    expect(printed()).toContain('bash wants to run:\n  $ rm -rf build\n  Commands run without a sandbox.');
    expect(bottom().find((row) => row.startsWith('Allow'))).toBe('Allow bash? (1 of 2) rm -rf build');
    clock.ms += 500;
    type('s');
    expect(session.answers).toEqual([{ id: 'a1', answer: { type: 'allow', scope: 'session' } }]);
    session.emit(
      event('approval:resolved', { request: request('a1'), answer: { type: 'allow', scope: 'session' } }),
    );
    expect(bottom().find((row) => row.startsWith('Allow'))).toBe('Allow write? rm -rf build');
  });

  it('is denied with a reason', async () => {
    const { session, type, enter, clock } = await openScreen();
    session.emit(start, event('approval:requested', { request: request('a1') }));
    clock.ms += 500;
    type('n');
    await enter('not now');
    expect(session.answers).toEqual([{ id: 'a1', answer: { type: 'deny', reason: 'not now' } }]);
  });

  it('is not given by Enter, by a paste, by what stands in a longer text, or by what was being typed', async () => {
    const { session, type, press, clock, ctrl, paste } = await openScreen();
    session.emit(start, event('approval:requested', { request: request('a1') }));
    type('y');
    clock.ms += 500;
    press('enter');
    paste('y');
    type('yes, and more');
    ctrl('y');
    expect(session.answers).toEqual([]);
  });

  it('takes a reason that comes with the no, and leaves what was being typed before', async () => {
    const { session, type, press, bottom, clock } = await openScreen();
    type('half a thought');
    session.emit(start, event('approval:requested', { request: request('a1') }));
    clock.ms += 500;
    type('nnot now');
    press('enter');
    expect(session.answers).toEqual([{ id: 'a1', answer: { type: 'deny', reason: 'not now' } }]);
    session.emit(event('approval:resolved', { request: request('a1'), answer: { type: 'deny' } }));
    expect(bottom().at(-2)).toBe('› half a thought');
  });

  it('leaves what was being typed as it was', async () => {
    const { session, type, bottom, clock } = await openScreen();
    type('half a thought');
    session.emit(start, event('approval:requested', { request: request('a1') }));
    clock.ms += 500;
    type('y');
    session.emit(
      event('approval:resolved', { request: request('a1'), answer: { type: 'allow', scope: 'once' } }),
    );
    expect(bottom().at(-2)).toBe('› half a thought');
  });
});

describe('a session that another process has, too', () => {
  it('shows what was said there when it is taken here, once and beside what was said here', async () => {
    const message = {
      id: 'i8',
      role: 'user',
      parts: [{ type: 'text', text: 'First: from there\n\nAlso: from here' }],
      meta: {
        coalesced: true,
        originalMessages: [
          { id: 'i8', content: 'from there' },
          { id: 'inbox_1', content: 'from here' },
        ],
      },
    };
    const { enter, session, screen, printed } = await openScreen({
      send: () => Promise.resolve({ isQueued: true, id: 'inbox_1', position: 2 }),
      history: () => Promise.resolve({ items: [{ message } as never], next: null }),
    });
    session.isRunning = true;
    session.emit(start);
    await enter('from here');
    printed();
    session.emit(
      event('message:dequeued', { ids: ['i8', 'inbox_1'], count: 2, coalesced: true, messageId: 'i8' }),
    );
    await screen.chat.settled();
    const rows = printed();
    expect(rows.match(/› from there/g)).toHaveLength(1);
    expect(rows.match(/› from here/g)).toHaveLength(1);
  });

  it('does not call a message held that is left to that process, and looks again with the next command', async () => {
    const { enter, session, bottom } = await openScreen({
      send: () => Promise.resolve({ isQueued: true, id: 'inbox_1', position: 1 }),
    });
    session.waiting = [{ id: 'inbox_1', content: 'hello', position: 1 } as never];
    await enter('hello');
    expect(bottom().join('\n')).toContain('1 left to the other process: hello');
    session.waiting = [];
    await enter('/context');
    expect(bottom().join('\n')).not.toContain('hello');
  });

  it('is shown anew by its own id, with what was said there meanwhile', async () => {
    const said = { id: 'm9', role: 'assistant', parts: [{ type: 'text', text: 'It is the account.' }] };
    let items: readonly unknown[] = [];
    const { agent } = fakeServices();
    const store = { ...agent.store, sessions: { list: () => Promise.resolve({ items: [], next: null }) } };
    const { enter, session, printed } = await openScreen(
      { history: () => Promise.resolve({ items: items as never, next: null }) },
      { agent: { ...agent, store: store as never } },
    );
    items = [{ message: said }];
    await enter('/sessions session_1');
    expect(printed()).toContain('It is the account.');
    session.isRunning = true;
    await enter('/sessions session_1');
    expect(printed()).toContain('This session is open already.');
  });
});

describe('commands', () => {
  it('are answered with the nearest when there is none of that name', async () => {
    const { enter, printed, session } = await openScreen();
    await enter('/compcat');
    expect(printed()).toContain('There is no command /compcat. Did you mean /compact?');
    await enter('/etc/hosts is what?');
    expect(session.asked).toEqual(['send /etc/hosts is what?']);
  });

  it('compact with a focus, and say what came of it', async () => {
    const focuses: unknown[] = [];
    const { enter, printed } = await openScreen({
      compact: ({ focus } = {}) => {
        focuses.push(focus);
        return Promise.resolve({ type: 'nothing-to-do', tokens: 1_234 });
      },
      undo: () => Promise.resolve({ type: 'nothing-to-undo' }),
    });
    await enter('/compact the parser');
    await enter('/undo');
    expect(focuses).toEqual(['the parser']);
    expect(printed()).toMatch(
      /nothing to compact: the context has 1\.2k\s+tokens[^]*no compaction to take back/,
    );
  });

  it('show what fills the window', async () => {
    const { enter, printed } = await openScreen();
    await enter('/context');
    expect(printed()).toMatch(/9,840 tokens: 41 %[^]*tool results +6,000 +61 %[^]*tools +1,200 +12 %/);
  });

  it('change what waits', async () => {
    const { enter, session, printed } = await openScreen();
    session.waiting = [{ id: 'i1', content: 'go on', position: 1 } as never];
    await enter('/queue');
    expect(printed()).toContain('1. go on');
    await enter('/queue edit 1 stop at once');
    await enter('/queue remove 1');
    expect(session.asked).toEqual(['edit i1 stop at once', 'remove i1']);
  });

  it('open a new session, but not while a run is busy', async () => {
    const { enter, session, screen, printed } = await openScreen();
    session.isRunning = true;
    await enter('/new');
    expect(screen.chat.session.id).toBe('session_1');
    session.isRunning = false;
    await enter('/new');
    expect(screen.chat.session.id).toBe('session_2');
    expect(printed()).toContain('/sessions session_1 goes back.');
  });

  it('are completed by Tab', async () => {
    const { type, press, bottom, printed, ctrl } = await openScreen();
    type('/comp');
    press('tab');
    expect(bottom().at(-2)).toBe('› /compact');
    type('x');
    ctrl('u');
    type('/co');
    press('tab');
    expect(printed()).toContain('/compact  /context');
  });

  it('tell a failure, and the chat goes on', async () => {
    const { enter, printed, session } = await openScreen({
      undo: () => Promise.reject(new Error('The disk is gone.')),
    });
    await enter('/undo');
    expect(printed()).toContain('The disk is gone.');
    await enter('hello');
    expect(session.asked).toEqual(['send hello']);
  });

  it('leave', async () => {
    const { enter, screen } = await openScreen();
    await enter('/quit');
    await screen.left;
  });
});

describe('/sessions', () => {
  async function openBetween(): Promise<Opened> {
    const store = await openMemoryStore();
    onTestFinished(() => store[Symbol.asyncDispose]());
    await store.sessions.create({ id: 'session_1', folder: '/work' });
    for (const [id, folder] of [
      ['a', '/work'],
      ['b', '/elsewhere'],
      ['c', ''],
    ] as const)
      await store.sessions.create({ id, folder, title: `title ${id}` });
    const { agent } = fakeServices();
    const open = async (id: string): Promise<AgentSession> => {
      const info = await store.sessions.read(id);
      return fakeSession({ info: () => Promise.resolve(info) }, id);
    };
    return await openScreen({}, { agent: { ...agent, store, open } });
  }

  it('lists those of this folder, and all where all are asked for', async () => {
    const { enter, printed } = await openBetween();
    await enter('/sessions');
    const here = printed();
    expect(here).toContain('title a');
    expect(here).not.toMatch(/title [bc]/);
    await enter('/sessions all');
    expect(printed()).toMatch(/title c[^]*elsewhere +title b[^]*title a/);
  });

  it('opens by the number of the list that was asked for, and says where another session was', async () => {
    const { screen, enter, printed } = await openBetween();
    await enter('/sessions 1');
    expect(screen.chat.session.id).toBe('a');
    expect(printed()).not.toContain('tools work in');
    await enter('/sessions all 2');
    expect(screen.chat.session.id).toBe('b');
    expect(printed().replace(/\s+/g, ' ')).toContain('This session is of /elsewhere; tools work in /work.');
  });
});
