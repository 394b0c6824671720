import { contextPoints, notesOf, traceSums } from '../src/views/trace/trace-figures.ts';
import { describe, expect, it } from 'vitest';
import { joinedRuns } from '../src/data/trace/joined-runs.ts';
import { noteText } from '../src/views/trace/note-words.ts';
import { partsText, wireText } from '../src/views/context/plain-message.tsx';
import { savedPercent, tellCompact } from '../src/views/context/compaction-words.ts';
import type { TraceNote, TraceRun, TraceStep } from '@throughline/client';

const step = (seq: number, input: number, notes: readonly TraceNote[] = []): TraceStep => ({
  seq,
  step: 1,
  provider: 'demo',
  model: 'demo',
  startedAtMs: seq,
  finish: 'stop',
  usage: { input, output: 5, reasoning: 0, cacheRead: input / 2, cacheWrite: 0, total: input + 5 },
  durationMs: 100,
  firstTokenMs: 10,
  messageId: null,
  context: null,
  calls: [],
  notes,
});

const compacted = (seq: number): TraceNote => ({
  type: 'context:compressed',
  seq,
  atMs: seq,
  data: {
    originalTokens: 4_000,
    compressedTokens: 1_000,
    messagesCompacted: 12,
    strategy: 'digest',
    reason: 'manual',
    durationMs: 20,
  },
});

const run = (
  runId: string | null,
  steps: readonly TraceStep[],
  notes: readonly TraceNote[] = [],
): TraceRun => ({
  runId,
  startedAtMs: 1,
  outcome: null,
  durationMs: null,
  steps,
  notes,
});

const runs = [
  run('a', [step(2, 100), step(8, 400, [compacted(9)])]),
  run(null, [], [compacted(12)]),
  run('b', [step(20, 50)]),
];

describe('figures of a trace', () => {
  it('put each compaction behind the step before it, whether it was made in a run or not', () => {
    expect(
      contextPoints(runs).map(({ at, inputTokens, compactions }) => [at, inputTokens, compactions]),
    ).toEqual([
      [1, 100, 0],
      [2, 400, 2],
      [3, 50, 0],
    ]);
    expect(notesOf(runs).map(({ seq }) => seq)).toEqual([9, 12]);
  });

  it('are sums of the steps, from which a compaction takes nothing', () => {
    expect(traceSums(runs)).toMatchObject({
      steps: 3,
      inputTokens: 550,
      cacheReadTokens: 275,
      outputTokens: 15,
      compactions: 2,
      failures: 0,
    });
  });

  it('join a run that is on two pages, and leave what is outside of runs apart, also where it came in between', () => {
    const pages = [
      run('a', [step(1, 1)]),
      run(null, []),
      { ...run('a', [step(2, 2)]), durationMs: 9 },
      run(null, []),
    ];
    const joined = joinedRuns(pages);
    expect(joined.map(({ runId, steps }) => [runId, steps.length])).toEqual([
      ['a', 2],
      [null, 0],
      [null, 0],
    ]);
    expect(joined[0]?.durationMs).toBe(9);
  });
});

describe('words for what was done', () => {
  it('tell a compaction with what it saved', () => {
    expect(noteText(compacted(1))).toMatchObject({ label: 'Compacted', isContext: true });
    expect(noteText(compacted(1)).detail).toContain('4K → 1K tokens (75 % saved), 12 messages, digest');
    expect(savedPercent(100, 130)).toBe(0);
    expect(tellCompact({ type: 'cannot-fit', usableTokens: 10, requestTokens: 20 }).isBad).toBe(true);
  });

  it('name a kind of note that they do not know', () => {
    expect(noteText({ type: 'from:tomorrow', seq: 1, atMs: 1, data: null })).toMatchObject({
      label: 'from:tomorrow',
    });
  });

  it('take the text out of a message, whatever the format of the server', () => {
    expect(wireText({ role: 'user', content: 'plain' })).toEqual({ role: 'user', text: 'plain' });
    const anthropic = {
      role: 'assistant',
      content: [{ type: 'tool_use', name: 'read', input: { path: 'a' } }],
    };
    expect(wireText(anthropic)).toEqual({ role: 'assistant', text: 'read\n{"path":"a"}' });
    expect(wireText({ role: 'user', parts: [1] }).text).toBe(JSON.stringify({ parts: [1] }, null, 2));
    expect(wireText(null)).toEqual({ role: '', text: 'null' });
    expect(partsText([{ type: 'call', callId: 'c', name: 'read', input: { path: 'a' } }])).toBe(
      'read {"path":"a"}',
    );
  });
});
