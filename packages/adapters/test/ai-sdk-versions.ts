import * as v5 from 'ai-v5';
import * as v6 from 'ai-v6';
import * as v7 from 'ai';
import { MockLanguageModelV2 } from 'ai-v5/test';
import { MockLanguageModelV3 } from 'ai-v6/test';
import { MockLanguageModelV4 } from 'ai/test';
import type { ContextMiddleware } from '../src/ai-sdk/index.ts';

/** One answer of a scripted model. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly call?: { readonly id: string; readonly name: string; readonly input: unknown };
  readonly inputTokens: number;
}

/** Asked with what a model is handed; throws as a server would refuse. */
export type Script = (params: { readonly prompt: unknown[]; readonly tools?: unknown }) => ScriptedAnswer;

interface RunOptions {
  readonly model: unknown;
  readonly messages: readonly unknown[];
  readonly tools: Readonly<Record<string, unknown>>;
  readonly maxSteps: number;
  readonly prepareStep?: unknown;
  readonly onStepFinish?: unknown;
  readonly system?: unknown;
  readonly isStreamed?: boolean;
}

/** The SDK's versions behind one set of functions; each is the real package. */
export interface SdkVersion {
  readonly name: string;
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly jsonSchema: <Schema>(schema: Schema) => unknown;
  /** `provider` as a provider package says it. */
  model(script: Script, provider?: string): unknown;
  wrap(model: unknown, middleware: ContextMiddleware<string>): unknown;
  /** Runs to the end; the new messages of the run, whole. */
  run(options: RunOptions): Promise<unknown[]>;
}

interface Sdk {
  readonly generateText: (options: never) => PromiseLike<unknown>;
  readonly streamText: (options: never) => unknown;
  readonly wrapLanguageModel: (options: never) => unknown;
  readonly jsonSchema: (schema: never) => unknown;
}

interface RunResult {
  readonly response: PromiseLike<{ readonly messages: unknown[] }> | { readonly messages: unknown[] };
  readonly responseMessages?: PromiseLike<unknown[]> | unknown[];
  readonly consumeStream?: (options: { readonly onError: (error: unknown) => void }) => PromiseLike<void>;
}

function version(
  name: string,
  sdk: Sdk,
  own: Pick<SdkVersion, 'specificationVersion' | 'model'> & {
    readonly stopAfter: (steps: number) => unknown;
  },
): SdkVersion {
  return {
    name,
    ...own,
    jsonSchema: (schema) => sdk.jsonSchema(schema as never),
    wrap: (model, middleware) => sdk.wrapLanguageModel({ model, middleware } as never),
    async run({ maxSteps, isStreamed = false, ...options }) {
      const call = { ...options, stopWhen: own.stopAfter(maxSteps), maxRetries: 0, onError: () => undefined };
      const result = (
        isStreamed ? sdk.streamText(call as never) : await sdk.generateText(call as never)
      ) as RunResult;
      if (isStreamed) await drained(result);
      return result.responseMessages === undefined
        ? (await result.response).messages
        : await result.responseMessages;
    },
  };
}

async function drained(result: RunResult): Promise<void> {
  const failures: unknown[] = [];
  await result.consumeStream?.({ onError: (error) => void failures.push(error) });
  if (failures.length > 0) throw new AggregateError(failures);
}

const warnings: never[] = [];

function contentOf({ text, call }: ScriptedAnswer): unknown[] {
  const calls = call
    ? [{ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: JSON.stringify(call.input) }]
    : [];
  return text === undefined ? calls : [{ type: 'text', text }, ...calls];
}

function streamOf(content: readonly unknown[], finish: object): { stream: ReadableStream<unknown> } {
  const parts = content.flatMap((part, index) => {
    const { type, text } = part as { type: string; text?: string };
    const id = String(index);
    return type === 'text'
      ? [
          { type: 'text-start', id },
          { type: 'text-delta', id, delta: text },
          { type: 'text-end', id },
        ]
      : [part];
  });
  const all = [{ type: 'stream-start', warnings }, ...parts, { type: 'finish', ...finish }];
  return { stream: ReadableStream.from(all) };
}

/** A model of either provider specification; `finish` says usage and finish reason in its form. */
function scripted(
  Model: new (options: never) => unknown,
  { script, provider }: { readonly script: Script; readonly provider?: string | undefined },
  finish: (answer: ScriptedAnswer) => object,
): unknown {
  const answer = (params: unknown): ScriptedAnswer => script(params as Parameters<Script>[0]);
  return new Model({
    ...(provider !== undefined && { provider }),
    doGenerate: async (params: unknown) => {
      const said = answer(params);
      return { content: contentOf(said), warnings, ...finish(said) };
    },
    doStream: async (params: unknown) => {
      const said = answer(params);
      return streamOf(contentOf(said), finish(said));
    },
  } as never);
}

const reason = ({ call }: ScriptedAnswer): string => (call ? 'tool-calls' : 'stop');
const finishV2 = (said: ScriptedAnswer): object => ({
  finishReason: reason(said),
  usage: { inputTokens: said.inputTokens, outputTokens: 10, totalTokens: said.inputTokens + 10 },
});
const finishV4 = (said: ScriptedAnswer): object => ({
  finishReason: { unified: reason(said), raw: undefined },
  usage: {
    inputTokens: { total: said.inputTokens, noCache: said.inputTokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  },
});

export const sdkVersions: readonly SdkVersion[] = [
  version('AI SDK 5', v5, {
    specificationVersion: 'v2',
    model: (script, provider) => scripted(MockLanguageModelV2, { script, provider }, finishV2),
    stopAfter: v5.stepCountIs,
  }),
  version('AI SDK 6', v6, {
    specificationVersion: 'v3',
    model: (script, provider) => scripted(MockLanguageModelV3, { script, provider }, finishV4),
    stopAfter: v6.stepCountIs,
  }),
  version('AI SDK 7', v7, {
    specificationVersion: 'v4',
    model: (script, provider) => scripted(MockLanguageModelV4, { script, provider }, finishV4),
    stopAfter: v7.isStepCount,
  }),
];
