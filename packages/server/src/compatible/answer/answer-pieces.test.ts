import { describe, expect, it } from 'vitest';
import { AnswerPieces } from './answer-pieces.ts';
import type { AgentEvent, AgentEvents, AgentEventType, RunOutcome } from '@throughline/agent';

type Told = { readonly [Type in AgentEventType]: readonly [Type, AgentEvents[Type]] }[AgentEventType];

function eventsOf(told: readonly Told[]): readonly AgentEvent[] {
  return told.map(
    ([type, data], index) => ({ seq: index + 1, type, data, runId: 'r', atMs: 0 }) as unknown as AgentEvent,
  );
}

const chunk = (content: string, part: number, more: Partial<AgentEvents['llm:chunk']> = {}): Told => [
  'llm:chunk',
  { chunkType: 'text', content, messageId: 'm', part, ...more },
];
const whole = { isComplete: true } as const;
const thought = { chunkType: 'reasoning' } as const;
const call: Told = ['llm:tool-call', { toolName: 'look', args: { at: 'x' }, callId: 'c' }];
const result = (success: boolean): Told => [
  'llm:tool-result',
  {
    toolName: 'look',
    callId: 'c',
    success,
    truncated: false,
    sanitized: false,
    content: [{ type: 'text', text: 'not there' }],
    messageId: 't',
    isCancelled: false,
    durationMs: 1,
  },
];
const text = (delta: string): object => ({ type: 'text', delta });
const reasoning = (delta: string): object => ({ type: 'reasoning', delta });

describe('events as pieces of an answer', () => {
  it.each([
    [
      'text in pieces and then whole',
      [chunk('Hel', 0), chunk('lo', 0), chunk('Hello', 0, whole)],
      [text('Hel'), text('lo')],
    ],
    ['a part that is read late', [chunk('Hello', 0, whole)], [text('Hello')]],
    [
      'parts in paragraphs of their own',
      [chunk('A', 0, whole), chunk('B', 2, whole)],
      [text('A'), text('\n\nB')],
    ],
    [
      'the work of tools is reasoning',
      [chunk('hm', 0, { ...thought, ...whole }), call, result(false), chunk('Done', 1, whole)],
      [
        reasoning('hm'),
        reasoning('\n\n[look {"at":"x"}]'),
        reasoning('\n\n[look failed: not there]'),
        text('Done'),
      ],
    ],
    ['a call that succeeds is told once', [call, result(true)], [reasoning('[look {"at":"x"}]')]],
  ] as const)('%s', (_, told, pieces) => {
    const answer = new AnswerPieces(true);
    expect(eventsOf(told).flatMap((event) => answer.take(event))).toEqual(pieces);
  });

  it('tells no reasoning where none is wanted', () => {
    const answer = new AnswerPieces(false);
    const told = [chunk('hm', 0, { ...thought, ...whole }), call, chunk('Done', 1, whole)];
    expect(eventsOf(told).flatMap((event) => answer.take(event))).toEqual([text('Done')]);
  });

  const outcomes: readonly (readonly [RunOutcome, object])[] = [
    [{ type: 'completed', finish: 'stop' }, { finish: 'stop' }],
    [{ type: 'completed', finish: 'refusal' }, { finish: 'refusal' }],
    [{ type: 'completed', finish: 'window-full' }, { finish: 'length' }],
    [{ type: 'limit', limit: 'steps', isConcluded: true }, { finish: 'stop' }],
    [{ type: 'limit', limit: 'time', isConcluded: false }, { finish: 'length' }],
    [{ type: 'cancelled' }, { kind: 'upstream' }],
    [
      { type: 'cannot-fit', usableTokens: 5, requestTokens: 9, parts: [], canCompact: false },
      { kind: 'context-length', message: expect.stringMatching(/^prompt is too long: 9 tokens > 5 maximum/) },
    ],
    [
      { type: 'broken', code: 'x', message: 'no' },
      { kind: 'server', message: 'no' },
    ],
  ];

  it.each(outcomes)('a run that ended with %j', (outcome, end) => {
    expect(new AnswerPieces(true).end({ type: 'run-ended', outcome })).toMatchObject(end);
  });
});
