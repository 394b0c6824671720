/**
 * An agent loop that never outgrows its window. The model is a stand-in that reads file after file, so that the
 * example runs without a key; put your own call where `answer` is.
 */
import {
  appendMessages,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openTranscript,
  prepare,
  recall,
  renderView,
  searchTranscript,
} from '@throughline/core';

const policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 16_000 } };
let transcript = openTranscript({ codec: openaiChatCodec }, [
  { role: 'system', content: 'You are a careful engineer.' },
  { role: 'user', content: 'Find out why login fails. Never touch config/prod.yaml.' },
]);
let state = emptyState();
let compactions = 0;

for (let turn = 0; turn < 200; turn += 1) {
  const step = prepare(transcript, state, policy);
  if (step.type !== 'ready') throw new Error(`turn ${turn}: ${step.type}`);
  state = step.state; // plain JSON: store it wherever your session lives
  const request = renderView(transcript, step.view).messages.map(({ message }) => message);
  if (step.checkpoint) {
    compactions += 1;
    const { tokens, ladderSteps } = step.report;
    console.log(
      `turn ${turn}: ${tokens.before} -> ${tokens.final} tokens (${ladderSteps.map(({ ladderStep }) => ladderStep).join(', ')})`,
    );
  }
  transcript = appendMessages(transcript, answer(request, turn));
}
console.log(
  `${compactions} compactions; message m2 is still there: ${recall(transcript, 'm2')?.text.slice(0, 40)}`,
);

console.log(answerRecall({ query: 'step-7.ts' }));

/** What the loop answers to a call of a tool `recall`. */
function answerRecall({ id = '', query = '', offset = 0 }): string {
  const hits = searchTranscript(transcript, query).map(({ recallId, excerpt }) => `${recallId}: ${excerpt}`);
  const text = id === '' ? hits.join('\n') : recall(transcript, id)?.text;
  return text?.slice(offset, offset + 8_000).toWellFormed() || 'There is nothing there.';
}

/** What a model and its tools would add. */
function answer(request: readonly unknown[], turn: number): unknown[] {
  const id = `call_${turn}`;
  const path = `src/auth/step-${turn}.ts`;
  const call = { id, type: 'function', function: { name: 'read', arguments: JSON.stringify({ path }) } };
  const body = `export function step${turn}(session) { return check(session, ${turn}); }\n`.repeat(20);
  return [
    {
      role: 'assistant',
      content: `Reading ${path} (${request.length} messages in view).`,
      tool_calls: [call],
    },
    { role: 'tool', tool_call_id: id, content: body },
  ];
}
