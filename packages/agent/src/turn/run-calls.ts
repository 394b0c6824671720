import { newEvent } from '../events/agent-event.ts';
import { executeCalls } from '../tools/execute-calls.ts';
import { startedWrite } from './started-calls.ts';
import { outputKey, storeResult } from './store-results.ts';
import type { RunWrite } from '@throughline/ports';
import type { ExecuteContext, ToolCall, ToolEvent } from '../tools/tool.ts';
import type { RunContext } from './run-context.ts';
import type { StoredResult } from './store-results.ts';

/** A step's calls, and the answer that made them. */
export interface StepCalls {
  readonly messageId: string;
  readonly calls: readonly ToolCall[];
}

/**
 * Runs the calls of one step and puts each result behind the history as soon as it is there. Before a call starts that
 * must not run twice, it is written down that it does.
 */
export async function runCalls(
  runContext: RunContext,
  { messageId, calls }: StepCalls,
  signal: AbortSignal,
): Promise<void> {
  const { context, options, tools, access, approvals } = runContext;
  const results: StoredResult[] = [];
  const started: string[] = [];
  const decide: ExecuteContext['decide'] = async (call, tool, prepared, aborted) => {
    const decision = await approvals.decide(call, tool, prepared, aborted);
    if (decision.type === 'denied' || tool.idempotent) return decision;
    started.push(call.callId);
    await runContext.writer.commit(startedWrite({ messageId, callIds: [...started] }));
    return decision;
  };
  await executeCalls(calls, {
    tools,
    signal,
    session: access,
    decide,
    ...followed(runContext),
    emit: createToolEmitter(runContext),
    onResult: async (result) => {
      results.push(await storeResult(runContext, result));
    },
    ...(options.limitsOf ? { limitsOf: options.limitsOf } : {}),
  });
  // In memory as in the store: a process that takes over must send the same.
  const stored = results.toSorted((left, right) => left.ordinal - right.ordinal);
  context.append(stored.map(({ message }) => message));
}

/** What a tool sends and traces stands below its call. */
function followed({ options, sessionId, runId }: RunContext): Pick<ExecuteContext, 'within'> {
  const { telemetry } = options;
  if (!telemetry) return {};
  return { within: (callId, work) => telemetry.within({ sessionId, runId, callId }, work) };
}

/** Live output beyond that is not told: nobody reads it, and the result shows less. */
const mostLiveChars = 200_000;

function createToolEmitter({ emit, writer, runId }: RunContext): (event: ToolEvent) => void {
  const told = new Map<string, number>();
  return (event) => {
    const { callId, name: toolName } = event;
    if (event.type === 'tool-state') return emit('tool:state', { callId, toolName, state: event.state });
    const before = told.get(callId) ?? 0;
    if (before >= mostLiveChars) return;
    told.set(callId, before + event.delta.length);
    const key = outputKey(callId);
    const writesOf = (delta: string): readonly RunWrite[] => {
      const output = newEvent('tool:output', { callId, toolName, delta }, { runId, chunkOf: key });
      return [{ type: 'event', event: output }];
    };
    writer.addPiece({ key, text: event.delta.toWellFormed(), writesOf });
  };
}
