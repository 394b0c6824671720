import { generateText, jsonSchema, stepCountIs, streamText, wrapLanguageModel } from 'ai-v5';
import { aiSdkContext, contextMiddleware } from '../../src/ai-sdk/index.ts';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai-v5';
import type { AiSdkOptions } from '../../src/ai-sdk/index.ts';

// The first releases of version 5 do not export it by its name.
type LanguageModelMiddleware = Exclude<
  Parameters<typeof wrapLanguageModel>[0]['middleware'],
  readonly unknown[]
>;

/** Compiles only while the adapter fits the options of the real SDK without a cast. */
export async function useContext(options: AiSdkOptions, model: LanguageModel, messages: ModelMessage[]) {
  const context = aiSdkContext(options);
  const { prepareStep, recordStep } = context;
  const tools = { recall: context.recallTool(jsonSchema) } satisfies ToolSet;
  const stopWhen = stepCountIs(9);
  await generateText({ model, messages, tools, stopWhen, prepareStep, onStepFinish: recordStep });
  streamText({ model, messages, tools, stopWhen, prepareStep, onStepFinish: recordStep });
}

export function useMiddleware(
  options: AiSdkOptions,
  model: Parameters<typeof wrapLanguageModel>[0]['model'],
) {
  const middleware: LanguageModelMiddleware = contextMiddleware(options);
  return wrapLanguageModel({ model, middleware });
}
