/**
 * A long session whose older messages stay in their store: after a compaction only what its view shows is loaded. The
 * store is a list here, so that the example runs by itself.
 */
import {
  appendMessages,
  createStrategy,
  emptyState,
  openaiChatCodec,
  openLoadedTranscript,
  openTranscript,
  prepare,
  renderView,
} from '@throughline/core';
import type { ContextState } from '@throughline/core';
import type { LoadedHistory } from '@throughline/core/types';

const policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 8_000 } };
const stored: unknown[] = [{ role: 'user', content: 'Read all files, one after the other.' }];
let transcript = openTranscript({ codec: openaiChatCodec }, stored);
let state = emptyState();
let step = prepare(transcript, state, policy);

for (let turn = 0; !('checkpoint' in step); turn += 1) {
  const added = exchange(turn);
  stored.push(...added);
  transcript = appendMessages(transcript, added);
  step = prepare(transcript, state, policy);
  if (step.type !== 'ready') throw new Error(`turn ${turn}: ${step.type}`);
  state = step.state;
}

const history = loadFor(state);
const reopened = openLoadedTranscript({ codec: openaiChatCodec }, history);
const next = prepare(reopened, state, policy);
if (next.type !== 'ready') throw new Error(next.type);
const sent = renderView(reopened, next.view).messages.length;
console.log(`${history.messages.length} of ${stored.length} messages are loaded, ${sent} are sent`);
console.log(`${next.report.tokens.final} tokens, and nothing had to be done again`);

/** What the store gives: every message but those that a summary, or a line in their place, takes out of the view. */
function loadFor({ changes }: ContextState): LoadedHistory<unknown> {
  const ranges = changes.flatMap(({ anchor }) => ('end' in anchor ? [anchor] : []));
  const isShown = (ordinal: number): boolean =>
    ranges.every(
      ({ first, end, lead, kept }) =>
        ordinal < first || ordinal >= end || lead.includes(ordinal) || kept.includes(ordinal),
    );
  const messages = stored
    .map((message, ordinal) => ({ ordinal, message }))
    .filter(({ ordinal }) => isShown(ordinal));
  return { messages, historyLength: stored.length, changes };
}

/** What a model and its tools would add. */
function exchange(turn: number): unknown[] {
  const id = `call_${turn}`;
  const call = { id, type: 'function', function: { name: 'read', arguments: `{"path":"${turn}.txt"}` } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: `line of file ${turn}\n`.repeat(60) },
  ];
}
