/**
 * A model that never overflows, for a loop that cannot be changed: the loop below keeps its whole history and knows
 * nothing of it. The model is the SDK's own stand-in, so that the example runs without a key.
 */
import { generateText, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createStrategy } from '@throughline/core';
import { contextMiddleware } from '@throughline/adapters/ai-sdk';
import type { ModelMessage } from 'ai';

const model = wrapLanguageModel({
  model: talkingModel(),
  middleware: contextMiddleware({
    policy: { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 8_000 } },
    onStep({ checkpoint, report: { tokens } }) {
      if (checkpoint) console.log(`${checkpoint.id}: ${tokens.before} -> ${tokens.final} tokens`);
    },
  }),
});

const messages: ModelMessage[] = [];
for (let turn = 0; turn < 60; turn += 1) {
  messages.push({ role: 'user', content: `Question ${turn}: what does src/auth/step-${turn}.ts do?` });
  const { response } = await generateText({ model, messages });
  messages.push(...response.messages);
}
console.log(`${messages.length} messages in the loop, and the window never overflowed`);

function talkingModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const total = Math.ceil(JSON.stringify(prompt).length / 3.6);
      if (total > 8_000) throw new Error(`prompt is too long: ${total} tokens > 8000 maximum`);
      return {
        content: [{ type: 'text', text: `It checks the session. ${'One more detail of it. '.repeat(60)}` }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 300, text: 300, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}
