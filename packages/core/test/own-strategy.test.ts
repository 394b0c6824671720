import { expect, it } from 'vitest';
import {
  appendMessages,
  emptyState,
  openaiChatCodec,
  openTranscript,
  prepare,
  renderView,
} from '../src/index.ts';
import type { Strategy } from '../src/index.ts';

// The strategy of docs/guides/writing-a-strategy.md that leaves the last two turns alone.
const half: Strategy = {
  name: 'half',
  trigger: 'threshold',
  triggerAt: (_usableTokens, windowTokens) => windowTokens / 2,
  ladderSteps: [
    {
      type: 'compact',
      writer: 'model',
      keepsFirstTurn: false,
      keep: { type: 'last-turns', turns: 2, share: 0.5 },
    },
  ],
};

/** A question, and a call with its result: some 850 tokens. */
function turnOf(turn: number): readonly object[] {
  const path = `file${turn}.ts`;
  const call = {
    id: `c${turn}`,
    type: 'function',
    function: { name: 'read', arguments: `{"path":"${path}"}` },
  };
  return [
    { role: 'user', content: `What is in ${path}?` },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: `const name${turn} = 1;\n`.repeat(130) },
  ];
}

it('compacts at half of the window, and leaves the last two turns as they were', () => {
  const policy = { strategy: half, budget: { windowTokens: 16_000 } };
  let transcript = openTranscript({ codec: openaiChatCodec }, []);
  let state = emptyState();
  let before: readonly object[] = [];
  let compactions = 0;
  for (let turn = 1; turn <= 60; turn += 1) {
    const asked = turnOf(turn);
    transcript = appendMessages(transcript, asked);
    const step = prepare(transcript, state, policy);
    if (step.type !== 'ready') throw new Error(step.type);
    state = step.state;
    expect(step.report.tokens.final).toBeLessThanOrEqual(8_000);
    const answer = { role: 'assistant', content: `One name, in line 1.` };
    if (step.checkpoint) {
      compactions += 1;
      expect(step.checkpoint).toMatchObject({ reason: 'threshold', strategy: 'half' });
      // Up to 5 % before the trigger where nothing of the request was counted by a provider.
      expect(step.report.tokens.before).toBeGreaterThan(8_000 * 0.95);
      const sent = renderView(transcript, step.view).messages.map(({ message }) => message);
      const tail = [...before, ...asked];
      expect(sent.slice(-tail.length)).toEqual(tail);
      // The task, and the summary.
      expect(sent).toHaveLength(tail.length + 2);
    }
    before = [...asked, answer];
    transcript = appendMessages(transcript, [answer]);
  }
  expect(compactions).toBeGreaterThan(5);
});
