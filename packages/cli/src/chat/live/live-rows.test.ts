import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatReducer } from '../state/chat-reducer.ts';
import { chunk, event, someUsage } from '../../../test/chat-support.ts';
import { createStyle } from '../../terminal/page.ts';
import { edit, emptyEditor } from './line-editor.ts';
import { liveRows } from './live-rows.ts';
import { startState } from '../state/chat-state.ts';
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../../terminal/text.ts';
import type { ChatEvent } from '../state/chat-state.ts';

interface Look {
  readonly columns?: number;
  readonly rows?: number;
  readonly text?: string;
  readonly nowMs?: number;
  readonly hasColor?: boolean;
}

function look(
  events: readonly ChatEvent[],
  { columns = 80, rows = 24, text = '', nowMs = 0, hasColor }: Look = {},
) {
  const state = events.reduce(
    (before, one) => chatReducer(before, one).state,
    startState('demo:scripted', columns - 1),
  );
  const editor = edit(emptyEditor, { type: 'insert', text });
  const style = createStyle(hasColor === true);
  return liveRows(state, { columns, rows, style, nowMs, editor, isDenying: false, hint: '' });
}

const start = event('run:start', { runId: 'run_1', isResumed: false });
const ask = event('approval:requested', {
  request: {
    id: 'a1',
    callId: 'c1',
    toolName: 'bash',
    input: { command: 'rm -rf build '.repeat(50) },
    grant: { toolName: 'bash' },
    warning: '',
    requestedAtMs: 0,
  },
});

describe('the live part', () => {
  it('stays within the screen, whatever is shown', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 300 });
    const one = fc.oneof(
      words.map((text): ChatEvent => chunk(text)),
      words.map((text): ChatEvent => chunk(text, { chunkType: 'reasoning', part: 1 })),
      words.map((text): ChatEvent =>
        event('llm:tool-call', { toolName: 'bash', args: { command: text }, callId: text }),
      ),
      words.map((text): ChatEvent => ({ type: 'chat:queue', waiting: [{ id: '1', text }] })),
      fc.constantFrom<ChatEvent>(start, ask, event('context:usage', someUsage)),
    );
    const size = { columns: fc.integer({ min: 2, max: 200 }), rows: fc.integer({ min: 3, max: 40 }) };
    fc.assert(
      fc.property(fc.array(one, { maxLength: 12 }), fc.record({ ...size, text: words }), (events, screen) => {
        const { rows, cursor } = look(events, screen);
        expect(rows.length).toBeLessThan(screen.rows);
        for (const row of rows) expect(widthOf(row)).toBeLessThan(screen.columns);
        expect(cursor.y).toBeLessThan(rows.length);
        expect(cursor.x).toBeLessThan(screen.columns);
      }),
    );
  });

  it('has its cursor where the next character goes', () => {
    expect(look([], { text: '日本' }).cursor).toEqual({ x: 6, y: 1 });
    expect(look([], { text: 'one\ntwo' }).cursor).toEqual({ x: 5, y: 2 });
  });

  it('shows a large paste by its size', () => {
    const editor = edit(emptyEditor, { type: 'paste', text: 'word\n'.repeat(120) });
    const state = startState('demo:scripted', 79);
    const screen = { columns: 80, rows: 24, style: createStyle(false), nowMs: 0, isDenying: false, hint: '' };
    const { rows, cursor } = liveRows(state, { ...screen, editor });
    expect(rows[1]).toBe('› [pasted 120 lines, 600 B]');
    expect(cursor).toEqual({ x: 27, y: 1 });
  });

  it('counts down to the next try', () => {
    const reason = { kind: 'rate', message: 'slow down', recoverable: true } as const;
    const retry = event('llm:retry', { attempt: 2, nextAt: 12_000, reason });
    expect(look([start, retry], { nowMs: 9_500 }).rows[0]).toMatch(/try 2 in 3 s \(Esc stops\): slow down$/);
  });

  it('names what a compaction does', () => {
    const events = [
      start,
      event('compaction:start', { tokensBefore: 1, modelLimit: 2, reason: 'overflow' }),
      event('compaction:phase', { phase: 'summarizing', messagesCount: 3, progress: 0.5 }),
    ];
    expect(look(events).rows[0]).toContain('compacting: the summary is written');
  });

  it.each([
    ['ok', 41, '\u001b[32m'],
    ['warning', 84, '\u001b[33m'],
    ['critical', 97, '\u001b[31m'],
  ] as const)(
    'colours the usage when it is %s, and only then says it with a colour',
    (level, percentUsed, color) => {
      const usage = event('context:usage', { ...someUsage, level, percentUsed });
      expect(look([usage], { hasColor: true }).rows.at(-1)).toContain(color);
      const plain = look([usage]).rows.at(-1) ?? '';
      expect(stripVTControlCharacters(plain)).toBe(plain);
      expect(plain).toContain(`${percentUsed} % of 24k`);
    },
  );

  it('shows the last step and the share of the cache', () => {
    const usage = {
      input: 12_300,
      output: 214,
      reasoning: 0,
      cacheRead: 10_086,
      cacheWrite: 0,
      total: 12_514,
    };
    const step = event('step:end', { step: 1, finish: 'stop', usage, durationMs: 5, firstTokenMs: 1 });
    expect(look([step]).rows.at(-1)).toBe('demo:scripted · in 12.3k, out 214 · cache 82 %');
  });
});
