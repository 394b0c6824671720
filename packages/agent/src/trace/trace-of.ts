import type { StoredEvent } from '@throughline/ports';
import type * as contract from '@throughline/protocol/types';
import type { AgentEvents, AgentEventType, StepRecord } from '@throughline/protocol/types';

/** One page of a session's trace. */
export interface TraceQuery {
  /** `next` of the page before. @default the beginning */
  readonly after?: number;
  /** Steps of a page. @default 50 */
  readonly limit?: number;
}

const noteTypes = [
  'llm:retry',
  'llm:error',
  'llm:switched',
  'context:overflow',
  'context:pruned',
  'context:repaired',
  'context:warning',
  'context:compressed',
  'compaction:error',
  'compaction:cancelled',
  'compaction:undone',
  'compaction:redone',
  'message:dequeued',
  'approval:requested',
  'approval:resolved',
] as const satisfies readonly AgentEventType[];

/** An event that says why something went as it did, with its data. */
export type TraceNote = {
  readonly [Type in (typeof noteTypes)[number]]: {
    readonly type: Type;
    readonly seq: number;
    readonly atMs: number;
    readonly data: AgentEvents[Type];
  };
}[(typeof noteTypes)[number]];

/** The runs of one page, oldest first. */
export type TracePage = contract.TracePage<TraceNote>;
/** A run, as far as it is on this page. */
export type TraceRun = contract.TraceRun<TraceNote>;
/** One request of a model and what came of it. */
export type TraceStep = contract.TraceStep<TraceNote>;

type Open<Value> = { -readonly [Field in keyof Value]: Value[Field] };
type OpenStep = Open<Omit<TraceStep, 'calls' | 'notes'>> & {
  calls: Open<contract.TraceCall>[];
  notes: TraceNote[];
};
type OpenRun = Open<Omit<TraceRun, 'steps' | 'notes'>> & { steps: OpenStep[]; notes: TraceNote[] };

/** The trace as it grows, event by event. */
interface Trace {
  readonly runs: OpenRun[];
  run: OpenRun | undefined;
  step: OpenStep | undefined;
}

function contextOf({ historyLength, head, systemHash, toolsHash }: StepRecord): contract.StepContext {
  return {
    historyLength,
    head,
    ...(systemHash !== undefined && { systemHash }),
    ...(toolsHash !== undefined && { toolsHash }),
  };
}

type Handlers = {
  readonly [Type in AgentEventType]?: (trace: Trace, data: AgentEvents[Type], event: StoredEvent) => void;
};

const handlers: Handlers = {
  'run:start': (trace, { runId }, { atMs }) => void openRun(trace, runId, atMs),
  'run:end': (trace, { runId, outcome, durationMs }) => {
    const run = trace.runs.findLast((one) => one.runId === runId) ?? openRun(trace, runId, null);
    Object.assign(run, { outcome, durationMs });
    trace.run = undefined;
    trace.step = undefined;
  },
  'step:start': (trace, { step, provider, model, request }, { seq, atMs, runId }) => {
    const context = request ? contextOf(request) : null;
    const begun = {
      seq,
      step,
      provider,
      model,
      startedAtMs: atMs,
      context,
      calls: [],
      notes: [],
      ...notEnded,
    };
    runOf(trace, runId).steps.push(begun);
    trace.step = begun;
  },
  'step:end': ({ step: open }, { finish, usage, durationMs, firstTokenMs }) => {
    if (open) Object.assign(open, { finish, usage, durationMs, firstTokenMs });
  },
  'llm:response': ({ step }, { messageId }) => {
    if (step) step.messageId = messageId;
  },
  'llm:tool-call': ({ step }, { callId, toolName }, { atMs }) => {
    const open = { success: null, isCancelled: false, isTruncated: false, durationMs: null, messageId: null };
    step?.calls.push({ callId, toolName, startedAtMs: atMs, ...open });
  },
  'llm:tool-result': (trace, { callId, success, truncated, isCancelled, durationMs, messageId }) => {
    const call = callOf(trace, callId);
    if (call) Object.assign(call, { success, isTruncated: truncated, isCancelled, durationMs, messageId });
  },
};

const notEnded = { finish: null, usage: null, durationMs: null, firstTokenMs: null, messageId: null };

/**
 * What stored events say of a session: its runs, their steps, the calls of each, and why something went as it did. It
 * ends before a step or run once there are `limit` steps, so that a step is never on two pages.
 */
export function traceOf(events: readonly StoredEvent[], { limit }: { readonly limit: number }): TracePage {
  const trace: Trace = { runs: [], run: undefined, step: undefined };
  let steps = 0;
  for (const [index, event] of events.entries()) {
    const begins = event.type === 'step:start' || event.type === 'run:start';
    if (begins && steps >= limit) return { runs: trace.runs, next: events[index - 1]?.seq ?? 0 };
    if (event.type === 'step:start') steps += 1;
    take(trace, event);
  }
  return { runs: trace.runs, next: null };
}

function take(trace: Trace, event: StoredEvent): void {
  const handle = handlers[event.type as AgentEventType] as
    | ((trace: Trace, data: unknown, event: StoredEvent) => void)
    | undefined;
  handle?.(trace, event.data, event);
  if (!isNote(event)) return;
  const { type, seq, atMs, data } = event;
  const note = { type, seq, atMs, data } as unknown as TraceNote;
  placeOf(trace, note, event.runId).notes.push(note);
}

/** A question belongs to the step whose call it is of: whoever asks and answers is no part of the run, which goes on behind it. */
function placeOf(trace: Trace, note: TraceNote, runId: string | null): OpenRun | OpenStep {
  if ('request' in note.data) {
    const asking = stepOf(trace, note.data.request.callId);
    if (asking) return asking;
  }
  if (runId === null) return outside(trace);
  return trace.step && runId === trace.run?.runId ? trace.step : runOf(trace, runId);
}

function isNote({ type }: StoredEvent): boolean {
  return (noteTypes as readonly string[]).includes(type);
}

function addRun({ runs }: Trace, runId: string | null, startedAtMs: number | null): OpenRun {
  const run: OpenRun = { runId, startedAtMs, outcome: null, durationMs: null, steps: [], notes: [] };
  runs.push(run);
  return run;
}

/** What is done by hand is told behind the run that is under way, and does not end it. */
function outside(trace: Trace): OpenRun {
  const last = trace.runs.at(-1);
  return last?.runId === null ? last : addRun(trace, null, null);
}

function openRun(trace: Trace, runId: string | null, startedAtMs: number | null): OpenRun {
  const run = addRun(trace, runId, startedAtMs);
  trace.run = run;
  trace.step = undefined;
  return run;
}

/** The run that an event tells of; one that began on a page before goes on here. */
function runOf(trace: Trace, runId: string | null): OpenRun {
  if (trace.run?.runId === runId) return trace.run;
  return openRun(trace, runId, null);
}

function stepOf({ runs }: Trace, callId: string): OpenStep | undefined {
  for (const { steps } of runs.toReversed()) {
    const step = steps.findLast(({ calls }) => calls.some((call) => call.callId === callId));
    if (step) return step;
  }
  return undefined;
}

function callOf(trace: Trace, callId: string): Open<contract.TraceCall> | undefined {
  return stepOf(trace, callId)?.calls.findLast((call) => call.callId === callId);
}
