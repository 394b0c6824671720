import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatReducer } from './chat-reducer.ts';
import { chunk, event, someUsage } from '../../../test/chat-support.ts';
import { createStyle } from '../../terminal/page.ts';
import { rowsOf } from './block.ts';
import { startState } from './chat-state.ts';
import { widthOf } from '../../terminal/text.ts';
import type { ApprovalRequest } from '@throughline/agent';
import type { ChatEvent, ChatState } from './chat-state.ts';

const plain = createStyle(false);

interface Played {
  readonly state: ChatState;
  readonly rows: readonly string[];
}

/** What is printed, and what is left. */
function play(events: readonly ChatEvent[], columns = 40): Played {
  let state = startState('demo:scripted', columns);
  const rows: string[] = [];
  for (const one of events) {
    const told = chatReducer(state, one);
    ({ state } = told);
    rows.push(...told.blocks.flatMap((block) => rowsOf(block, columns, plain)));
  }
  return { state, rows };
}

const request = (id: string, command: string): ApprovalRequest => ({
  id,
  callId: `call_${id}`,
  toolName: 'bash',
  input: { command },
  grant: { toolName: 'bash', key: command },
  warning: 'Commands run without a sandbox.',
  requestedAtMs: 0,
});

const call = (callId: string, command: string) =>
  event('llm:tool-call', { toolName: 'bash', args: { command }, callId }, 1_000);

const result = (callId: string, text: string, more: object = {}) =>
  event('llm:tool-result', {
    toolName: 'bash',
    callId,
    success: true,
    truncated: false,
    sanitized: false,
    content: [{ type: 'text', text }],
    messageId: 'm1',
    isCancelled: false,
    durationMs: 20,
    ...more,
  });

describe('an answer', () => {
  it('is printed row by row as it comes, and the row that is not full stays live', () => {
    const { state, rows } = play([chunk('one two three four five six seven '), chunk('eight nine ten')]);
    expect(rows).toEqual(['one two three four five six seven eight']);
    expect(state.writing?.tail).toBe('nine ten');
  });

  it('is told once, although the whole comes behind its pieces', () => {
    const { state, rows } = play([chunk('one\ntw'), chunk('o'), chunk('one\ntwo', { isComplete: true })]);
    expect(rows).toEqual(['one', 'two']);
    expect(state.writing).toBeNull();
    expect(play([chunk('one\ntwo', { isComplete: true })]).rows).toEqual(['one', 'two']);
  });

  it('comes out the same, however it was cut into pieces', () => {
    const text = fc
      .array(fc.constantFrom('word', 'a longer one', '\n', '  code', '日本語', '👩‍💻', 'x'.repeat(50), ' '))
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(text, fc.array(fc.nat(30), { maxLength: 20 }), (whole, cuts) => {
        const characters = [...new Intl.Segmenter().segment(whole)].map(({ segment }) => segment);
        const pieces: string[] = [];
        for (const cut of cuts) pieces.push(characters.splice(0, cut).join(''));
        pieces.push(characters.join(''));
        const { rows } = play([...pieces.map((piece) => chunk(piece)), chunk(whole, { isComplete: true })]);
        expect(rows).toEqual(play([chunk(whole, { isComplete: true })]).rows);
        for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(40);
      }),
    );
  });

  it('sends nothing to the terminal that it would obey', () => {
    const { rows } = play([chunk('a\u001b[2J\u0007b\u202e', { isComplete: true })]);
    expect(rows).toEqual(['a␛[2J␇b\ufffd']);
  });

  it('keeps the spaces of code', () => {
    const { rows } = play([chunk('```\n  if (a)   b\n```\n', { isComplete: true })]);
    expect(rows).toEqual(['```', '  if (a)   b', '```']);
  });

  it('is not torn by what is printed meanwhile', () => {
    const { rows } = play([
      chunk('one two'),
      { type: 'chat:notice', tone: 'plain', text: 'Look.' },
      chunk(' three', {}),
      chunk('one two three', { isComplete: true }),
    ]);
    expect(rows).toEqual(['· Look.', '', 'one two three']);
  });

  it('keeps what was said when the run is cancelled', () => {
    const { rows, state } = play([
      event('run:start', { runId: 'run_1', isResumed: false }),
      chunk('I was about'),
      event('run:end', { runId: 'run_1', outcome: { type: 'cancelled' }, durationMs: 5 }),
    ]);
    expect(rows).toEqual(['I was about', '', '· Cancelled; what was said so far is', '  kept.']);
    expect(state.run).toBeNull();
  });

  it('shows reasoning in short', () => {
    const { rows } = play([
      chunk('First.\nSecond.\nThird.\nFourth.', { chunkType: 'reasoning', isComplete: true }),
      chunk('Answer.', { part: 1, isComplete: true }),
    ]);
    expect(rows).toEqual(['✻ First.', '  Second.', '  … 2 more lines', '', 'Answer.']);
  });
});

