import { errorMessage, isWithinLimits, truncateOutput } from '@throughline/core/internal';
import { defaultMaxOutputChars, HeadTail, sanitiseText } from './output-text.ts';
import type { ToolLimits } from '@throughline/core/types';
import type { AllowedCall } from './allow-call.ts';
import type {
  CallResult,
  ExecuteContext,
  ResultContent,
  ToolCall,
  ToolContext,
  ToolEvent,
  ToolReply,
  WholeOutput,
} from './tool.ts';

// What a tool that listens needs to say what it had; one that does not is left behind.
const abortGraceMs = 50;
const keepGraceMs = 20;

/** The result of a call, and when the tool itself is done: later than the result when it was left behind. */
export interface RunCall {
  readonly result: CallResult;
  readonly settled: Promise<unknown>;
}

/** Runs one call to its end, whatever the tool does. Never throws. */
export async function runCall(
  call: ToolCall,
  allowed: AllowedCall,
  context: ExecuteContext,
): Promise<RunCall> {
  const done = Promise.resolve();
  if (context.signal.aborted) return { result: unstarted(call, cancelledUnstarted, true), settled: done };
  if (allowed.type === 'refused') {
    return { result: unstarted(call, allowed.reason, allowed.isCancelled === true), settled: done };
  }
  if (!(await mayRun(context))) return { result: unstarted(call, cancelledUnstarted, true), settled: done };
  const startedMs = performance.now();
  const limits = { ...allowed.tool.limits, ...context.limitsOf?.(call.name) };
  const output = new LiveOutput(call, limits, context.emit);
  context.emit(stateOf(call, 'running'));
  const toolContext: ToolContext = {
    callId: call.callId,
    signal: context.signal,
    emit: (delta) => output.add(delta),
    limits,
    session: context.session,
    keep: (whole) => untilAborted(keep(call, whole, context), context.signal, () => undefined, keepGraceMs),
  };
  const { within = (_, work) => work() } = context;
  const answered = answerOf(() => within(call.callId, () => allowed.prepared.execute(toolContext)));
  const answer = await untilAborted(answered, context.signal, () => abandoned, abortGraceMs);
  const reply = replyOf(answer, output, context.signal);
  output.close();
  const settled = await settleReply(reply, toolContext);
  const durationMs = Math.round(performance.now() - startedMs);
  return {
    result: { callId: call.callId, name: call.name, isUnstarted: false, durationMs, ...settled },
    settled: answered,
  };
}

async function mayRun({ fence, signal }: ExecuteContext): Promise<boolean> {
  try {
    await fence?.();
    return !signal.aborted;
  } catch {
    return false;
  }
}

export function stateOf(
  { callId, name }: ToolCall,
  state: 'pending' | 'running' | CallResult['state'],
): ToolEvent {
  return { type: 'tool-state', callId, name, state };
}

const cancelledUnstarted = 'The call was cancelled before it started; nothing was done.';

/** The result of a call that was not run, with the reason for the model. */
export function unstarted({ callId, name }: ToolCall, reason: string, isCancelled = false): CallResult {
  return {
    callId,
    name,
    state: 'error',
    content: [{ type: 'text', text: reason.toWellFormed() }],
    isCancelled,
    isUnstarted: true,
    truncated: false,
    sanitized: false,
    durationMs: 0,
  };
}

type ToolAnswer =
  | { readonly type: 'replied'; readonly reply: ToolReply }
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'abandoned' };

const abandoned: ToolAnswer = { type: 'abandoned' };

/** A store that fails costs the whole text, not the result. */
async function keep(
  call: ToolCall,
  whole: WholeOutput,
  { session }: ExecuteContext,
): Promise<string | undefined> {
  try {
    return await session.outputs?.keep(call.callId, whole);
  } catch {
    return undefined;
  }
}

async function answerOf(execute: () => Promise<ToolReply>): Promise<ToolAnswer> {
  try {
    return { type: 'replied', reply: await execute() };
  } catch (error) {
    return { type: 'threw', error };
  }
}

function replyOf(answer: ToolAnswer, output: LiveOutput, signal: AbortSignal): ToolReply {
  if (answer.type === 'replied') return answer.reply;
  const partial = output.text();
  if (signal.aborted) {
    return { content: `${partial}[cancelled before it finished]`, isError: true, isCancelled: true };
  }
  const error = answer.type === 'threw' ? answer.error : undefined;
  const message = errorMessage(error);
  return { content: `${partial}${message || 'The tool failed without a message.'}`, isError: true };
}

