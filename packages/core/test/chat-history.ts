import { charactersEstimator } from '../src/tokens/estimator.ts';
import { createStrategy } from '../src/strategies/create-strategy.ts';
import { openaiChatCodec } from '../src/codecs/openai-chat/openai-chat-codec.ts';
import { openTranscript } from '../src/history/transcript.ts';

import type { Summary } from '../src/transcript/summary.ts';
import type { Ready, Step } from '../src/context/step.ts';
import type { Policy } from '../src/pass/policy.ts';
import type { Transcript } from '../src/history/transcript.ts';

/** Chat messages of a run with one request and `exchanges` calls, each with a result of `resultChars` characters. */
export function agentRun(exchanges: number, resultChars = 400): unknown[] {
  const messages: unknown[] = [
    { role: 'system', content: 'You are an agent.' },
    { role: 'user', content: 'Fix the login bug. Never touch config/prod.yaml.' },
  ];
  for (let index = 0; index < exchanges; index += 1) messages.push(...exchange(index, resultChars));
  return messages;
}

export function exchange(index: number, resultChars = 400): unknown[] {
  const path = `src/module-${index}.ts`;
  return [
    {
      role: 'assistant',
      content: `Reading ${path}.`,
      tool_calls: [
        {
          id: `call_${index}`,
          type: 'function',
          function: { name: 'read', arguments: JSON.stringify({ path }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${index}`, content: body(index, resultChars) },
  ];
}

function body(index: number, chars: number): string {
  const line = `export function handler${index}(request) { return route(request, ${1_000 + index}); }\n`;
  return line.repeat(Math.ceil(chars / line.length)).slice(0, chars);
}

export function transcriptOf(messages: readonly unknown[]): Transcript {
  return openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator }, messages);
}

export function policyOf(
  windowTokens: number,
  strategy = 'reactive-overflow',
  more: Partial<Policy> = {},
): Policy {
  return { strategy: createStrategy(strategy), budget: { windowTokens }, ...more };
}

/** The step, where it can be sent. */
export function readyOf(step: Step): Ready {
  if (step.type === 'ready') return step;
  throw new Error(`expected a ready step, got ${step.type}`);
}

/** The user's words that a summary tells, oldest first. */
export function wordsOf(summary: Summary | undefined): string[] {
  const lines = summary?.timeline.flatMap((entry) => entry.lines) ?? [];
  return lines.flatMap(({ kind, sent }) => (kind === 'user' ? [sent.map(({ text }) => text).join('')] : []));
}
