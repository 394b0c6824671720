import {
  anything,
  checkOptions,
  optionalList,
  optionsIn,
  required,
  withFunctions,
} from '@throughline/core/internal';
import { isObject } from '@throughline/core/codec';
import { failedAnswer } from './failures/read-failure.ts';
import type { Answer, ModelRequest } from '@throughline/core';
import type { AnswerUsage, OptionCheck, OptionChecks } from '@throughline/core/internal';
import type {
  Driver,
  DriverLimits,
  ModelDriver,
  ModelEvent,
  ModelFinish,
  ModelTool,
  ModelUsage,
  StepEnd,
  StepRequest,
} from '@throughline/ports';

/** What a summariser has to know of the session that it works for. */
export interface SummariserOptions {
  /** What the session is sent with: a question behind its messages needs it to find the cached prefix. */
  readonly session?: { readonly system?: unknown; readonly tools?: readonly ModelTool[] };
}

const modelDriver: OptionCheck = {
  expected: 'a model driver: an object with name, codec, stream',
  fits: (value) => {
    const { name, codec, stream } = (isObject(value) ? value : {}) as Partial<ModelDriver>;
    const hasCodec = withFunctions('a codec', 'compose').fits(codec);
    return typeof name === 'string' && hasCodec && typeof stream === 'function';
  },
};

const optionChecks: OptionChecks<SummariserOptions> = {
  session: optionsIn<NonNullable<SummariserOptions['session']>>({ system: anything, tools: optionalList }),
};

// Room for reasoning on top of the visible answer: a cap on the answer alone is eaten by it.
const reasoningAllowanceTokens = 4_000;
// The engine fits its request into what is usable; a quarter of the window, at most, is kept free beside that. A server
// that checks prompt and answer together would refuse more.
const allowanceShare = 0.25;
const neverAborted = new AbortController().signal;

/**
 * Lets a streaming driver answer what the engine asks for: summaries, and what can be cleared. A window that an error
 * names is remembered: what was kept free for the answer may have been what did not fit, and less is tried at once.
 *
 * @throws {ContextError} `invalid-option` that names the option.
 */
export function createSummariser(driver: ModelDriver, options: SummariserOptions = {}): Driver {
  checkOptions('', { driver }, { driver: required(modelDriver) });
  checkOptions('', options, optionChecks);
  let limits = driver.limits ?? {};
  return {
    name: driver.name,
    complete: async (request, { signal = neverAborted }) => {
      const ask = (room: number): Promise<Answer> =>
        answerTo(driver.stream(stepOf(request, room, { driver, options }), { signal }));
      const room = roomFor(request.maxOutputTokens, limits);
      const answer = await ask(room);
      if (answer.type !== 'failed' || answer.cause !== 'overflow') return answer;
      limits = within(limits, answer.limitTokens);
      const smaller = roomFor(request.maxOutputTokens, limits);
      // A prompt that is too long by itself is the engine's to shorten.
      const leftTokens = (limits.windowTokens ?? 0) - (answer.promptTokens ?? 0);
      const isRoom = smaller < room && smaller < leftTokens;
      return isRoom ? await ask(smaller) : answer;
    },
  };
}

async function answerTo(events: AsyncIterable<ModelEvent>): Promise<Answer> {
  let text = '';
  let hasCalls = false;
  for await (const event of events) {
    if (event.type === 'text-delta') text += event.text;
    if (event.type === 'call') hasCalls = true;
    if (event.type === 'error') return failedAnswer(event.failure);
    if (event.type === 'end') return answerOf(text, event, hasCalls);
  }
  return { type: 'failed', cause: 'unavailable', message: 'the driver ended without an end' };
}

/** The answer and the reasoning before it; never more than the model can answer with, which servers refuse. */
function roomFor(
  answerTokens: number,
  { windowTokens = Infinity, maxOutputTokens = Infinity }: DriverLimits,
): number {
  const allowance = Math.min(reasoningAllowanceTokens, Math.floor(windowTokens * allowanceShare));
  return Math.min(answerTokens + allowance, maxOutputTokens);
}

function within(limits: DriverLimits, windowTokens = Infinity): DriverLimits {
  return { ...limits, windowTokens: Math.min(limits.windowTokens ?? Infinity, windowTokens) };
}

interface Speaker {
  readonly driver: ModelDriver;
  readonly options: SummariserOptions;
}

function stepOf(
  request: ModelRequest,
  maxOutputTokens: number,
  { driver: { codec }, options: { session = {} } }: Speaker,
): StepRequest {
  const asked = request.messages.flatMap(
    ({ role, content: text }) =>
      codec.compose({ role, parts: [{ type: 'text', text }], kind: 'converted' }).messages,
  );
  const shared = { maxOutputTokens, temperature: request.temperature };
  if (!request.cachedPrefix) return { ...shared, system: request.system, messages: asked };
  const { system, tools } = session;
  return {
    ...shared,
    messages: [...request.cachedPrefix, ...asked],
    ...(system !== undefined && { system }),
    ...(tools && tools.length > 0 && { tools, toolChoice: 'none' as const }),
  };
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
