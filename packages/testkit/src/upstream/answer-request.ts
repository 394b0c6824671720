import { isObject, type WireObject } from '../judge/wire-value.ts';
import {
  objectsOf,
  type Dialect,
  type ReadRequest,
  type Refusal,
  type WireEvent,
  type Written,
} from './dialects/dialect.ts';
import { reasoningOfItems } from './dialects/responses.ts';
import type { Failure } from './failures.ts';
import type { CacheUse, PrefixCache } from './model/prefix-cache.ts';
import { countParts, piecesOf, type PromptPart } from './model/prompt-tokens.ts';
import { rulesOf } from './routes.ts';
import { brokenRules, type Fault } from './rules/rule.ts';
import {
  limitAnswer,
  questionOf,
  replyTo,
  type AnswerScript,
  type DialectName,
} from './model/scripted-answer.ts';
import type { Reply } from './send-reply.ts';
import { serverKind, type Excess, type ServerKind, type ServerName } from './servers.ts';
import type { NotedRequest, StrictUpstreamOptions } from './upstream-request.ts';

/** What an upstream knows from one request to the next. */
export interface AnswerState {
  readonly options: StrictUpstreamOptions;
  readonly script: AnswerScript;
  window: StrictUpstreamOptions['windowTokens'];
  readonly cache: PrefixCache;
  readonly reasoningOfItem: Map<string, string>;
  answered: number;
  ids: number;
}

interface Answering {
  readonly dialect: Dialect;
  readonly failure: Failure;
}

/** Decides what a request for an answer or a count is answered with, and notes it. */
export function answerRequest(state: AnswerState, noted: NotedRequest, answering: Answering): Reply {
  const { dialect, failure } = answering;
  const name = noted.dialect ?? 'chat';
  const refuse = (refusal: Refusal): Reply => json(refusal.status, dialect.refusal(refusal));
  const body = isObject(noted.json) ? noted.json : undefined;
  noted.faults = body
    ? [...headerFaults(state, noted, name), ...bodyFaults(state, noted, body)]
    : [{ rule: 'no JSON', message: 'We could not parse the JSON body of your request.' }];
  if (failure.raw) {
    const { status, body: bytes, type } = failure.raw;
    return {
      status,
      headers: { 'content-type': type ?? 'application/json' },
      content: { kind: 'bytes', bytes },
    };
  }
  if (failure.refusal) return refuse(failure.refusal);
  const [fault] = noted.faults;
  if (!body || fault) return refuse(refusalOf(fault));
  const unknown = refusedBySetting(state.options, body, name);
  if (unknown) return refuse(unknown);
  const read = dialect.read(body);
  const window = windowOf(state, read.model);
  if (window === undefined) return refuse(unknownModel(read.model));
  const asked = { ...read, dialect: name, question: questionOf(read.messages) };
  noted.asked = asked;
  noted.promptTokens = countParts(read.parts);
  if (noted.kind === 'count') {
    if (state.options.canCount === false) return refuse({ status: 404, message: 'Not found' });
    return json(200, dialect.count(noted.promptTokens));
  }
  const room = roomFor(state, read, { name, window, failure });
  if (room.kind === 'overflow') return room.reply;
  const written = writeAnswer(state, noted, { read, room, name, failure });
  return replyWith(written, read, answering);
}

function headerFaults({ options }: AnswerState, { headers }: NotedRequest, name: DialectName): Fault[] {
  const isAnthropic = name === 'messages' && (options.server ?? 'anthropic') === 'anthropic';
  return isAnthropic && headers['anthropic-version'] === undefined
    ? [{ rule: 'no version', message: 'anthropic-version: header is required' }]
    : [];
}

/** A request for a count is judged by the same rules, without those about the answer. */
function bodyFaults(state: AnswerState, noted: NotedRequest, body: WireObject): readonly Fault[] {
  const counted = noted.kind === 'count' ? { max_tokens: 1, ...body, thinking: undefined } : body;
  return brokenRules(rulesOf[noted.dialect ?? 'chat'], counted, state);
}

function refusalOf(fault: Fault | undefined): Refusal {
  return {
    status: 400,
    message: fault?.message ?? '',
    ...(fault?.param === undefined ? {} : { param: fault.param }),
  };
}

/** What this upstream was told not to know is no fault of its caller. */
function refusedBySetting(
  options: StrictUpstreamOptions,
  body: WireObject,
  name: DialectName,
): Refusal | undefined {
  const field = options.refusedFields?.find((key) => body[key] !== undefined);
  if (field !== undefined) return unknownField(field, name);
  const list = objectsOf(body[name === 'responses' ? 'input' : 'messages']);
  const system = list.findIndex(({ role }) => role === 'system');
  if (options.refusesSystemMessages === true && name === 'messages' && system !== -1) {
    return { status: 400, message: `messages.${system}: role 'system' is not supported on this model` };
  }
  if (options.refusesPrefill === true && list.at(-1)?.['role'] === 'assistant') {
    return {
      status: 400,
      message:
        'This model does not support assistant message prefill. The conversation must end with a user message.',
    };
  }
  return undefined;
}

function unknownField(field: string, name: DialectName): Refusal {
  const words: Record<DialectName, Refusal> = {
    chat: { status: 400, message: `Unrecognized request argument supplied: ${field}` },
    messages: { status: 400, message: `${field}: Extra inputs are not permitted` },
    responses: {
      status: 400,
      message: `Unknown parameter: '${field}'.`,
      param: field,
      code: 'unknown_parameter',
    },
  };
  return words[name];
}

function windowOf({ window }: AnswerState, model: string): number | undefined {
  return typeof window === 'object' ? window[model] : (window ?? Number.MAX_SAFE_INTEGER);
}

