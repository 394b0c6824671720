/**
 * A strategy of your own, and one that could not be worse: with both, every request fits, the task stays and nothing
 * is lost. The model is a stand-in that reads file after file, so that the example runs without a key.
 */
import {
  appendMessages,
  emptyState,
  openaiChatCodec,
  openTranscript,
  prepare,
  recall,
  renderView,
} from '@throughline/core';
import type { Strategy } from '@throughline/core';

const early: Strategy = {
  name: 'early',
  trigger: 'threshold',
  triggerAt: (_usableTokens, windowTokens) => windowTokens * 0.6,
  ladderSteps: [
    { type: 'prune' },
    {
      type: 'compact',
      writer: 'model',
      keepsFirstTurn: false,
      keep: { type: 'last-messages', messages: 20 },
    },
  ],
  validate: (before, after) =>
    after.tokens <= before.tokens * 0.8 ? undefined : 'The summary frees less than a fifth.',
};

const useless: Strategy = {
  name: 'useless',
  trigger: 'overflow',
  triggerAt: () => Number.MAX_VALUE,
  ladderSteps: [{ type: 'compact', writer: 'none', keepsFirstTurn: true, keep: { type: 'fill' } }],
  validate: () => 'Never good enough.',
};

for (const strategy of [early, useless]) keepFitting(strategy);

function keepFitting(strategy: Strategy): void {
  const policy = { strategy, budget: { windowTokens: 16_000 } };
  const task = { role: 'user', content: 'Find out why login fails. Never touch config/prod.yaml.' };
  let transcript = openTranscript({ codec: openaiChatCodec }, [task]);
  let state = emptyState();
  let largest = 0;
  for (let turn = 0; turn < 120; turn += 1) {
    const step = prepare(transcript, state, policy);
    if (step.type !== 'ready') throw new Error(`${strategy.name}, turn ${turn}: ${step.type}`);
    state = step.state;
    const { tokens, ladderSteps, triggerTokens } = step.report;
    largest = Math.max(largest, tokens.final);
    if (step.checkpoint) {
      const done = ladderSteps
        .map(({ ladderStep, detail }) => (detail === '' ? ladderStep : `${ladderStep}: ${detail}`))
        .join(', ');
      console.log(`turn ${turn}, trigger ${triggerTokens}: ${tokens.before} -> ${tokens.final} (${done})`);
    }
    if (renderView(transcript, step.view).messages[0]?.message !== task)
      throw new Error('Where is the task?');
    transcript = appendMessages(transcript, answer(turn));
  }
  const old = recall(transcript, 'm2')?.text.slice(0, 23);
  console.log(`${strategy.name}: no request above ${largest} tokens, and m2 still says "${old}…"\n`);
}

/** What a model and its tools would add. */
function answer(turn: number): unknown[] {
  const id = `call_${turn}`;
  const path = `src/auth/step-${turn}.ts`;
  const call = { id, type: 'function', function: { name: 'read', arguments: JSON.stringify({ path }) } };
  const body = `export function step${turn}(session) { return check(session, ${turn}); }\n`.repeat(20);
  return [
    { role: 'assistant', content: `Reading ${path}.`, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: body },
  ];
}
