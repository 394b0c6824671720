import type { Answer, AnswerUsage, ModelRequest } from '@throughline/core';
import type {
  Driver,
  DriverLimits,
  ModelDriver,
  ModelFinish,
  ModelTool,
  ModelUsage,
  StepEnd,
  StepRequest,
} from '@throughline/ports';
import { failedAnswer } from '../errors/failed-answer.ts';

export interface SummariserOptions {
  /** What the session is sent with: a question behind its messages needs it to find the cached prefix. */
  readonly session?: { readonly system?: unknown; readonly tools?: readonly ModelTool[] };
}

// Room for reasoning on top of the visible answer: a cap on the answer alone is eaten by it.
const reasoningAllowanceTokens = 4_000;
// The engine fits its request into what is usable; a quarter of the window, at most, is kept free beside that. A server
// that checks prompt and answer together would refuse more.
const allowanceShare = 0.25;
const neverAborted = new AbortController().signal;

/** Lets a streaming driver answer what the engine asks for: summaries, and what can be cleared. */
export function createSummariser(driver: ModelDriver, options: SummariserOptions = {}): Driver {
  return {
    name: driver.name,
    complete: async (request, { signal = neverAborted }) => {
      let text = '';
      let hasCalls = false;
      for await (const event of driver.stream(stepOf(request, driver, options), { signal })) {
        if (event.type === 'text-delta') text += event.text;
        if (event.type === 'call') hasCalls = true;
        if (event.type === 'error') return failedAnswer(event.failure);
        if (event.type === 'end') return answerOf(text, event, hasCalls);
      }
      return { type: 'failed', cause: 'unavailable', message: 'the driver ended without an end' };
    },
  };
}

function stepOf(
  request: ModelRequest,
  { codec, limits }: ModelDriver,
  { session = {} }: SummariserOptions,
): StepRequest {
  const asked = request.messages.flatMap(
    ({ role, content: text }) =>
      codec.compose({ role, parts: [{ type: 'text', text }], kind: 'converted' }).messages,
  );
  const shared = {
    maxOutputTokens: request.maxOutputTokens + allowanceOf(limits),
    temperature: request.temperature,
  };
  if (!request.behind) return { ...shared, system: request.system, messages: asked };
  const { system, tools } = session;
  return {
    ...shared,
    messages: [...request.behind, ...asked],
    ...(system !== undefined && { system }),
    ...(tools && tools.length > 0 && { tools, toolChoice: 'none' as const }),
  };
}

function allowanceOf({ windowTokens = Infinity }: DriverLimits = {}): number {
  return Math.min(reasoningAllowanceTokens, Math.floor(windowTokens * allowanceShare));
}

const finishes: Readonly<Record<ModelFinish, Extract<Answer, { type: 'text' }>['finish']>> = {
  stop: 'stop',
  length: 'length',
  'window-full': 'length',
  'tool-calls': 'tool-calls',
  refusal: 'refusal',
  paused: 'other',
  other: 'other',
};

function answerOf(text: string, { finish, usage }: StepEnd, hasCalls: boolean): Answer {
  return {
    type: 'text',
    text,
    finish: hasCalls ? 'tool-calls' : finishes[finish],
    ...(usage && { usage: usageOf(usage) }),
  };
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens }: ModelUsage): AnswerUsage {
  return { inputTokens, outputTokens, ...(cacheReadTokens > 0 && { cachedTokens: cacheReadTokens }) };
}
