import { describe, expect, it } from 'vitest';
import { UiMessage } from './ui-message.ts';
import type { AgentEvent, AgentEvents, AgentEventType } from '@throughline/agent';
import type { AnswerEnd } from '../follow/follow-answer.ts';
import type { UiChunk } from './ui-chunk.ts';

type Told = { readonly [Type in AgentEventType]: readonly [Type, AgentEvents[Type]] }[AgentEventType];

/** The parts that these events make, without the position that counts them. */
function partsOf(...told: readonly Told[]): readonly UiChunk[] {
  const message = new UiMessage({ id: 'answer-1', sessionId: 's' });
  return told.flatMap(([type, data], index) =>
    message.take({ seq: index + 1, type, data, runId: 'r', atMs: 0 } as unknown as AgentEvent),
  );
}

const chunk = (content: string, more: Partial<AgentEvents['llm:chunk']> = {}): Told => [
  'llm:chunk',
  { chunkType: 'text', content, messageId: 'm', part: 0, ...more },
];
const call: Told = ['llm:tool-call', { toolName: 'look', args: { at: 'x' }, callId: 'c' }];
const running: Told = ['tool:state', { toolName: 'look', callId: 'c', state: 'running' }];
const result = (more: Partial<AgentEvents['llm:tool-result']> = {}): Told => [
  'llm:tool-result',
  {
    toolName: 'look',
    callId: 'c',
    success: true,
    truncated: false,
    sanitized: false,
    content: [{ type: 'text', text: 'seen' }],
    messageId: 't',
    isCancelled: false,
    durationMs: 1,
    ...more,
  },
];
const request = {
  id: 'a',
  callId: 'c',
  toolName: 'look',
  input: { at: 'x' },
  grant: { toolName: 'look' },
  warning: 'It runs programs.',
  requestedAtMs: 0,
};
const asked: Told = ['approval:requested', { request }];
const usage = { input: 10, output: 2, reasoning: 0, cacheRead: 4, cacheWrite: 0, total: 12 };
const stepEnd: Told = ['step:end', { step: 1, finish: 'stop', usage, durationMs: 1, firstTokenMs: 1 }];
const stepStart = (step: number): Told => ['step:start', { step, provider: 'p', model: 'm' }];
const compaction: Told = ['compaction:start', { tokensBefore: 900, modelLimit: 1_000, reason: 'threshold' }];

const shown = [
  { type: 'tool-input-start', toolCallId: 'c', toolName: 'look', dynamic: true },
  { type: 'tool-input-available', toolCallId: 'c', toolName: 'look', input: { at: 'x' }, dynamic: true },
];

