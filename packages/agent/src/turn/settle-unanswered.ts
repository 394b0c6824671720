import { readStarted, runCalls, storeResult } from './run-calls.ts';
import type { Entry } from '@throughline/core';
import type { CallPart } from '@throughline/core/codec';
import { unstarted } from '../tools/run-call.ts';
import type { ToolCall } from '../tools/tool.ts';
import type { RunContext } from './run-context.ts';

/**
 * Goes on where a process died: calls that had not started, and those that may run twice, run now; of the others
 * nobody knows whether they did something, and their results say so.
 */
export async function settleUnanswered(runContext: RunContext): Promise<void> {
  const open = unansweredCalls(runContext);
  if (!open) return;
  const { options, sessionId, tools, signal } = runContext;
  const started = await readStarted(options.store, sessionId, open.messageId);
  const mayRun = (call: ToolCall): boolean =>
    !started.has(call.callId) || tools.some(({ name, idempotent }) => name === call.name && idempotent);
  const runnable = open.calls.filter(mayRun);
  await refuseCalls(
    runContext,
    open.calls.filter((call) => !mayRun(call)),
    interrupted,
  );
  if (runnable.length > 0) await runCalls(runContext, { ...open, calls: runnable }, signal);
}

const interrupted =
  'interrupted: the process ended while this call was running; it may have run in part, wholly or not at all. Look at its effects before you repeat it.';

/** Calls of the last answer, where nothing was said behind it but results. */
interface Unanswered {
  readonly messageId: string;
  readonly calls: readonly ToolCall[];
}

/** Calls of the last answer that have no result. */
function unansweredCalls({ context }: RunContext): Unanswered | undefined {
  const { entries } = context.transcript.conversation;
  const answered = new Set<string>();
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries.at(index);
    if (!entry || (entry.role !== 'tool' && entry.role !== 'assistant')) return undefined;
    if (entry.role === 'assistant') return callsOf(entry, answered);
    for (const part of entry.parts) if (part.type === 'result') answered.add(part.callId);
  }
  return undefined;
}

function callsOf(entry: Entry, answered: ReadonlySet<string>): Unanswered | undefined {
  const calls = entry.parts
    .filter((part): part is CallPart => part.type === 'call' && part.isProviderExecuted !== true)
    .filter(({ callId }) => !answered.has(callId));
  if (calls.length === 0) return undefined;
  const { id } = entry.wire as { readonly id: string };
  return {
    messageId: id,
    calls: calls.map(({ callId, name, input }) => ({
      callId,
      name,
      input: (input.type === 'value' ? input.value : input.text) as ToolCall['input'],
    })),
  };
}

export const notRun = 'The answer was cut off before this call was run; nothing was done.';

/** Error results for calls that will not run. */
export async function refuseCalls(
  runContext: RunContext,
  calls: readonly ToolCall[],
  reason: string,
): Promise<void> {
  for (const call of calls) {
    const result = unstarted(call, reason);
    // Results stand in the order of their calls.
    const { message } = await storeResult(runContext, result);
    runContext.context.append([message]);
  }
}

/**
 * What a session has taken over in the middle of its work ends there: another one goes on with it.
 *
 * @param reason why its calls without a result are not run
 */
export async function settleTakenOver(runContext: RunContext, reason: string): Promise<void> {
  await finishOpenMessages(runContext);
  await refuseUnanswered(runContext, reason);
}

export const cameInFile =
  'The session came in a file, in which this call had no result; it is not run here. Look at its effects before you repeat it.';

export const leftBehind =
  'The session was copied before this call had a result; it is not run here. Look at its effects before you repeat it.';

/** Messages that a dead process left open end with what they have; `true` where there were some. */
export async function finishOpenMessages(runContext: RunContext): Promise<boolean> {
  const { options, sessionId, writer, emit } = runContext;
  const { items } = await options.store.history.page(sessionId, { limit: 2 });
  const open = items.filter(({ isOpen }) => isOpen);
  if (open.length === 0) return false;
  for (const { message } of open) {
    const fields = { finishReason: 'interrupted', meta: { isCutOff: true } };
    writer.add({ type: 'finish-message', messageId: message.id, fields, error: 'interrupted' });
  }
  const error = { code: 'interrupted', message: 'The answer was cut off: its process ended.' };
  emit('llm:error', { error, context: 'step', recoverable: true });
  await writer.commit();
  // Nobody ran the calls of an answer that did not end.
  await refuseUnanswered(runContext, notRun);
  return true;
}

async function refuseUnanswered(runContext: RunContext, reason: string): Promise<void> {
  await refuseCalls(runContext, unansweredCalls(runContext)?.calls ?? [], reason);
}
