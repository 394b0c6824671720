import { openaiChatCodec } from '@throughline/core';
import type { Codec } from '@throughline/core';
import type { Json, NeutralPart } from '@throughline/core/codec';
import type {
  ModelDriver,
  ModelEvent,
  ModelFailure,
  ModelFinish,
  ModelUsage,
  StepRequest,
} from '@throughline/ports';

/** One step of a model, as a test says it: in this order. */
export interface ScriptedStep {
  readonly reasoning?: string;
  /** Each piece is a delta. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly { readonly callId: string; readonly name: string; readonly input: Json }[];
  /** Then the step fails. */
  readonly failure?: Partial<ModelFailure>;
  /** Then nothing comes until the step is cancelled. */
  readonly hangs?: true;
  /** @default 'tool-calls' where there are calls, else 'stop' */
  readonly finish?: ModelFinish;
  /** Counts that are left out are 0. */
  readonly usage?: Partial<ModelUsage>;
}

export interface ScriptedModelDriver extends ModelDriver {
  /** What it was asked, oldest first. */
  readonly requests: readonly StepRequest[];
}

/**
 * A streaming driver that plays these steps in turn and remembers what it was asked. It throws when asked once too
 * often, and ends as `cancelled` once its signal is aborted. It claims to try again and to watch for silence itself, so
 * that nobody does it around it: each step is asked as the script has it.
 */
export function scriptedModelDriver(
  steps: readonly (ScriptedStep | ((request: StepRequest) => ScriptedStep))[],
  codec: Codec = openaiChatCodec,
): ScriptedModelDriver {
  const requests: StepRequest[] = [];
  return {
    name: 'scripted:model',
    provider: 'scripted',
    model: 'model',
    codec,
    guards: { hasRetry: true, hasIdleLimit: true },
    requests,
    async *stream(request, { signal }): AsyncGenerator<ModelEvent, void, undefined> {
      requests.push(request);
      const given = steps[requests.length - 1];
      if (given === undefined) {
        throw new Error(`The script has ${steps.length} steps and was asked ${requests.length} times`);
      }
      const step = typeof given === 'function' ? given(request) : given;
      const failed = (failure: ModelFailure): ModelEvent => {
        return { type: 'error', failure, messages: composed({ ...step, reasoning: '', calls: [] }, codec) };
      };
      const cancelled: ModelFailure = { kind: 'cancelled', message: 'cancelled', recoverable: false };
      if (signal.aborted) {
        yield { type: 'error', failure: cancelled, messages: [] };
        return;
      }
      for (const event of eventsOf(step)) {
        yield event;
        if (signal.aborted) {
          const [kind, place] = event.type.split('-');
          const isOpen = place === 'start' || place === 'delta';
          if (isOpen && (kind === 'text' || kind === 'reasoning')) yield { type: `${kind}-end`, id: kind };
          yield failed(cancelled);
          return;
        }
      }
      if (step.hangs && !signal.aborted) {
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
      }
      if (signal.aborted) yield failed(cancelled);
      else if (step.failure) {
        yield failed({ kind: 'provider', message: 'scripted', recoverable: true, ...step.failure });
      } else yield endOf(step, codec);
    },
  };
}

function* eventsOf({ reasoning = '', text = '', calls = [] }: ScriptedStep): Iterable<ModelEvent> {
  if (reasoning !== '') {
    yield { type: 'reasoning-start', id: 'reasoning' };
    yield { type: 'reasoning-delta', id: 'reasoning', text: reasoning };
    yield { type: 'reasoning-end', id: 'reasoning' };
  }
  const pieces = (typeof text === 'string' ? [text] : text).filter((piece) => piece !== '');
  if (pieces.length > 0) {
    yield { type: 'text-start', id: 'text' };
    for (const piece of pieces) yield { type: 'text-delta', id: 'text', text: piece };
    yield { type: 'text-end', id: 'text' };
  }
  for (const { callId, name, input } of calls) {
    const isInvalid = typeof input === 'string';
    const inputText = isInvalid ? input : JSON.stringify(input);
    yield { type: 'tool-input-start', callId, name, isProviderExecuted: false };
    yield { type: 'tool-input-delta', callId, text: inputText };
    yield { type: 'tool-input-end', callId };
    yield { type: 'call', call: { callId, name, input, inputText, isInvalid, isProviderExecuted: false } };
  }
}

function endOf(step: ScriptedStep, codec: Codec): ModelEvent {
  const hasCalls = (step.calls?.length ?? 0) > 0;
  const finish = step.finish ?? (hasCalls ? 'tool-calls' : 'stop');
  const none = {
    inputTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: 0,
  };
  return {
    type: 'end',
    finish,
    finishReason: finish,
    ...(step.usage && { usage: { ...none, ...step.usage } }),
    messages: composed(step, codec),
    response: { model: 'model' },
  };
}

function composed({ reasoning = '', text = '', calls = [] }: ScriptedStep, codec: Codec): readonly unknown[] {
  const said = typeof text === 'string' ? text : text.join('');
  const parts: NeutralPart[] = [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...(said.trim() === '' ? [] : [{ type: 'text', text: said } as const]),
    ...calls.map(({ callId, name, input }) => {
      const value = typeof input === 'string' ? { INVALID_JSON: input } : input;
      return { type: 'call', callId, name, input: value } as const;
    }),
  ];
  const isSaid = parts.some(({ type }) => type !== 'reasoning');
  return isSaid ? codec.compose({ role: 'assistant', parts, kind: 'converted' }).messages : [];
}
