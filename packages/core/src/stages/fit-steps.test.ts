import { describe, expect, it } from 'vitest';
import { emptyState } from '../pass/state.ts';
import { policyOf, readyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { openPass } from '../pass/pass.ts';
import { prepare } from '../context/prepare.ts';
import { pruneParts } from './prune-parts.ts';
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

/** A history that ends with a call whose argument is three times what the window holds, and its result. */
function afterLongWrite(count: number): unknown[] {
  const content = Array.from({ length: 6_000 }, (_, line) => `Line ${line} of what is planned.`).join('\n');
  const written = JSON.stringify({ path: 'plan.md', content });
  const call = { id: 'call_w', type: 'function', function: { name: 'write', arguments: written } };
  return [
    { role: 'user', content: 'Plan it, and write the plan down.' },
    ...Array.from({ length: count }, (_, index) => [
      { role: 'assistant', content: `I have found the reason number ${index}: the lock of table${index}.` },
      { role: 'user', content: `Question ${index}: what of table${index}, and what of the other ones?` },
    ]).flat(),
    { role: 'assistant', content: 'Here it is.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_w', content: 'Done' },
  ];
}

describe('a long argument of the newest call', () => {
  it('keeps its head and tail in a quarter of the trigger, and the rest goes to the summary', () => {
    const transcript = transcriptOf(afterLongWrite(400));
    const policy = { ...policyOf(40_000), hasRecall: true };
    const { report, view } = readyOf(prepare(transcript, emptyState(), policy));
    const sent = JSON.stringify(renderView(transcript, view).messages.map(({ message }) => message));
    expect(sent).toMatch(/Line 0 of what is planned\.[^]*\[shortened argument m801\.1,[^]*Line 5999 of/);
    expect(sent).toContain('table350');
    expect(report.tokens.final).toBeGreaterThan(report.triggerTokens * 0.45);
    expect(report.tokens.final).toBeLessThanOrEqual(report.triggerTokens);
    expect(recall(transcript, 'm801.1')?.text).toContain('Line 3000 of');
  });

  it('stays as it is in the steps that follow, and is cleared only when the room is needed', () => {
    let transcript = transcriptOf(afterLongWrite(200));
    const policy = policyOf(40_000);
    const first = readyOf(prepare(transcript, emptyState(), policy));
    transcript = appendMessages(transcript, [
      { role: 'assistant', content: 'Next.' },
      { role: 'user', content: 'Go.' },
    ]);
    const second = readyOf(prepare(transcript, first.state, policy));
    expect(second.changes).toEqual([]);
    const truncated = first.state.changes.filter(({ type }) => type === 'arguments-pruned');
    expect(truncated).toHaveLength(1);
    const least = pruneParts(openPass(transcript, second.state, policy), {
      targetTokens: 0,
      keep: { turns: 0, newest: 0, most: 0 },
    });
    expect(JSON.stringify(least)).toContain('[cleared argument m401.1');
  });
});

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