describe('a tool call', () => {
  it('is live while it runs, with the end of its output', () => {
    const { state, rows } = play([
      call('c1', 'npm test'),
      event('tool:state', { callId: 'c1', toolName: 'bash', state: 'running' }, 2_000),
      event('tool:output', { callId: 'c1', toolName: 'bash', delta: 'x'.repeat(9_000) }),
    ]);
    expect(rows).toEqual([]);
    expect(state.calls).toMatchObject([{ target: 'npm test', isRunning: true, sinceMs: 2_000 }]);
    expect(state.calls[0]?.output.length).toBeLessThan(3_000);
  });

  it('is one line and a few lines of its output when it is done', () => {
    const { state, rows } = play([
      call('c1', 'npm test'),
      result('c1', Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')),
    ]);
    expect(rows).toEqual([
      '✓ bash npm test',
      '  line 0',
      '  line 1',
      '  line 2',
      '  line 3',
      '  … 4,996 more lines',
    ]);
    expect(state.calls).toEqual([]);
  });

  it('shows the end of a failure', () => {
    const text = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
    const { rows } = play([
      call('c1', 'npm test'),
      result('c1', text, { success: false, durationMs: 2_500 }),
    ]);
    expect(rows[0]).toBe('✗ bash (failed, 2.5 s) npm test');
    expect(rows.at(-1)).toBe('  line 99');
    expect(rows).toHaveLength(14);
  });
});

describe('approvals', () => {
  it('are printed in full, one after the other', () => {
    const long = `echo ${'very '.repeat(400)}long`;
    const asked = [request('a1', long), request('a2', 'rm -rf build')];
    const first = play(asked.map((one) => event('approval:requested', { request: one })));
    expect(first.rows.join('').replaceAll(' ', '')).toContain(long.replaceAll(' ', ''));
    expect(first.rows.join('\n')).not.toContain('rm -rf build');
    const [one] = asked;
    const next = play([
      ...asked.map((each) => event('approval:requested', { request: each })),
      event('approval:resolved', { request: one!, answer: { type: 'allow', scope: 'session' } }),
    ]);
    expect(next.rows.slice(-4)).toEqual([
      '  allowed this bash for this session',
      '? bash wants to run:',
      '  $ rm -rf build',
      '  Commands run without a sandbox.',
    ]);
    expect(next.state.approvals.map(({ id }) => id)).toEqual(['a2']);
  });

  it('hide nothing of a command, whatever is in it', () => {
    const { rows } = play([
      event('approval:requested', { request: request('a1', `true ${'\n'.repeat(90)}\u001b[8mrm x`) }),
    ]);
    expect(rows.some((row) => row.includes('␛[8mrm x'))).toBe(true);
  });
});

describe('the queue', () => {
  it('shows a message as said when it has become part of the conversation, once', () => {
    const { state, rows } = play([
      { type: 'chat:submitted', id: 'i1', text: 'go on' },
      event('message:queued', { id: 'i1', position: 1 }),
      { type: 'chat:queue', waiting: [{ id: 'i1', text: 'go on' }] },
      event('message:dequeued', { ids: ['i1'], count: 1, coalesced: false, messageId: 'm2' }),
    ]);
    expect(rows).toEqual(['› go on']);
    expect([state.waiting, state.unsaid]).toEqual([[], {}]);
  });

  it('shows an edited message as it was edited', () => {
    const { rows } = play([
      { type: 'chat:submitted', id: 'i1', text: 'go on' },
      { type: 'chat:queue', waiting: [{ id: 'i1', text: 'go on' }] },
      event('message:updated', { id: 'i1' }),
      { type: 'chat:queue', waiting: [{ id: 'i1', text: 'stop there' }] },
      event('message:dequeued', { ids: ['i1'], count: 1, coalesced: false, messageId: 'm2' }),
    ]);
    expect(rows).toEqual(['› stop there']);
  });

  it('forgets what was taken out', () => {
    const { state, rows } = play([
      { type: 'chat:submitted', id: 'i1', text: 'go on' },
      { type: 'chat:queue', waiting: [{ id: 'i1', text: 'go on' }] },
      event('message:removed', { id: 'i1' }),
    ]);
    expect([rows, state.waiting]).toEqual([[], []]);
  });
});

describe('an answer without a word', () => {
  const step = event('step:start', { step: 1, provider: 'demo', model: 'demo' } as never);
  const end = event('run:end', {
    runId: 'run_1',
    outcome: { type: 'completed', finish: 'stop' } as never,
    durationMs: 1,
  });
  const empty = '· The answer is empty: the model said nothing. Say “go on”, or ask again.';

  it('is said to be empty, also after blanks, thoughts and earlier answers', () => {
    expect(play([step, end], 100).rows).toEqual([empty]);
    expect(play([step, chunk(' \n', { isComplete: true }), end], 100).rows.at(-1)).toBe(empty);
    expect(play([step, chunk('hm', { chunkType: 'reasoning' }), end], 100).rows.at(-1)).toBe(empty);
    expect(play([step, chunk('one'), step, end], 100).rows.at(-1)).toBe(empty);
  });

  it('is one only where nothing was said and nothing called', () => {
    expect(play([step, chunk('ok'), end]).rows).toEqual(['ok']);
    expect(play([step, call('c1', 'ls'), end]).rows).toEqual([]);
    expect(play([end]).rows).toEqual([]);
  });
});

describe('notices', () => {
  const compressed = event('context:compressed', {
    checkpointId: 'cp1',
    strategy: 'reactive-overflow',
    reason: 'overflow',
    round: 1,
    originalTokens: 41_000,
    compressedTokens: 12_000,
    originalMessages: 90,
    compressedMessages: 17,
    messagesCompacted: 74,
    wasPruned: true,
    wasSummarized: true,
    durationMs: 900,
    cost: null,
    summary: 'x',
  });

  it('say what a compaction came to', () => {
    const start = event('compaction:start', { tokensBefore: 41_000, modelLimit: 48_000, reason: 'overflow' });
    expect(play([start]).state.compaction).not.toBeNull();
    const { rows, state } = play([start, compressed], 120);
    expect(rows).toEqual(['· compacted 74 messages: 41k → 12k, saved 71 %, /undo takes it back']);
    expect(state.compaction).toBeNull();
  });

  it('tell a failure once, and what to do', () => {
    const failure = { kind: 'auth', message: 'The key is wrong', recoverable: false } as const;
    const { rows } = play(
      [
        event('llm:error', {
          error: { code: 'auth', message: 'The key is wrong' },
          context: 'step',
          recoverable: false,
        }),
        event('run:end', { runId: 'run_1', outcome: { type: 'failed', failure }, durationMs: 1 }),
      ],
      200,
    );
    expect(rows).toEqual([
      '· The model failed: The key is wrong. Check the key: OPENAI_API_KEY and the like are for their own address, THROUGHLINE_API_KEY is for any other.',
    ]);
  });

  it('tell a failure that may pass once, too, and at the end what to do', () => {
    const failure = { kind: 'provider', message: 'boom', recoverable: true } as const;
    const error = { code: 'provider', message: 'boom' };
    const { rows } = play(
      [
        event('llm:error', { error, context: 'step', recoverable: true }),
        event('run:end', { runId: 'run_1', outcome: { type: 'failed', failure }, durationMs: 1 }),
      ],
      200,
    );
    expect(rows).toEqual([
      '· The model failed: boom.',
      '· /resume tries again; /model NAME goes on with another model.',
    ]);
  });

  it('blame the model for its own failures only', () => {
    const told = (code: string, context: 'step' | 'summary'): readonly string[] =>
      play([event('llm:error', { error: { code, message: 'So it was.' }, context, recoverable: true })]).rows;
    expect(told('provider', 'step')).toEqual(['· The model failed: So it was.']);
    expect(told('interrupted', 'step')).toEqual(['· So it was.']);
    expect(told('summariser', 'summary')).toEqual(['· So it was.']);
  });

  it('count down to the next try until something comes', () => {
    const reason = { kind: 'rate', message: 'slow down', recoverable: true } as const;
    const retry = event('llm:retry', { attempt: 2, nextAt: 12_000, reason });
    expect(play([retry]).state.retry).toEqual({ attempt: 2, nextAtMs: 12_000, reason: 'slow down' });
    expect(play([retry, chunk('ok')]).state.retry).toBeNull();
  });

  it('keep what the usage line shows', () => {
    const usage = { input: 900, output: 20, reasoning: 0, cacheRead: 450, cacheWrite: 0, total: 920 };
    const { state } = play([
      event('context:usage', someUsage),
      event('step:end', { step: 1, finish: 'stop', usage, durationMs: 5, firstTokenMs: 1 }),
    ]);
    expect([state.usage, state.lastStep]).toEqual([someUsage, usage]);
  });

  it('never end the chat for an event of a later version', () => {
    const later = { ...event('context:usage', someUsage), type: 'context:dreamt' } as unknown as ChatEvent;
    expect(play([later]).rows).toEqual([]);
  });
});
