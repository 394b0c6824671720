import { newEvent } from '../events/new-event.ts';
import { fieldsOf } from '../json/json-value.ts';
import { keepMedia } from '../media/session-media.ts';
import { executeCalls } from '../tools/execute-calls.ts';
import { isWithinLimits, truncateOutput } from '@throughline/core/internal';
import type { SessionMessage } from '@throughline/core/codec';
import type { RunWrite, SessionStore } from '@throughline/ports';
import type { CallResult, ExecuteContext, ResultContent, ToolCall, ToolEvent } from '../tools/tool.ts';
import type { RunContext } from './run-context.ts';

/** A step's calls, and the answer that made them. */
interface StepCalls {
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
  using idle = leaveWhenIdle(runContext);
  const decide: ExecuteContext['decide'] = async (call, tool, prepared, aborted) => {
    const decision = await idle.ask(() => approvals.decide(call, tool, prepared, aborted));
    if (decision.type === 'denied') return decision;
    idle.begin(call.callId);
    if (tool.idempotent) return decision;
    started.push(call.callId);
    await runContext.writer.commit(startedWrite({ messageId, callIds: [...started] }));
    return decision;
  };
  await executeCalls(calls, {
    tools,
    signal,
    session: access,
    decide,
    fence: runContext.fence,
    ...followed(runContext),
    emit: createToolEmitter(runContext),
    onResult: async (result) => {
      results.push(await storeResult(runContext, result));
      idle.end(result.callId);
    },
    ...(options.limitsOf ? { limitsOf: options.limitsOf } : {}),
  });
  // In memory as in the store: a process that takes over must send the same.
  const stored = results.toSorted((left, right) => left.ordinal - right.ordinal);
  context.append(stored.map(({ message }) => message));
}

interface IdleWatch extends Disposable {
  ask<Result>(question: () => Promise<Result>): Promise<Result>;
  begin(callId: string): void;
  end(callId: string): void;
}

/** An agent that stops does not wait for its user: once no call runs any more, those that are asked about are left. */
function leaveWhenIdle({ options: { stop }, leave }: RunContext): IdleWatch {
  const running = new Set<string>();
  let asking = 0;
  const look = (): void => {
    if (stop.wanted.aborted && asking > 0 && running.size === 0) void leave();
  };
  stop.wanted.addEventListener('abort', look, { once: true });
  return {
    async ask(question) {
      asking += 1;
      look();
      try {
        return await question();
      } finally {
        asking -= 1;
      }
    },
    begin: (callId) => void running.add(callId),
    end(callId) {
      running.delete(callId);
      look();
    },
    [Symbol.dispose]: () => stop.wanted.removeEventListener('abort', look),
  };
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

/** Calls of one answer that may have had an effect, whether or not they have a result. */
interface StartedCalls {
  readonly messageId: string;
  readonly callIds: readonly string[];
}

const name = 'started-calls';

function startedWrite({ messageId, callIds }: StartedCalls): RunWrite {
  return { type: 'value', name, value: { messageId, callIds } };
}

/** Calls of this answer that were started; empty where none was, or where another answer's were the last. */
export async function readStarted(
  store: SessionStore,
  sessionId: string,
  messageId: string,
): Promise<ReadonlySet<string>> {
  const { messageId: of, callIds } = fieldsOf(await store.value(sessionId, name));
  if (of !== messageId || !Array.isArray(callIds)) return new Set();
  return new Set(callIds.filter((callId) => typeof callId === 'string'));
}

interface StoredResult {
  /** Its place in the history, which decides the order of results that are stored at the same time. */
  readonly ordinal: number;
  /** As it is sent, its media in it. */
  readonly message: SessionMessage;
}

/** Stores one result as a message of its own and tells it. */
export async function storeResult(
  { options: { store, ids }, context, writer, sessionId, runId }: RunContext,
  result: CallResult,
): Promise<StoredResult> {
  const { callId, name, truncated, sanitized, isCancelled, durationMs, data } = result;
  const content = await keepMedia(result.content, (bytes, mediaType) =>
    store.attachments.keep(sessionId, bytes, mediaType),
  );
  const isError = result.state === 'error';
  const id = ids.nextId('message');
  const part = { type: 'result', callId, name, ...(isError ? { isError } : {}) } as const;
  const message: SessionMessage = { id, role: 'tool', parts: [{ ...part, content }] };
  const { messages } = await writer.commit(
    {
      type: 'message',
      message,
      marks: [{ isTruncated: truncated, isCancelled }],
    },
    {
      type: 'event',
      event: newEvent(
        'llm:tool-result',
        {
          toolName: name,
          callId,
          success: !isError,
          truncated,
          sanitized,
          content: emittedContent(content),
          messageId: id,
          isCancelled,
          durationMs,
          ...(data === undefined ? {} : { rawResult: data }),
        },
        { runId, ends: outputKey(callId) },
      ),
    },
  );
  // What is sent now is what will be sent after a restart, to the byte.
  const ordinal = messages.find((stored) => stored.id === id)?.ordinal ?? 0;
  return { ordinal, message: await context.hydrate(message) };
}

/** Names the live output of one call in the journal. */
function outputKey(callId: string): string {
  return `output:${callId}`;
}

/** How much of one text of a result an event tells: enough to look at; the history has the whole. */
const emittedLimits = { maxOutputChars: 8_000 };
const emittedNotes = { hint: ' of this event', isOnOwnLine: true };

/**
 * What an event tells of a result: long texts at head and tail, so that a journal is not a second history. The same list
 * where nothing is long.
 */
export function emittedContent(content: readonly ResultContent[]): readonly ResultContent[] {
  if (content.every((piece) => piece.type !== 'text' || isWithinLimits(piece.text, emittedLimits)))
    return content;
  return content.map((piece) =>
    piece.type === 'text'
      ? { ...piece, text: truncateOutput(piece.text, emittedLimits, emittedNotes) }
      : piece,
  );
}
