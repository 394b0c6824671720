import { aiSdkCodec } from '@throughline/core';
import { isObject } from '@throughline/core/codec';
import {
  checkOptions,
  isAnthropicModel,
  markAiSdkForCache,
  optionalText,
  required,
} from '@throughline/core/internal';
import type { OptionChecks } from '@throughline/core/internal';
import type { ModelDriver, StepRequest } from '@throughline/ports';
import type { Instructions, JSONSchema7, LanguageModel, ModelMessage, TextStreamPart, ToolSet } from 'ai';
import { secretsOf } from '../endpoint.ts';
import { runStream } from '../stream/run-stream.ts';
import { AiSdkReader } from './ai-sdk-reader.ts';

/** Which model of a provider package is called. */
export interface AiSdkDriverOptions {
  /** A model of any provider package, of any version of the interface that the SDK takes. */
  readonly languageModel: LanguageModel;
  /** For events and logs. @default what the model says */
  readonly provider?: string;
  /** Never shown in a failure. */
  readonly apiKey?: string;
}

const optionChecks: OptionChecks<AiSdkDriverOptions> = {
  languageModel: required({
    expected: 'a model of a provider package, or the name of one',
    fits: (value) => {
      if (typeof value === 'string') return value !== '';
      const { modelId, provider, doStream } = isObject(value) ? value : {};
      return typeof modelId === 'string' && typeof provider === 'string' && typeof doStream === 'function';
    },
  }),
  provider: optionalText,
  apiKey: optionalText,
};

/**
 * Calls any model that there is a provider package for, by `streamText` of the AI SDK. Not by the model's own `doStream`:
 * that takes another form of messages, and leaves it to its caller to load files that a provider takes only as bytes.
 * One step, no retries, tools without `execute`: the SDK then does nothing on its own. It is loaded with the first step.
 *
 * @throws {ContextError} `invalid-option` that names the option.
 */
export function createAiSdkDriver(options: AiSdkDriverOptions): ModelDriver {
  checkOptions('', options, optionChecks);
  const { languageModel } = options;
  const secrets = secretsOf(options);
  const isName = typeof languageModel === 'string';
  const model = isName ? languageModel : languageModel.modelId;
  const provider = options.provider ?? (isName ? 'gateway' : languageModel.provider);
  return {
    name: `${provider}:${model}`,
    provider,
    model,
    codec: aiSdkCodec,
    stream: (request, { signal }) => {
      const reader = new AiSdkReader();
      return runStream(
        {
          open: (closing) => callModel(languageModel, request, { reader, closing }),
          reader,
          codec: aiSdkCodec,
          secrets,
        },
        signal,
      );
    },
  };
}

interface Call {
  readonly reader: AiSdkReader;
  readonly closing: AbortSignal;
}

async function callModel(
  model: LanguageModel,
  request: StepRequest,
  { reader, closing }: Call,
): Promise<AsyncIterable<TextStreamPart<ToolSet>>> {
  const { isStepCount, jsonSchema, streamText } = await import('ai');
  const { system, messages, tools = [], toolChoice, maxOutputTokens, temperature, settings } = request;
  const described = tools.map(({ name, description, inputSchema }): [string, ToolSet[string]] => [
    name,
    { description, inputSchema: jsonSchema(inputSchema as JSONSchema7) },
  ]);
  const given = {
    instructions: system === '' ? undefined : system,
    messages: messages as readonly ModelMessage[],
  };
  const prompt = isAnthropicModel(model) ? markAiSdkForCache(given) : given;
  const result = streamText({
    model,
    messages: [...prompt.messages],
    allowSystemInMessages: true,
    stopWhen: isStepCount(1),
    maxRetries: 0,
    abortSignal: closing,
    // What failed comes as a part of the stream; the default also prints it.
    onError: () => {},
    ...(prompt.instructions !== undefined && { instructions: prompt.instructions as Instructions }),
    ...(described.length > 0 && { tools: Object.fromEntries(described) }),
    ...(described.length > 0 && toolChoice && { toolChoice }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...settings,
  });
  reader.messagesOf = () => result.responseMessages;
  return result.stream;
}
