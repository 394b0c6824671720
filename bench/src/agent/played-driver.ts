import { openaiChatCodec, scriptAwareEstimator } from '@throughline/core';
import type { ModelCall, ModelDriver, ModelEvent, StepRequest } from '@throughline/ports';

/** What a step says: a text in pieces, and at most one call. */
export interface PlayedStep {
  readonly pieces: AsyncIterable<string> | Iterable<string>;
  readonly call?: { readonly callId: string; readonly name: string; readonly input: ModelCall['input'] };
}

const windowTokens = 64_000;

/** A model that costs nothing: it says what it is told to, and counts the prompt as the engine does. */
export function playedDriver(
  next: (request: StepRequest) => PlayedStep,
  { countsTokens = true } = {},
): ModelDriver {
  return {
    name: 'bench:played',
    provider: 'bench',
    model: 'played',
    codec: openaiChatCodec,
    limits: { windowTokens },
    async *stream(request, { signal }): AsyncGenerator<ModelEvent, void, undefined> {
      const { pieces, call } = next(request);
      yield { type: 'text-start', id: 't' };
      let said = '';
      for await (const text of pieces) {
        if (signal.aborted) break;
        said += text;
        yield { type: 'text-delta', id: 't', text };
      }
      yield { type: 'text-end', id: 't' };
      if (signal.aborted) {
        yield {
          type: 'error',
          failure: { kind: 'cancelled', message: '', recoverable: false },
          messages: [],
        };
        return;
      }
      if (call) {
        const inputText = JSON.stringify(call.input);
        yield { type: 'call', call: { ...call, inputText, isInvalid: false, isProviderExecuted: false } };
      }
      yield endOf(request, said, call, countsTokens);
    },
  };
}

function endOf(
  request: StepRequest,
  said: string,
  call: PlayedStep['call'],
  countsTokens: boolean,
): ModelEvent {
  const inputTokens = countsTokens ? scriptAwareEstimator.count(JSON.stringify(request.messages)) : 0;
  const text = said === '' ? [] : [{ type: 'text', text: said } as const];
  const calls = call ? [{ type: 'call', ...call } as const] : [];
  const usage = {
    inputTokens: Math.ceil(inputTokens),
    outputTokens: 1,
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: Math.ceil(inputTokens) + 1,
  };
  return {
    type: 'end',
    finish: call ? 'tool-calls' : 'stop',
    finishReason: call ? 'tool-calls' : 'stop',
    ...(countsTokens ? { usage } : {}),
    messages: openaiChatCodec.compose({ role: 'assistant', parts: [...text, ...calls], kind: 'converted' })
      .messages,
    response: {},
  };
}
