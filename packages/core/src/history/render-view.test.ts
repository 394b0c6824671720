import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { aiSdkCodec } from '../codecs/ai-sdk/ai-sdk-codec.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { appendMessages, openTranscript } from './transcript.ts';
import { createStrategy } from '../strategies/create-strategy.ts';
import { emptyState } from '../pass/state.ts';
import { canBeSent, everyday, historyArbitrary } from '@throughline/testkit';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openaiResponsesCodec } from '../codecs/openai-responses/openai-responses-codec.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from './render-view.ts';
import type { Codec } from '../codecs/codec.ts';

const codecs = {
  'openai-chat': openaiChatCodec,
  anthropic: anthropicCodec,
  'openai-responses': openaiResponsesCodec,
  'ai-sdk': aiSdkCodec,
} as const satisfies Record<string, Codec>;
const formats = Object.keys(codecs) as (keyof typeof codecs)[];

describe('renderView', () => {
  it.each(formats)('gives what it gives from scratch when a history grows step by step (%s)', (format) => {
    const histories = fc.oneof(
      historyArbitrary({ format, hostility: 'none', size: 5 }),
      historyArbitrary({ format, hostility: 'some', size: 5 }),
    );
    const windows = fc.constantFrom(4_000, 16_000, 1_000_000);
    fc.assert(
      fc.property(histories, windows, fc.integer({ min: 1, max: 4 }), (messages, windowTokens, chunk) => {
        const policy = { strategy: createStrategy('digest'), budget: { windowTokens } };
        const codec: Codec = codecs[format];
        let grown = openTranscript({ codec });
        let state = emptyState();
        for (let end = chunk; end < messages.length + chunk; end += chunk) {
          grown = appendMessages(grown, messages.slice(end - chunk, end));
          const fresh = openTranscript({ codec }, messages.slice(0, end));
          if (!canBeSent(fresh)) continue;
          const step = prepare(grown, state, policy);
          if (step.type !== 'ready') return;
          const before = state;
          state = step.state;
          const anew = prepare(fresh, before, policy);
          if (anew.type !== 'ready') throw new Error('only one of them fits');
          for (const ending of ['open', 'send'] as const) {
            const { messages: stepwise } = renderView(grown, step.view, { ending });
            expect(stepwise).toEqual(renderView(fresh, anew.view, { ending }).messages);
          }
        }
      }),
      { numRuns: 60, plugins: [everyday(15)] },
    );
  });
});