/** Passes live output on while the call runs, and remembers as much of it as its result may hold. */
class LiveOutput {
  readonly #call: ToolCall;
  readonly #send: (event: ToolEvent) => void;
  readonly #kept: HeadTail;
  #isOpen = true;

  constructor(
    call: ToolCall,
    { maxOutputChars = defaultMaxOutputChars }: ToolLimits,
    send: (event: ToolEvent) => void,
  ) {
    this.#call = call;
    this.#send = send;
    this.#kept = new HeadTail(Math.max(0, maxOutputChars - 200));
  }

  add(delta: string): void {
    if (!this.#isOpen || delta === '') return;
    this.#kept.add(delta);
    this.#send({ type: 'tool-output', callId: this.#call.callId, name: this.#call.name, delta });
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Ends with a line break unless it is empty. */
  text(): string {
    const text = this.#kept.text((chars) => `\n[… ${chars} characters left out …]\n`);
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  }
}

// More of a whole text is not kept: it is in memory until it is stored, and nobody recalls so much.
const maxWholeChars = 64 * 1024 * 1024;

type Settled = Omit<CallResult, 'callId' | 'name' | 'isUnstarted' | 'durationMs'>;

/** The one place where a reply becomes a result: made storable, cut to the limits, its whole text kept. Never throws. */
async function settleReply(reply: ToolReply, context: ToolContext): Promise<Settled> {
  const {
    content,
    isError = false,
    isCancelled = false,
    isTruncated = false,
    data,
  } = typeof reply === 'string' ? { content: reply } : reply;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const clean = parts.map(sanitisePart);
  const limited = await limitParts(clean, context);
  return {
    // What was ended before it was done is no success, whatever its tool makes of it.
    state: isError || isCancelled ? 'error' : 'completed',
    content: withoutEmpty(limited.parts),
    isCancelled,
    truncated: limited.truncated || isTruncated,
    sanitized: clean.some((part, index) => part !== parts[index]),
    ...(limited.wholeId === undefined ? {} : { wholeId: limited.wholeId }),
    ...(data === undefined ? {} : { data }),
  };
}

function sanitisePart(part: ResultContent): ResultContent {
  if (part.type !== 'text') return part;
  const text = sanitiseText(part.text);
  return text === part.text ? part : { ...part, text };
}

interface Limited {
  readonly parts: readonly ResultContent[];
  readonly truncated: boolean;
  readonly wholeId?: string;
}

/** All texts of a result together are held to the limits: many parts are no way around them. */
async function limitParts(parts: readonly ResultContent[], context: ToolContext): Promise<Limited> {
  const limits = { maxOutputChars: defaultMaxOutputChars, ...context.limits };
  const whole = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (isWithinLimits(whole, limits)) return { parts, truncated: false };
  const wholeId = await keepText(whole, context);
  const hint = wholeId === undefined ? '' : `; recall "${wholeId}" returns it whole`;
  const text: ResultContent = {
    type: 'text',
    text: truncateOutput(whole, limits, { hint, isOnOwnLine: true }),
  };
  const limited = [text, ...parts.filter(({ type }) => type !== 'text')];
  return { parts: limited, truncated: true, ...(wholeId === undefined ? {} : { wholeId }) };
}

function keepText(whole: string, context: ToolContext): Promise<string | undefined> {
  const text =
    whole.length <= maxWholeChars
      ? whole
      : `${whole.slice(0, maxWholeChars).toWellFormed()}\n[… cut at 64 MB …]`;
  return context.keep({ type: 'text', text });
}

function withoutEmpty(parts: readonly ResultContent[]): readonly ResultContent[] {
  const kept = parts.filter((part) => part.type !== 'text' || part.text !== '');
  return kept.length > 0 ? kept : [{ type: 'text', text: '(no output)' }];
}

/**
 * The value of a promise, or what `onAbort` gives `graceMs` after the signal is aborted, whichever comes first. What
 * loses the race is left alone; its rejection is nobody's.
 */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  onAbort: () => Value,
  graceMs = 0,
): Promise<Value> {
  const { promise: aborted, resolve } = Promise.withResolvers<Value>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listener = (): void => {
    timer = setTimeout(() => resolve(onAbort()), graceMs);
  };
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', listener);
  }
}
