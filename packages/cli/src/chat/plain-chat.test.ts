import { chatInPlainLines, exitCodeOfOutcome } from './plain-chat.ts';
import { chunk, event, fakeServices, fakeSession } from '../../test/chat-support.ts';
import { createStyle } from '../terminal/page.ts';
import { describe, expect, it } from 'vitest';
import type { AgentSession, RunOutcome } from '@throughline/agent';
import type { FakeSession } from '../../test/chat-support.ts';

interface Played {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly session: FakeSession;
}

async function play(
  messages: readonly string[],
  script: (session: () => FakeSession) => Partial<AgentSession>,
  signal = new AbortController().signal,
): Promise<Played> {
  let out = '';
  let err = '';
  const session: FakeSession = fakeSession(script(() => session));
  const cli = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const { code } = await chatInPlainLines(messages, {
    services: fakeServices(),
    session,
    cli,
    style: createStyle(false),
    isJson: false,
    signal,
  });
  return { code, out, err, session };
}

const done: RunOutcome = { type: 'completed', finish: 'stop' };
const settled = (outcome: RunOutcome) => (): Promise<RunOutcome> => Promise.resolve(outcome);

describe('a chat in plain lines', () => {
  it('puts the answer on standard output as it comes, once, and the rest on standard error', async () => {
    const { code, out, err } = await play(['hi'], (session) => ({
      settled: () => {
        session().emit(chunk('Thinking.', { chunkType: 'reasoning', isComplete: true }));
        session().emit(chunk('Good mor', { part: 1 }), chunk('ning', { part: 1 }));
        session().emit(chunk('Good morning', { part: 1, isComplete: true }));
        return settled(done)();
      },
    }));
    expect([code, out, err]).toEqual([0, 'Good morning\n', '✻ Thinking.\n']);
  });

  it.each<[RunOutcome, number]>([
    [done, 0],
    [{ type: 'completed', finish: 'refusal' }, 1],
    [{ type: 'limit', limit: 'steps', isConcluded: true }, 1],
    [{ type: 'failed', failure: { kind: 'auth', message: 'no', recoverable: false } }, 1],
    [{ type: 'cancelled' }, 130],
    [{ type: 'broken', code: 'unexpected', message: 'x' }, 5],
  ])('ends a run that was %j with %i', async (outcome, code) => {
    expect((await play(['hi'], () => ({ settled: settled(outcome) }))).code).toBe(code);
  });

  it('sends nothing behind a run that did not end well, nor behind /quit', async () => {
    const failed = await play(['one', 'two'], () => ({ settled: settled({ type: 'cancelled' }) }));
    expect(failed.session.asked).toEqual(['send one']);
    const left = await play(['one', '/quit', 'two'], () => ({ settled: settled(done) }));
    expect([left.code, left.session.asked]).toEqual([0, ['send one']]);
  });

  it('ends like the run that a command went on with', async () => {
    const { code } = await play(['/resume'], (session) => ({
      resume: () => {
        const outcome = { type: 'limit', limit: 'time', isConcluded: false } as const;
        session().emit(event('run:end', { runId: 'run_1', outcome, durationMs: 1 }));
        return Promise.resolve({ runId: 'run_1' });
      },
      settled: settled(done),
    }));
    expect(code).toBe(1);
  });

  it('does not wait for a session that another process has', async () => {
    const { code, err } = await play(['hi'], () => ({
      send: () => Promise.resolve({ isQueued: true, id: 'i1', position: 1 }),
    }));
    expect([code, err]).toEqual([1, expect.stringContaining('Another process has this session')]);
  });

  it('denies what it is asked, and says what would allow it', async () => {
    const request = {
      id: 'a1',
      callId: 'c1',
      toolName: 'bash',
      input: { command: 'ls' },
      grant: { toolName: 'bash' },
      warning: '',
      requestedAtMs: 0,
    };
    const { session } = await play(['hi'], (playing) => ({
      settled: () => {
        playing().emit(event('approval:requested', { request }));
        return settled(done)();
      },
    }));
    expect(session.answers).toEqual([
      { id: 'a1', answer: { type: 'deny', reason: expect.stringContaining('--allow bash') as string } },
    ]);
  });

  it('cancels what is busy when it is interrupted', async () => {
    const interruption = new AbortController();
    const { code, session } = await play(
      ['hi', 'more'],
      () => ({
        settled: () => {
          interruption.abort();
          return settled({ type: 'cancelled' })();
        },
      }),
      interruption.signal,
    );
    expect([code, session.asked]).toEqual([130, ['send hi', 'cancel']]);
  });
});

it.each([
  ['a full disk is the store’s fault', { type: 'broken', code: 'store-failed', message: 'full' }, 3],
  ['what nobody foresaw is a fault of the program', { type: 'broken', code: 'fault', message: 'oh' }, 5],
  ['an answer that was cut is not good', { type: 'completed', finish: 'length' }, 1],
  ['an answer is good', { type: 'completed', finish: 'stop' }, 0],
] as const)('%s', (_, outcome, code) => {
  expect(exitCodeOfOutcome(outcome)).toBe(code);
});
