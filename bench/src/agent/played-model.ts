import type { LanguageModel } from 'ai';

type Model = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
type Chunk =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Item> ? Item : never;

export const piece = 'piece ';

/** A model of the AI SDK that costs nothing: every answer has so many pieces, or each the next of these numbers. */
export function playedModel(parts: number | readonly number[]): Model {
  const lengths = typeof parts === 'number' ? [] : [...parts];
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'played',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    doStream: () => {
      const iterator = chunks(typeof parts === 'number' ? parts : (lengths.shift() ?? 0));
      const stream = new ReadableStream<Chunk>({
        pull(controller) {
          const { done, value } = iterator.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
      });
      return Promise.resolve({ stream });
    },
  };
}

function* chunks(parts: number): Generator<Chunk> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: '1' };
  for (let index = 0; index < parts; index += 1) yield { type: 'text-delta', id: '1', delta: piece };
  yield { type: 'text-end', id: '1' };
  yield {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 5, text: 5, reasoning: undefined },
    },
  };
}