const rows: readonly {
  readonly what: string;
  readonly told: readonly Told[];
  readonly parts: readonly object[];
}[] = [
  {
    what: 'text in pieces and then whole is told once',
    told: [chunk('Hel'), chunk('lo'), chunk('Hello', { isComplete: true })],
    parts: [
      { type: 'text-start', id: 'm.0' },
      { type: 'text-delta', id: 'm.0', delta: 'Hel' },
      { type: 'text-delta', id: 'm.0', delta: 'lo' },
      { type: 'text-end', id: 'm.0' },
    ],
  },
  {
    what: 'the whole tells what pieces were not read',
    told: [
      chunk('Hel', { chunkType: 'reasoning' }),
      chunk('Hello', { chunkType: 'reasoning', isComplete: true }),
    ],
    parts: [
      { type: 'reasoning-start', id: 'm.0' },
      { type: 'reasoning-delta', id: 'm.0', delta: 'Hel' },
      { type: 'reasoning-delta', id: 'm.0', delta: 'lo' },
      { type: 'reasoning-end', id: 'm.0' },
    ],
  },
  {
    what: 'a step ends where the next begins, and one that is tried again is one',
    told: [stepStart(1), stepStart(1), stepStart(2)],
    parts: [{ type: 'start-step' }, { type: 'finish-step' }, { type: 'start-step' }],
  },
  { what: 'a call is shown when it begins', told: [call], parts: [] },
  {
    what: 'a call that succeeds',
    told: [call, running, result()],
    parts: [...shown, { type: 'tool-output-available', toolCallId: 'c', output: 'seen', dynamic: true }],
  },
  {
    what: 'data for programs stands beside the text',
    told: [call, running, result({ rawResult: { exitCode: 0 } })],
    parts: [
      ...shown,
      {
        type: 'tool-output-available',
        toolCallId: 'c',
        output: { text: 'seen', data: { exitCode: 0 } },
        dynamic: true,
      },
    ],
  },
  {
    what: 'a call that fails before it begins',
    told: [call, result({ success: false })],
    parts: [...shown, { type: 'tool-output-error', toolCallId: 'c', errorText: 'seen', dynamic: true }],
  },
  { what: 'a result of a call that another message shows', told: [result()], parts: [] },
  {
    what: 'an approval that is denied',
    told: [
      call,
      asked,
      ['approval:resolved', { request, answer: { type: 'deny', reason: 'no' } }],
      result({ success: false }),
    ],
    parts: [
      ...shown,
      { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c', reason: 'It runs programs.' },
      { type: 'tool-approval-response', approvalId: 'a', approved: false, reason: 'no' },
      { type: 'tool-output-denied', toolCallId: 'c' },
    ],
  },
  {
    what: 'live output is not kept',
    told: [['tool:output', { callId: 'c', toolName: 'look', delta: 'a line' }]],
    parts: [
      { type: 'data-throughline-tool-output', transient: true, data: { toolCallId: 'c', delta: 'a line' } },
    ],
  },
  {
    what: 'a compaction is one part, however often it is told of',
    told: [
      compaction,
      ['compaction:phase', { phase: 'summarizing', messagesCount: 9, progress: 0.5 }],
      ['compaction:cancelled', { reason: 'threshold' }],
      [
        'compaction:error',
        { error: { code: 'x', message: 'no' }, canRetry: false, suggestNewSession: false },
      ],
    ],
    parts: [
      {
        type: 'data-throughline-compaction',
        id: 'compaction-1',
        data: { state: 'running', reason: 'threshold', tokensBefore: 900 },
      },
      {
        type: 'data-throughline-compaction',
        id: 'compaction-1',
        data: {
          state: 'running',
          reason: 'threshold',
          tokensBefore: 900,
          phase: 'summarizing',
          progress: 0.5,
        },
      },
      { type: 'data-throughline-compaction', id: 'compaction-1', data: { state: 'cancelled' } },
      { type: 'data-throughline-compaction', id: 'compaction-4', data: { state: 'failed', errorText: 'no' } },
    ],
  },
  {
    what: 'usage is the sum of the steps',
    told: [stepStart(1), stepEnd, stepEnd],
    parts: [
      { type: 'start-step' },
      {
        type: 'message-metadata',
        messageMetadata: { throughline: { sessionId: 's', model: 'p:m', position: 2, usage } },
      },
      {
        type: 'message-metadata',
        messageMetadata: {
          throughline: {
            sessionId: 's',
            model: 'p:m',
            position: 3,
            usage: { input: 20, output: 4, reasoning: 0, cacheRead: 8, cacheWrite: 0, total: 24 },
          },
        },
      },
    ],
  },
  {
    what: 'warnings and titles are told once',
    told: [
      ['context:warning', { warning: 'other', message: 'Mind.' }],
      ['session:updated', { title: 'A title' }],
    ],
    parts: [
      { type: 'data-throughline-notice', transient: true, data: { message: 'Mind.' } },
      { type: 'data-throughline-title', transient: true, data: { title: 'A title' } },
    ],
  },
];

const finish = (finishReason: string): object => ({
  type: 'finish',
  finishReason,
  messageMetadata: { throughline: { sessionId: 's' } },
});
const ran = (outcome: Extract<AnswerEnd, { type: 'run-ended' }>['outcome']): AnswerEnd => ({
  type: 'run-ended',
  outcome,
});

const ends: readonly { readonly end: AnswerEnd; readonly parts: readonly object[] }[] = [
  { end: ran({ type: 'completed', finish: 'stop' }), parts: [finish('stop')] },
  { end: ran({ type: 'completed', finish: 'refusal' }), parts: [finish('content-filter')] },
  { end: ran({ type: 'completed', finish: 'window-full' }), parts: [finish('length')] },
  { end: ran({ type: 'limit', limit: 'steps', isConcluded: true }), parts: [finish('other')] },
  { end: ran({ type: 'cancelled' }), parts: [{ type: 'abort', reason: 'cancelled' }] },
  {
    end: ran({ type: 'failed', failure: { kind: 'rate', message: 'Slow down', recoverable: true } }),
    parts: [{ type: 'error', errorText: 'Slow down' }],
  },
  {
    end: ran({ type: 'cannot-fit', usableTokens: 5, requestTokens: 9, parts: [], canCompact: false }),
    parts: [{ type: 'error', errorText: expect.stringContaining('needs 9 tokens, and 5') }],
  },
  { end: { type: 'next-message' }, parts: [finish('other')] },
  {
    end: { type: 'removed' },
    parts: [{ type: 'data-throughline-queue', id: 'queue', data: { state: 'removed' } }, finish('other')],
  },
  {
    end: { type: 'held', outcome: { type: 'cancelled' } },
    parts: [
      { type: 'data-throughline-queue', id: 'queue', data: { state: 'held' } },
      { type: 'error', errorText: expect.stringContaining('cancelled') },
    ],
  },
  { end: { type: 'deleted' }, parts: [{ type: 'error', errorText: 'The session was deleted.' }] },
  { end: { type: 'cut' }, parts: [{ type: 'error', errorText: expect.stringContaining('Resume') }] },
];

describe('events as parts of the UI message stream', () => {
  it.each(rows)('$what', ({ told, parts }) => {
    expect(partsOf(...told)).toEqual(parts);
  });

  it.each(ends)('an answer that ends with $end.type $end.outcome.type', ({ end, parts }) => {
    expect(new UiMessage({ id: 'answer-1', sessionId: 's' }).end(end)).toEqual(parts);
  });

  it('waits for the user only while no call runs', () => {
    const other: Told = ['llm:tool-call', { toolName: 'look', args: {}, callId: 'd' }];
    const isWaitingAfter = (...told: readonly Told[]): boolean => {
      const message = new UiMessage({ id: 'answer-1', sessionId: 's' });
      for (const [index, [type, data]] of told.entries())
        message.take({ seq: index, type, data, runId: 'r', atMs: 0 } as unknown as AgentEvent);
      return message.isWaiting;
    };
    expect(isWaitingAfter(call, other, asked)).toBe(true);
    expect(
      isWaitingAfter(other, call, asked, ['tool:state', { toolName: 'look', callId: 'd', state: 'running' }]),
    ).toBe(false);
    expect(
      isWaitingAfter(call, asked, [
        'approval:resolved',
        { request, answer: { type: 'allow', scope: 'once' } },
      ]),
    ).toBe(false);
  });
});
