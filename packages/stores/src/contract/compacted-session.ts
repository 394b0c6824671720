import {
  appendMessages,
  createStrategy,
  emptyState,
  openTranscript,
  prepare,
  sessionCodec,
} from '@throughline/core';
import type { ContextState, Policy, Ready, Transcript } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';

/** Small enough that a few dozen messages are compacted; no model is asked. */
export const policy: Policy = {
  strategy: createStrategy('reactive-overflow'),
  budget: { windowTokens: 6_000 },
};

export function userMessage(id: string, text: string): SessionMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] };
}

/** A call and its result: two messages. */
export function toolStep(index: number): readonly SessionMessage[] {
  const callId = `call-${index}`;
  const output = `file ${index} of the login module\n${`line ${index} of the output, which is long\n`.repeat(15)}`;
  return [
    {
      id: `a${index}`,
      role: 'assistant',
      parts: [
        { type: 'text', text: `Step ${index}: I look at the file src/login-${index}.ts. `.repeat(4) },
        { type: 'call', callId, name: 'read', input: { path: `src/login-${index}.ts` } },
      ],
    },
    {
      id: `t${index}`,
      role: 'tool',
      parts: [{ type: 'result', callId, name: 'read', content: [{ type: 'text', text: output }] }],
    },
  ];
}

/** One step of the engine after the messages were added. */
export interface EngineStep {
  readonly messages: readonly SessionMessage[];
  readonly transcript: Transcript;
  readonly step: Ready;
}

/** A session that is compacted again and again as it grows, as a loop would do it. */
export function* compactedSession(steps: number): Generator<EngineStep, void> {
  let transcript: Transcript = openTranscript({ codec: sessionCodec });
  let state: ContextState = emptyState();
  for (let index = 0; index < steps; index += 1) {
    const messages = index === 0 ? [userMessage('u0', 'Fix the login.')] : toolStep(index);
    transcript = appendMessages(transcript, messages);
    const step = prepare(transcript, state, policy);
    if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
    state = step.state;
    yield { messages, transcript, step };
  }
}