function unknownModel(model: string): Refusal {
  return {
    status: 404,
    message: `The model '${model}' does not exist`,
    code: 'model_not_found',
    type: 'not_found_error',
  };
}

interface Room {
  readonly kind: 'fits';
  readonly window: number;
  readonly server: ServerKind;
  readonly parts: readonly PromptPart[];
  /** What is said to have been read, where it is not the sum of the parts. */
  readonly cutTo?: number;
}

interface Asking {
  readonly name: DialectName;
  readonly window: number;
  readonly failure: Failure;
}

function roomFor(
  { options }: AnswerState,
  read: ReadRequest,
  { name, window, failure }: Asking,
): Room | { readonly kind: 'overflow'; readonly reply: Reply } {
  const usual: ServerName = name === 'messages' ? 'anthropic' : 'openai';
  const server = serverKind(failure.overflow ?? options.server ?? usual);
  const prompt = countParts(read.parts);
  const excess: Excess = { dialect: name, prompt, maxTokens: read.maxTokens, window };
  const countsMaxTokens = options.countsMaxTokens ?? server.countsMaxTokens ?? false;
  const isTooLong =
    prompt >= window || (countsMaxTokens && prompt + (read.maxTokens ?? 0) > window) || failure.overflow;
  if (!isTooLong) return { kind: 'fits', window, server, parts: read.parts };
  if (server.cutsSilently === true && failure.overflow === undefined) {
    return { kind: 'fits', window, server, ...cutSilently(read.parts, window) };
  }
  const events = read.isStreaming ? server.overflowEvents?.(excess) : undefined;
  if (events) return { kind: 'overflow', reply: stream(events) };
  const { status, body } = server.overflow(excess);
  return { kind: 'overflow', reply: json(status, body) };
}

/** As Ollama does: the oldest messages go, never the system's nor the last; if that is not enough, half of the window stays. */
function cutSilently(
  parts: readonly PromptPart[],
  window: number,
): { parts: readonly PromptPart[]; cutTo?: number } {
  const last = parts.at(-1)?.message;
  const stays = ({ message, role }: PromptPart): boolean =>
    message === -1 || message === last || role === 'system' || role === 'developer';
  let kept = parts;
  for (const { message } of parts.filter((part) => !stays(part))) {
    if (countParts(kept) < window) break;
    kept = kept.filter((part) => part.message !== message);
  }
  return countParts(kept) < window
    ? { parts: kept }
    : { parts: kept, cutTo: Math.min(window - 1, Math.floor(window / 2) + 2) };
}

interface Writing {
  readonly read: ReadRequest;
  readonly room: Room;
  readonly name: DialectName;
  readonly failure: Failure;
}

const idPrefixes: Readonly<Record<DialectName, string>> = {
  chat: 'chatcmpl-',
  messages: 'msg_',
  responses: 'resp_',
};

function writeAnswer(
  state: AnswerState,
  noted: NotedRequest,
  { read, room, name, failure }: Writing,
): Written {
  const seen = new Set(room.parts.map(({ message }) => message));
  const left = read.messages.filter(({ at }) => room.parts === read.parts || seen.has(at));
  const asked = { ...read, dialect: name, messages: left, question: questionOf(left) };
  const reply = failure.isEmpty === undefined ? replyTo(asked, state.script) : {};
  const use = cacheUse(state, { read, room, name });
  const answer = limitAnswer(reply, {
    maxTokens: read.maxTokens ?? Number.MAX_SAFE_INTEGER,
    room: room.window - use.prompt,
    nextId: () => `call_${++state.ids}`,
  });
  noted.answer = answer;
  const written: Written = {
    id: `${idPrefixes[name]}${++state.ids}`,
    model: read.model,
    answer,
    use: state.options.reportsCache === false ? { ...use, read: 0, created: 0 } : use,
    wantsUsage: read.wantsUsage,
    wall: room.server.wall,
    form: {
      hasZeroUsageAtStart: failure.hasZeroUsageAtStart ?? false,
      hasWholeArguments: failure.hasWholeArguments ?? false,
      firstCallIndex: failure.firstCallIndex ?? 0,
      hasNoEnd: failure.hasNoEnd ?? false,
    },
  };
  if (name === 'responses') {
    for (const [item, reasoning] of reasoningOfItems(written)) state.reasoningOfItem.set(item, reasoning);
  }
  return written;
}

function cacheUse({ cache }: AnswerState, { read, room, name }: Omit<Writing, 'failure'>): CacheUse {
  const pieces = piecesOf(room.parts);
  const use = name === 'messages' ? cache.useMarks(read.model, pieces) : cache.useAll(read.model, pieces);
  return room.cutTo === undefined ? use : { prompt: room.cutTo, read: 0, created: 0 };
}

function replyWith(written: Written, read: ReadRequest, { dialect, failure }: Answering): Reply {
  const { errorAfter } = failure;
  if (!read.isStreaming) {
    return errorAfter
      ? json(errorAfter.refusal.status, dialect.refusal(errorAfter.refusal))
      : json(200, dialect.body(written));
  }
  if (failure.isEmpty === 'nothing') return stream([]);
  const events = dialect.events(written);
  return errorAfter
    ? stream([...events.slice(0, errorAfter.events), dialect.errorEvent(errorAfter.refusal)])
    : stream(events);
}

function stream(events: readonly WireEvent[]): Reply {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  return { status: 200, headers, content: { kind: 'events', events } };
}

function json(status: number, body: WireObject | undefined): Reply {
  const bytes = body === undefined ? '' : JSON.stringify(body);
  return {
    status,
    headers: { 'content-type': 'application/json' },
    content: { kind: 'bytes', bytes },
  };
}
