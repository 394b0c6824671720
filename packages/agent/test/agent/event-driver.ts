import { openaiChatCodec } from '@throughline/core';
import type { Codec } from '@throughline/core';
import type { ModelDriver, ModelEvent, StepEnd, StepRequest } from '@throughline/ports';

export type EventStep = readonly ModelEvent[] | (() => AsyncIterable<ModelEvent>);

/** A driver that tells just these events, whatever the signal says; it throws when asked once too often. */
export function eventDriver(
  steps: readonly EventStep[],
  codec: Codec = openaiChatCodec,
): ModelDriver & { readonly requests: readonly StepRequest[] } {
  const requests: StepRequest[] = [];
  return {
    name: 'told:model',
    provider: 'told',
    model: 'model',
    codec,
    guards: { hasRetry: true, hasIdleLimit: true },
    requests,
    async *stream(request) {
      requests.push(request);
      const step = steps[requests.length - 1];
      if (step === undefined) throw new Error(`There are ${steps.length} steps`);
      yield* typeof step === 'function' ? step() : step;
    },
  };
}

export function says(text: string, id = 't'): readonly ModelEvent[] {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, text },
    { type: 'text-end', id },
  ];
}

export function thinks(text: string, id = 'r'): readonly ModelEvent[] {
  return [
    { type: 'reasoning-start', id },
    ...(text === '' ? [] : [{ type: 'reasoning-delta', id, text } as const]),
    { type: 'reasoning-end', id },
  ];
}

export function calls(
  callId: string,
  more: Partial<Extract<ModelEvent, { type: 'call' }>['call']> = {},
): ModelEvent {
  const input = { at: 'x' };
  const call = {
    callId,
    name: 'look',
    input,
    inputText: JSON.stringify(input),
    isInvalid: false,
    isProviderExecuted: false,
  };
  return { type: 'call', call: { ...call, ...more } };
}

export function ends(more: Partial<StepEnd> = {}): StepEnd {
  return { type: 'end', finish: 'stop', finishReason: 'stop', messages: [], response: {}, ...more };
}
