import { openPass } from '../src/pass/pass.ts';
import { emptyState } from '../src/pass/state.ts';
import { policyOf, transcriptOf } from './chat-history.ts';
import type { Policy } from '../src/pass/policy.ts';
import type { StageInput } from '../src/stages/stage-input.ts';

/** A stage's input over these chat messages, as a pass with the pruning agent begins. */
export function inputOf(messages: readonly unknown[], more: Partial<Policy> = {}): StageInput {
  const policy = policyOf(100_000, 'pruning-agent', more);
  return openPass(transcriptOf(messages), emptyState(), policy);
}

/** About 250 tokens of words, which name nothing. */
export const words = 'the quick brown fox jumps over the lazy dog again '.repeat(20);

export const said = (content: string): unknown => ({ role: 'assistant', content });
export const asked = (content: string): unknown => ({ role: 'user', content });
export const told = (content: string): unknown => ({ role: 'system', content });

export function called(id: string, name: string, input: unknown, content: string | null = null): unknown {
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  return { role: 'assistant', content, tool_calls: [call] };
}

export const returned = (id: string, content: string): unknown => ({
  role: 'tool',
  tool_call_id: id,
  content,
});

/** The newest five messages, which nobody decides about. */
export const newest: readonly unknown[] = [
  said(words),
  called('new', 'write', { path: 'new.ts', content: words }),
  returned('new', words),
  said(words),
  asked('Go on.'),
];
