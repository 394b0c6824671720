/**
 * An AI SDK agent that never outgrows its window. The model is the SDK's own stand-in and reads file after file, so that
 * the example runs without a key; put a model of yours in its place.
 */
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createStrategy, emptyState } from '@throughline/core';
import { aiSdkContext } from '@throughline/adapters/ai-sdk';
import type { Ready } from '@throughline/core';

let state = emptyState(); // plain JSON: store it wherever your session lives
let compactions = 0;
const context = aiSdkContext({
  policy: {
    strategy: createStrategy('reactive-overflow'),
    budget: { windowTokens: 16_000 },
    hasRecall: true,
  },
  load: () => state,
  save: (next) => void (state = next),
  onStep: report,
});

const read = tool({
  description: 'Reads a file.',
  inputSchema: jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } }),
  execute: ({ path }) => `// ${path}\n${'export const check = (session) => session.account;\n'.repeat(25)}`,
});

const { steps, text } = await generateText({
  model: readingModel(120),
  prompt: 'Find out why login fails. Never touch config/prod.yaml.',
  tools: { read, recall: context.recallTool(jsonSchema) },
  stopWhen: isStepCount(200),
  prepareStep: context.prepareStep,
  onStepEnd: context.recordStep,
});
console.log(`${steps.length} steps, ${compactions} compactions; the model says: ${text}`);

function report({ checkpoint, report: { tokens } }: Ready): void {
  if (!checkpoint) return;
  compactions += 1;
  console.log(`${checkpoint.id}: ${tokens.before} -> ${tokens.final} tokens`);
}

/** Calls `read` so many times, then answers. */
function readingModel(calls: number): MockLanguageModelV4 {
  let asked = 0;
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      asked += 1;
      const toolCallId = `call_${asked}`;
      const input = JSON.stringify({ path: `src/auth/step-${asked}.ts` });
      const total = Math.ceil(JSON.stringify(prompt).length / 3.6);
      return {
        content:
          asked > calls
            ? [{ type: 'text', text: 'it checks the wrong account.' }]
            : [{ type: 'tool-call', toolCallId, toolName: 'read', input }],
        finishReason: { unified: asked > calls ? 'stop' : 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 20, text: 20, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}
