import { describe, expect, it } from 'vitest';
import { emptyState } from '../pass/state.ts';
import { policyOf, readyOf, transcriptOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { recall } from '../history/recall.ts';
import { renderView } from '../history/render-view.ts';
import { undo } from '../context/undo.ts';

const pasted = Array.from({ length: 12 }, (_, index) => ({
  role: 'user',
  content: `File ${index}: ${'word '.repeat(1_000)}`,
}));
const windows = Array.from({ length: 6 }, (_, index) => 8_000 + index * 2_000);

// Each window puts the limit at another place between what one more step leaves and what it finds.
it.each(['reactive-overflow', 'threshold-tail'])(
  'new messages too large for a window are made smaller until they fit: %s',
  (strategy) => {
    const messages = [
      { role: 'user', content: 'Read what I paste.' },
      { role: 'assistant', content: 'I wait.' },
      ...pasted,
    ];
    const transcript = transcriptOf(messages);
    for (const windowTokens of windows) {
      const policy = policyOf(windowTokens, strategy, { summariser: { type: 'code' } });
      const step = prepare(transcript, emptyState(), policy);
      expect({ windowTokens, type: step.type }).toEqual({ windowTokens, type: 'ready' });
      if (step.type !== 'ready') return;
      expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.usableTokens);
    }
  },
);

/** `children` values of which each holds as many, down to numbers. */
function tree(depth: number, children: number): unknown {
  return depth === 0 ? 7 : Array.from({ length: children }, () => tree(depth - 1, children));
}

const crowded: Readonly<Record<string, object>> = {
  'a list of numbers': { table: 'rows', values: Array.from({ length: 20_000 }, (_, index) => index) },
  'a list of short texts': { values: Array.from({ length: 20_000 }, (_, index) => `row ${index}`) },
  'a list of objects': { rows: Array.from({ length: 8_000 }, (_, id) => ({ id, isNew: true })) },
  'an object of many members': Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, index]),
  ),
  'lists in lists': { grid: tree(5, 8), plan: tree(14, 2) },
};

it('the newest call, cut off in its arguments, is made smaller', () => {
  const text = `{"path":"a.ts","content":"${'line\\n'.repeat(20_000)}`;
  const call = { id: 'call_1', type: 'function', function: { name: 'write', arguments: text } };
  const transcript = transcriptOf([
    { role: 'user', content: 'Write it.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Error: the arguments are no JSON' },
  ]);
  const step = readyOf(prepare(transcript, emptyState(), policyOf(16_000)));
  expect(step.report.tokens.final).toBeLessThan(1_000);
  expect(recall(transcript, 'm1.0')?.text).toContain(text);
});

it.each([1, 4])('the newest call fits as well where its JSON is laid out in lines, %i deep', (indent) => {
  const rows = Array.from({ length: 20_000 }, (_, index) => index);
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'insert', arguments: JSON.stringify({ rows }, null, indent) },
  };
  const transcript = transcriptOf([
    { role: 'user', content: 'Insert them.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'inserted' },
  ]);
  const step = readyOf(prepare(transcript, emptyState(), policyOf(16_000)));
  expect(step.report.tokens.final).toBeLessThan(1_000);
});

describe.each(Object.entries(crowded))('the newest call, with %s', (_name, args) => {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'insert', arguments: JSON.stringify(args) },
  };
  const messages = [
    { role: 'user', content: 'Insert them.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'inserted' },
  ];
  const transcript = transcriptOf(messages);
  const step = readyOf(prepare(transcript, emptyState(), policyOf(16_000)));
  const sent = renderView(transcript, step.view).messages.map(({ message }) => message);

  it('fits: the middle of what holds very many values goes, the type of the list stays', () => {
    expect(step.report.tokens.final).toBeLessThan(2_000);
    const [, { tool_calls: [made] = [] } = {}] = sent as typeof messages;
    const given = JSON.parse(made?.function.arguments ?? '') as Record<string, unknown>;
    for (const [name, value] of Object.entries(given))
      if (name in args && typeof value !== 'string')
        expect(Array.isArray(value)).toBe(Array.isArray((args as Record<string, unknown>)[name]));
    expect(JSON.stringify(given)).toContain('[cleared argument m1.0, ');
    expect(sent).toHaveLength(messages.length);
  });

  it('is recalled whole, and comes back with an undo', () => {
    expect(recall(transcript, 'm1.0')?.text).toContain(call.function.arguments);
    if (!step.checkpoint) throw new Error('expected a checkpoint');
    const wide = policyOf(1_000_000);
    const undone = undo(transcript, step.state, wide, step.checkpoint);
    const { view } = readyOf(prepare(transcript, undone, wide));
    expect(renderView(transcript, view).messages.map(({ message }) => message)).toEqual(messages);
  });

  it('is shown the same after a way through JSON', () => {
    const again = readyOf(
      prepare(transcript, JSON.parse(JSON.stringify(step.state)) as never, policyOf(16_000)),
    );
    expect(renderView(transcript, again.view).messages.map(({ message }) => message)).toEqual(sent);
  });
});
