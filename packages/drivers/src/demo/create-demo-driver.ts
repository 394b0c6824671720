import { anthropicCodec } from '@throughline/core';
import { ProviderFault, runStream } from '../stream/run-stream.ts';
import { Speech } from '../stream/speech.ts';
import { countAnswer, nextDemoTurn, readDemoRequest } from './demo-rules.ts';
import type { Codec } from '@throughline/core';
import type { NeutralPart } from '@throughline/core/codec';
import type { ModelCall, ModelDriver, ModelEvent, ModelFinish, StepRequest, Timer } from '@throughline/ports';
import type { DemoRequest, DemoTurn } from './demo-rules.ts';

/** How fast the demo model speaks, how large its window is, and what it says. */
export interface DemoDriverOptions {
  /** Waits between two words. */
  readonly timer: Timer;
  /** Between two words; 0 streams without waiting. @default 15 */
  readonly wordDelayMs?: number;
  /** Above it the model answers with an overflow, and an answer ends where it does. @default 32 000 */
  readonly windowTokens?: number;
  /** The format of its messages. @default Anthropic's, which takes images in results */
  readonly codec?: Codec;
  /** For tests: these steps in turn, whatever is asked; one more fails as `provider`, and says how many there are. */
  readonly script?: readonly DemoTurn[];
}

const defaultWindowTokens = 32_000;

/**
 * A model that needs no key and no network: it follows a script, says so, and calls real tools. What it answers is a
 * function of the request. It counts its tokens and has a window like any other.
 */
export function createDemoDriver(options: DemoDriverOptions): ModelDriver {
  const { codec = anthropicCodec, script, windowTokens = defaultWindowTokens } = options;
  let played = 0;
  return {
    name: 'demo:scripted',
    provider: 'demo',
    model: 'demo',
    codec,
    limits: { windowTokens },
    stream: (request, { signal }) => {
      const read = readDemoRequest(request, codec);
      const turn = script?.[played] ?? (script ? undefined : nextDemoTurn(read));
      played += 1;
      const open = (closing: AbortSignal): AsyncIterable<ModelEvent> => {
        if (!turn)
          throw new ProviderFault(`The script has ${script?.length} steps and was asked for one more`);
        return play({ turn, read, request, codec, options, signal: closing });
      };
      const reader = { take: (event: ModelEvent) => [event], close: () => [] };
      return runStream({ open, reader, codec, secrets: [] }, signal);
    },
  };
}

interface Play {
  readonly turn: DemoTurn;
  readonly read: DemoRequest;
  readonly request: StepRequest;
  readonly codec: Codec;
  readonly options: DemoDriverOptions;
  readonly signal: AbortSignal;
}

async function* play(played: Play): AsyncGenerator<ModelEvent, void, undefined> {
  const { turn, read, request } = played;
  const { windowTokens = defaultWindowTokens } = played.options;
  const { promptTokens } = read;
  if (promptTokens > windowTokens) {
    const message = `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`;
    throw new ProviderFault('overflow', { status: 400, type: 'invalid_request_error', message });
  }
  yield { type: 'response-start', response: { id: `demo-${request.messages.length}`, model: 'demo' } };
  const room = Math.min(request.maxOutputTokens ?? Infinity, windowTokens - promptTokens);
  const { reasoning = '', calls: named = [] } = turn;
  const { text, isCut } = fit(turn.text ?? '', room - countAnswer(reasoning));
  const speech = new Speech();
  for (const [kind, said] of [
    ['reasoning', reasoning],
    ['text', text],
  ] as const) {
    for (const word of said.split(/(?<=\s)(?=\S)/)) {
      yield* speech.say(kind, word);
      await pause(played);
    }
  }
  yield* speech.endAll();
  if (turn.failure) throw new ProviderFault('scripted', turn.failure);
  const calls = isCut
    ? []
    : named.map((call, index): ModelCall => {
        const callId = `demo_${request.messages.length}_${index}`;
        const inputText = JSON.stringify(call.input);
        return { callId, ...call, inputText, isInvalid: false, isProviderExecuted: false };
      });
  for (const call of calls) yield* tellCall(call);
  yield end(played, { reasoning, text, calls, isCut });
}

function* tellCall(call: ModelCall): Iterable<ModelEvent> {
  const { callId, name, inputText: text } = call;
  yield { type: 'tool-input-start', callId, name, isProviderExecuted: false };
  yield { type: 'tool-input-delta', callId, text };
  yield { type: 'tool-input-end', callId };
  yield { type: 'call', call };
}

interface Played {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly isCut: boolean;
}

function end({ turn, read, codec }: Play, { reasoning, text, calls, isCut }: Played): ModelEvent {
  const usual: ModelFinish = calls.length > 0 ? 'tool-calls' : 'stop';
  const finish = isCut ? 'length' : (turn.finish ?? usual);
  const reasoningTokens = countAnswer(reasoning);
  const told = calls.map(({ inputText }) => inputText).join('');
  const outputTokens = reasoningTokens + countAnswer(text) + countAnswer(told);
  const parts: NeutralPart[] = [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...(text.trim() === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map(({ callId, name, input }) => ({ type: 'call', callId, name, input }) as const),
  ];
  const isSaid = parts.some(({ type }) => type !== 'reasoning');
  return {
    type: 'end',
    finish,
    finishReason: finish,
    usage: {
      inputTokens: read.promptTokens,
      outputTokens,
      reasoningTokens,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      totalTokens: read.promptTokens + outputTokens,
    },
    messages: isSaid ? codec.compose({ role: 'assistant', parts, kind: 'converted' }).messages : [],
    response: { model: 'demo' },
  };
}

/** As much of the text as there is room for. */
function fit(text: string, roomTokens: number): { readonly text: string; readonly isCut: boolean } {
  const tokens = countAnswer(text);
  if (tokens <= roomTokens) return { text, isCut: false };
  let kept = text.slice(0, Math.floor((text.length * Math.max(0, roomTokens)) / tokens));
  while (countAnswer(kept) > roomTokens) kept = kept.slice(0, Math.floor(kept.length * 0.95));
  return { text: kept.toWellFormed(), isCut: true };
}

async function pause({ options: { timer, wordDelayMs = 15 }, signal }: Play): Promise<void> {
  if (wordDelayMs > 0) await timer.wait(wordDelayMs, signal);
}
