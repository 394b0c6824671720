import { HeadTail } from './head-tail.ts';
import { settleReply } from './settle-reply.ts';
import { untilAborted } from './until-aborted.ts';
import type { AllowedCall } from './allow-call.ts';
import type { CallResult, ExecuteContext, ToolEvent } from './execute-context.ts';
import type { ToolCall, ToolContext, ToolReply } from './tool.ts';
import type { WholeOutput } from './session-access.ts';
import type { ToolLimits } from '@throughline/core';

// What a tool that listens needs to say what it had; one that does not is left behind.
const abortGraceMs = 50;
const keepGraceMs = 20;
const defaultMaxChars = 120_000;

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

export function stateOf(
  { callId, name }: ToolCall,
  state: 'pending' | 'running' | CallResult['state'],
): ToolEvent {
  return { type: 'tool-state', callId, name, state };
}

const cancelledUnstarted = 'The call was cancelled before it started; nothing was done.';

function unstarted({ callId, name }: ToolCall, reason: string, isCancelled: boolean): CallResult {
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
  const message = error instanceof Error ? error.message : String(error);
  return { content: `${partial}${message || 'The tool failed without a message.'}`, isError: true };
}

/** Passes live output on while the call runs, and remembers as much of it as its result may hold. */
class LiveOutput {
  private readonly call: ToolCall;
  private readonly send: (event: ToolEvent) => void;
  private readonly kept: HeadTail;
  private isOpen = true;

  constructor(
    call: ToolCall,
    { maxOutputChars = defaultMaxChars }: ToolLimits,
    send: (event: ToolEvent) => void,
  ) {
    this.call = call;
    this.send = send;
    this.kept = new HeadTail(Math.max(0, maxOutputChars - 200));
  }

  add(delta: string): void {
    if (!this.isOpen || delta === '') return;
    this.kept.add(delta);
    this.send({ type: 'tool-output', callId: this.call.callId, name: this.call.name, delta });
  }

  close(): void {
    this.isOpen = false;
  }

  /** Ends with a line break unless it is empty. */
  text(): string {
    const text = this.kept.text((chars) => `\n[… ${chars} characters left out …]\n`);
    return text === '' || text.endsWith('\n') ? text : `${text}\n`;
  }
}
