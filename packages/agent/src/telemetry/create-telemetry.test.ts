import * as openTelemetry from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noTokens } from '../view/context-usage-of.ts';
import { createTelemetry, logLineOf } from './create-telemetry.ts';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { AgentEvent, AgentEvents, AgentEventType } from '@throughline/protocol/types';
import type { LogFields, Logger, Telemetry, TelemetryOptions } from './create-telemetry.ts';
import type { TelemetryApi } from './meters.ts';

const startMs = Date.UTC(2026, 10, 21);
const contexts = new AsyncLocalStorageContextManager().enable();

beforeAll(() => {
  openTelemetry.context.setGlobalContextManager(contexts);
});
afterAll(() => openTelemetry.context.disable());

/** Everything real but the network: what was told is read back from memory. */
class Bench {
  readonly telemetry: Telemetry;
  readonly #spans = new InMemorySpanExporter();
  readonly #numbers = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #meters: MeterProvider;
  readonly api: TelemetryApi;
  readonly tracing: TracerProvider;
  #seq = 0;

  constructor(options: Omit<TelemetryOptions, 'api'> = {}) {
    const reader = new PeriodicExportingMetricReader({
      exporter: this.#numbers,
      exportIntervalMillis: 3_600_000,
    });
    this.#meters = new MeterProvider({ readers: [reader] });
    this.tracing = new TracerProvider({
      spanProcessors: [new SimpleSpanProcessor({ exporter: this.#spans })],
    });
    this.api = {
      ...openTelemetry,
      trace: {
        getTracer: (name) => this.tracing.getTracer(name),
        setSpan: (context, span) => openTelemetry.trace.setSpan(context, span),
      },
      metrics: { getMeter: (name) => this.#meters.getMeter(name) },
    };
    this.telemetry = createTelemetry({ api: this.api, ...options });
  }

  /** Tells an event of a session, `atMs` after the beginning of all. */
  tell<Type extends AgentEventType>(
    at: { readonly session?: string; readonly run?: string | null; readonly atMs: number },
    type: Type,
    data: AgentEvents[Type],
  ): void {
    const { session = 's1', run = `run of ${session}`, atMs } = at;
    this.#seq += 1;
    const event = { seq: this.#seq, type, data, runId: run, atMs: startMs + atMs };
    this.telemetry.observe(session, event as unknown as AgentEvent);
  }

  spans(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  span(name: string, session = 's1'): ReadableSpan {
    const found = this.spans().filter(
      (span) => span.name === name && span.attributes['gen_ai.conversation.id'] === session,
    );
    if (found.length !== 1) throw new Error(`expected one span "${name}", got ${found.length}`);
    return found[0]!;
  }

  /** Names from the root to the span. */
  path(span: ReadableSpan): readonly string[] {
    const parent = this.spans().find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId);
    return [...(parent ? this.path(parent) : []), span.name];
  }

  async points(name: string): Promise<readonly { readonly attributes: object; readonly value: unknown }[]> {
    this.#numbers.reset();
    await this.#meters.forceFlush();
    const metrics = this.#numbers
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
    const found = metrics.find(({ descriptor }) => descriptor.name === name);
    return (found?.dataPoints ?? []).map(({ attributes, value }) => ({
      attributes,
      value: typeof value === 'object' && 'sum' in value ? { sum: value.sum, count: value.count } : value,
    }));
  }
}

const usage = { input: 100, output: 20, reasoning: 5, cacheRead: 60, cacheWrite: 10, total: 120 };

function fullness(currentTokens: number): AgentEvents['context:usage'] {
  return {
    currentTokens,
    limit: 1_000,
    windowTokens: 1_200,
    triggerTokens: 900,
    percentUsed: currentTokens / 10,
    level: 'ok',
    byCategory: { ...noTokens(), user: currentTokens },
    estimated: true,
  };
}

function stepEnd(
  step: number,
  finish: AgentEvents['step:end']['finish'],
  durationMs = 300,
): AgentEvents['step:end'] {
  return { step, finish, usage, durationMs, firstTokenMs: 80 };
}

function toolResult(
  callId: string,
  more: Partial<AgentEvents['llm:tool-result']> = {},
): AgentEvents['llm:tool-result'] {
  return {
    toolName: 'read',
    callId,
    success: true,
    truncated: false,
    sanitized: false,
    content: [{ type: 'text', text: 'the secret of the file' }],
    messageId: 'm1',
    isCancelled: false,
    durationMs: 40,
    ...more,
  };
}

const compressed: AgentEvents['context:compressed'] = {
  checkpointId: 'c1',
  strategy: 'reactive-overflow',
  reason: 'threshold',
  round: 1,
  originalTokens: 9_000,
  compressedTokens: 3_000,
  originalMessages: 40,
  compressedMessages: 8,
  messagesCompacted: 32,
  wasPruned: true,
  wasSummarized: true,
  durationMs: 50,
  cost: null,
  summary: 'the secret of the summary',
};

const model = { provider: 'mistral', model: 'large-1' };

/** A run of two steps with one call and one compaction between them; it takes 2 s. */
function tellRun(bench: Bench, session = 's1', fromMs = 0): void {
  const at = (atMs: number): { session: string; atMs: number } => ({ session, atMs: fromMs + atMs });
  const run = `run of ${session}`;
  bench.tell(at(0), 'run:start', { runId: run, isResumed: false });
  bench.tell(at(100), 'step:start', { step: 1, ...model });
  bench.tell(at(150), 'llm:chunk', { chunkType: 'text', content: 'a secret', messageId: 'm', part: 0 });
  bench.tell(at(380), 'llm:tool-call', { toolName: 'read', args: { path: 'secret.txt' }, callId: 't1' });
  bench.tell(at(390), 'llm:response', { messageId: 'm', content: 'a secret', ...model, tokenUsage: usage });
  bench.tell(at(400), 'step:end', stepEnd(1, 'tool-calls'));
  bench.tell(at(410), 'context:usage', fullness(500));
  bench.tell(at(420), 'tool:state', { callId: 't1', toolName: 'read', state: 'pending' });
  bench.tell(at(500), 'tool:state', { callId: 't1', toolName: 'read', state: 'running' });
  bench.tell(at(541), 'tool:state', { callId: 't1', toolName: 'read', state: 'completed' });
  bench.tell(at(560), 'llm:tool-result', toolResult('t1'));
  bench.tell(at(570), 'context:usage', fullness(700));
  bench.tell(at(600), 'context:pruned', { prunedCount: 2, savedTokens: 300, prunedTools: ['read'] });
  bench.tell(at(600), 'compaction:start', { tokensBefore: 9_000, modelLimit: 9_500, reason: 'threshold' });
  bench.tell(at(900), 'context:compressed', compressed);
  bench.tell(at(1_000), 'step:start', { step: 2, ...model });
  bench.tell(at(1_500), 'step:end', stepEnd(2, 'stop', 500));
  bench.tell(at(2_000), 'run:end', {
    runId: run,
    outcome: { type: 'completed', finish: 'stop' },
    durationMs: 2_000,
  });
}

function timesOf({ startTime, endTime }: ReadableSpan): readonly number[] {
  return [startTime, endTime].map(([seconds, nanos]) => seconds * 1_000 + nanos / 1_000_000 - startMs);
}

describe('spans', () => {
  it('nest: the run, its steps, their model calls and tools; a compaction stands below the run', () => {
    const bench = new Bench();
    tellRun(bench);
    expect(
      bench
        .spans()
        .map((span) => bench.path(span).join(' > '))
        .toSorted(),
    ).toEqual([
      'invoke_agent',
      'invoke_agent > compact_context',
      'invoke_agent > step',
      'invoke_agent > step',
      'invoke_agent > step > chat large-1',
      'invoke_agent > step > chat large-1',
      'invoke_agent > step > execute_tool read',
    ]);
    const traces = new Set(bench.spans().map((span) => span.spanContext().traceId));
    expect(traces.size).toBe(1);
  });

  it('last as long as what they stand for', () => {
    const bench = new Bench();
    tellRun(bench);
    expect(timesOf(bench.span('invoke_agent'))).toEqual([0, 2_000]);
    expect(timesOf(bench.span('compact_context'))).toEqual([600, 900]);
    expect(timesOf(bench.span('execute_tool read'))).toEqual([500, 540]);
    const [first, second] = bench.spans().filter(({ name }) => name === 'step');
    expect([timesOf(first!), timesOf(second!)]).toEqual([
      [100, 540],
      [1_000, 1_500],
    ]);
    const calls = bench.spans().filter(({ name }) => name.startsWith('chat'));
    expect(calls.map(timesOf)).toEqual([
      [100, 400],
      [1_000, 1_500],
    ]);
  });

  it('carry the attributes of the conventions', () => {
    const bench = new Bench({ agentName: 'coder' });
    tellRun(bench);
    expect(bench.span('invoke_agent coder').attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'coder',
      'gen_ai.conversation.id': 's1',
      'gen_ai.usage.input_tokens': 200,
      'gen_ai.usage.output_tokens': 40,
      'throughline.run.id': 'run of s1',
      'throughline.run.resumed': false,
      'throughline.run.outcome': 'completed',
      'throughline.run.steps': 2,
    });
    const call = bench.spans().find(({ name }) => name === 'chat large-1');
    expect(call?.kind).toBe(openTelemetry.SpanKind.CLIENT);
    expect(call?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'mistral_ai',
      'gen_ai.request.model': 'large-1',
      'gen_ai.request.stream': true,
      'gen_ai.conversation.id': 's1',
      'gen_ai.response.model': 'large-1',
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.response.time_to_first_chunk': 0.08,
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.usage.cache_write.input_tokens': 10,
      'gen_ai.usage.cache_creation.input_tokens': 10,
      'gen_ai.usage.reasoning.output_tokens': 5,
    });
    expect(bench.span('execute_tool read').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read',
      'gen_ai.tool.call.id': 't1',
      'gen_ai.tool.type': 'function',
    });
    expect(bench.span('compact_context').attributes).toMatchObject({
      'throughline.compaction.outcome': 'compacted',
      'throughline.compaction.reason': 'threshold',
      'throughline.compaction.tokens_before': 9_000,
      'throughline.compaction.tokens_after': 3_000,
    });
  });

  it('hold nothing of what was said, unless that is asked for', () => {
    const silent = new Bench();
    tellRun(silent);
    const told = (bench: Bench): string =>
      JSON.stringify(bench.spans().map(({ attributes, events, status }) => ({ attributes, events, status })));
    expect(told(silent)).not.toContain('secret');

    const open = new Bench({ capturesContent: true });
    tellRun(open);
    expect(open.span('execute_tool read').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"path":"secret.txt"}',
      'gen_ai.tool.call.result': 'the secret of the file',
    });
    const call = open.spans().find(({ name }) => name === 'chat large-1');
    expect(call?.attributes['gen_ai.output.messages']).toBe(
      JSON.stringify([
        {
          role: 'assistant',
          parts: [
            { type: 'text', content: 'a secret' },
            { type: 'tool_call', id: 't1', name: 'read', arguments: { path: 'secret.txt' } },
          ],
          finish_reason: 'tool_call',
        },
      ]),
    );
    expect(open.span('compact_context').attributes['throughline.compaction.summary']).toContain('secret');
  });

  it('of two sessions whose events alternate do not mix', () => {
    const bench = new Bench();
    const events: (() => void)[][] = ['a', 'b'].map((session) => {
      const told: (() => void)[] = [];
      const recorder = { tell: (...args: Parameters<Bench['tell']>) => told.push(() => bench.tell(...args)) };
      tellRun(recorder as unknown as Bench, session, session === 'a' ? 0 : 7);
      return told;
    });
    for (const [index, first] of events[0]!.entries()) {
      first();
      events[1]![index]!();
    }
    const traceOf = (span: ReadableSpan): string => span.spanContext().traceId;
    for (const session of ['a', 'b']) {
      const own = bench.spans().filter(({ attributes }) => attributes['gen_ai.conversation.id'] === session);
      expect(own).toHaveLength(7);
      expect(new Set(own.map(traceOf)).size).toBe(1);
      expect(bench.path(bench.span('execute_tool read', session))).toHaveLength(3);
    }
    expect(new Set(bench.spans().map(traceOf)).size).toBe(2);
  });

  it('say by their status what has failed', () => {
    const bench = new Bench();
    const failure = { kind: 'auth', message: 'no: "secret"', recoverable: false } as const;
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    bench.tell({ atMs: 10 }, 'step:start', { step: 1, ...model });
    bench.tell({ atMs: 20 }, 'step:end', stepEnd(1, 'tool-calls', 10));
    bench.tell({ atMs: 30 }, 'tool:state', { callId: 't1', toolName: 'read', state: 'running' });
    bench.tell({ atMs: 70 }, 'llm:tool-result', toolResult('t1', { success: false }));
    bench.tell({ atMs: 80 }, 'compaction:error', {
      error: { code: 'cannot-fit', message: 'no' },
      canRetry: false,
      suggestNewSession: true,
    });
    bench.tell({ atMs: 90 }, 'step:start', { step: 2, provider: 'p', model: 'other' });
    bench.tell({ atMs: 95 }, 'llm:error', {
      error: { code: failure.kind, message: failure.message },
      context: 'step',
      recoverable: false,
    });
    bench.tell({ atMs: 99 }, 'run:end', {
      runId: 'run of s1',
      outcome: { type: 'failed', failure },
      durationMs: 99,
    });
    const ERROR = openTelemetry.SpanStatusCode.ERROR;
    const statuses = Object.fromEntries(
      bench.spans().map(({ name, status, attributes }) => [name, [status.code, attributes['error.type']]]),
    );
    expect(statuses).toEqual({
      invoke_agent: [ERROR, 'auth'],
      step: [openTelemetry.SpanStatusCode.UNSET, undefined],
      'chat large-1': [openTelemetry.SpanStatusCode.UNSET, undefined],
      'chat other': [ERROR, 'auth'],
      'execute_tool read': [ERROR, 'tool_error'],
      compact_context: [ERROR, 'cannot-fit'],
    });
    expect(timesOf(bench.span('chat other'))).toEqual([90, 95]);
    expect(JSON.stringify(bench.spans().map(({ status }) => status))).not.toContain('secret');
  });

  it('of a request that is sent again smaller stand in one step', () => {
    const bench = new Bench();
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    bench.tell({ atMs: 10 }, 'step:start', { step: 1, ...model });
    bench.tell({ atMs: 20 }, 'llm:error', {
      error: { code: 'overflow', message: 'too long' },
      context: 'step',
      recoverable: true,
    });
    bench.tell({ atMs: 40 }, 'step:start', { step: 1, ...model });
    bench.tell({ atMs: 90 }, 'step:end', stepEnd(1, 'stop', 50));
    bench.tell({ atMs: 99 }, 'run:end', {
      runId: 'run of s1',
      outcome: { type: 'completed', finish: 'stop' },
      durationMs: 99,
    });
    expect(timesOf(bench.span('step'))).toEqual([10, 90]);
    const calls = bench.spans().filter(({ name }) => name === 'chat large-1');
    expect(calls.map(timesOf)).toEqual([
      [10, 20],
      [40, 90],
    ]);
    expect(calls.map(({ attributes }) => attributes['error.type'])).toEqual(['overflow', undefined]);
  });

  it('of a run that is cancelled end with it, and are no errors', () => {
    const bench = new Bench();
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    bench.tell({ atMs: 10 }, 'step:start', { step: 1, ...model });
    bench.tell({ atMs: 20 }, 'step:end', stepEnd(1, 'tool-calls', 10));
    bench.tell({ atMs: 30 }, 'tool:state', { callId: 't1', toolName: 'bash', state: 'running' });
    bench.tell({ atMs: 60 }, 'run:end', {
      runId: 'run of s1',
      outcome: { type: 'cancelled' },
      durationMs: 60,
    });
    expect(bench.spans().every(({ status }) => status.code === openTelemetry.SpanStatusCode.UNSET)).toBe(
      true,
    );
    expect(timesOf(bench.span('execute_tool bash'))).toEqual([30, 60]);
    expect(bench.span('invoke_agent').attributes['throughline.run.outcome']).toBe('cancelled');
  });

  it('are none for a call that never ran, whatever name the model made up', () => {
    const bench = new Bench();
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    bench.tell({ atMs: 10 }, 'step:start', { step: 1, ...model });
    bench.tell({ atMs: 20 }, 'llm:tool-result', toolResult('t1', { toolName: 'made_up', success: false }));
    bench.telemetry[Symbol.dispose]();
    expect(bench.spans().map(({ name }) => name)).not.toContain('execute_tool made_up');
    expect(bench.span('step').events.map(({ name }) => name)).toEqual(['throughline.tool.not_run']);
  });

  it('of runs whose end never comes are ended: by the next run, by the bound, by the end of all', () => {
    const bench = new Bench({ maxOpenRuns: 3 });
    const begin = (session: string, run: string, atMs: number): void =>
      bench.tell({ session, run, atMs }, 'run:start', { runId: run, isResumed: false });
    begin('a', 'a1', 0);
    begin('a', 'a2', 10);
    expect(bench.spans().map(({ attributes }) => attributes['throughline.run.id'])).toEqual(['a1']);
    begin('b', 'b1', 20);
    begin('c', 'c1', 30);
    // A sign of life.
    bench.tell({ session: 'a', run: 'a2', atMs: 40 }, 'context:usage', fullness(10));
    begin('d', 'd1', 50);
    expect(bench.spans().map(({ attributes }) => attributes['throughline.run.id'])).toEqual(['a1', 'b1']);
    for (let index = 0; index < 1_000; index += 1) begin(`more ${index}`, `m${index}`, 100 + index);
    expect(bench.spans()).toHaveLength(1_002);
    bench.telemetry[Symbol.dispose]();
    expect(bench.spans()).toHaveLength(1_005);
    const outcomes = new Set(bench.spans().map(({ attributes }) => attributes['throughline.run.outcome']));
    expect([...outcomes]).toEqual(['abandoned']);
  });

  it('of a run that was given up last until something was heard of it for the last time', () => {
    const bench = new Bench();
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    bench.tell({ atMs: 10 }, 'step:start', { step: 1, ...model });
    bench.tell({ atMs: 70 }, 'context:usage', fullness(10));
    bench.tell({ run: 'r2', atMs: 9_000_000 }, 'run:start', { runId: 'r2', isResumed: true });
    expect(bench.spans().map(timesOf)).toEqual([
      [10, 70],
      [10, 70],
      [0, 70],
    ]);
  });

  it('belong to the run that their event names, and to no other one', () => {
    const bench = new Bench();
    bench.tell({ run: 'old', atMs: 0 }, 'run:start', { runId: 'old', isResumed: false });
    bench.tell({ run: 'new', atMs: 10 }, 'run:start', { runId: 'new', isResumed: true });
    bench.tell({ run: 'old', atMs: 20 }, 'step:start', { step: 1, ...model });
    bench.tell({ run: 'old', atMs: 30 }, 'run:end', {
      runId: 'old',
      outcome: { type: 'lost' },
      durationMs: 30,
    });
    bench.tell({ run: 'new', atMs: 40 }, 'run:end', {
      runId: 'new',
      outcome: { type: 'completed', finish: 'stop' },
      durationMs: 30,
    });
    const runs = bench.spans().map(({ attributes }) => attributes['throughline.run.outcome']);
    expect(runs).toEqual(['abandoned', 'completed']);
    expect(bench.spans()).toHaveLength(2);
  });

  it('of a compaction outside a run are roots, and last as long as it says', () => {
    const bench = new Bench();
    bench.tell({ run: null, atMs: 500 }, 'compaction:start', {
      tokensBefore: 1,
      modelLimit: 2,
      reason: 'manual',
    });
    bench.tell({ run: null, atMs: 500 }, 'context:compressed', {
      ...compressed,
      reason: 'manual',
      durationMs: 300,
    });
    const span = bench.span('compact_context');
    expect(span.parentSpanContext).toBeUndefined();
    expect(timesOf(span)).toEqual([200, 500]);
  });

  it('take names and texts that are no Unicode', () => {
    const bench = new Bench({ capturesContent: true });
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    bench.tell({ atMs: 10 }, 'step:start', { step: 1, provider: 'p', model: 'm\ud800' });
    bench.tell({ atMs: 20 }, 'llm:response', {
      messageId: 'm',
      content: `\udc00${'😀'.repeat(20_000)}`,
      provider: 'p',
      model: 'm\ud800',
      tokenUsage: null,
    });
    bench.telemetry[Symbol.dispose]();
    const texts = bench.spans().flatMap(({ name, attributes }) => [name, ...Object.values(attributes)]);
    expect(texts.every((text) => typeof text !== 'string' || text.isWellFormed())).toBe(true);
    expect(texts.every((text) => typeof text !== 'string' || text.length <= 16_000)).toBe(true);
  });
});

describe('baggage', () => {
  const baggageNow = (): Record<string, string> =>
    Object.fromEntries(
      (openTelemetry.propagation.getActiveBaggage()?.getAllEntries() ?? []).map(([key, { value }]) => [
        key,
        value,
      ]),
    );
  const ids = { 'gen_ai.conversation.id': 's1', 'throughline.run.id': 'run of s1' };
  const scope = { sessionId: 's1', runId: 'run of s1' };

  it('names session and run to what the work of a run sends, also before its first event', async () => {
    const bench = new Bench();
    const found = await bench.telemetry.within(scope, async () => {
      await Promise.resolve();
      return baggageNow();
    });
    expect(found).toEqual(ids);
    expect(baggageNow()).toEqual({});
  });

  it('comes with the span that is open: the run, the model call, the step, the tool', () => {
    const bench = new Bench();
    const tracer = bench.tracing.getTracer('a library');
    const trace = (name: string, callId?: string): void =>
      bench.telemetry.within({ ...scope, ...(callId === undefined ? {} : { callId }) }, () => {
        expect(baggageNow()).toEqual(ids);
        tracer.startSpan(name).end();
      });
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    trace('in the run');
    bench.tell({ atMs: 10 }, 'step:start', { step: 1, ...model });
    trace('in the call');
    bench.tell({ atMs: 20 }, 'step:end', stepEnd(1, 'tool-calls', 10));
    bench.tell({ atMs: 30 }, 'tool:state', { callId: 't1', toolName: 'read', state: 'running' });
    trace('in the step');
    trace('in the tool', 't1');
    bench.telemetry[Symbol.dispose]();
    const paths = bench
      .spans()
      .flatMap((span) => (span.name.startsWith('in ') ? [bench.path(span).join(' > ')] : []));
    expect(paths).toEqual([
      'invoke_agent > in the run',
      'invoke_agent > step > chat large-1 > in the call',
      'invoke_agent > step > in the step',
      'invoke_agent > step > execute_tool read > in the tool',
    ]);
  });

  it('makes a run of another session part of the work that began it, and one of the same session not', () => {
    const bench = new Bench();
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    bench.telemetry.within(scope, () => {
      bench.tell({ session: 'child', atMs: 5 }, 'run:start', { runId: 'run of child', isResumed: false });
      bench.tell({ run: 'r2', atMs: 10 }, 'run:start', { runId: 'r2', isResumed: false });
    });
    bench.telemetry[Symbol.dispose]();
    expect(bench.path(bench.span('invoke_agent', 'child'))).toHaveLength(2);
    const own = bench.spans().filter(({ attributes }) => attributes['gen_ai.conversation.id'] === 's1');
    expect(own.map((span) => span.parentSpanContext)).toEqual([undefined, undefined]);
  });
});

describe('metrics', () => {
  const call = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'mistral_ai',
    'gen_ai.request.model': 'large-1',
  };

  it('count tokens, durations, compactions and how full the context is, without naming a session', async () => {
    const bench = new Bench({ agentName: 'coder' });
    tellRun(bench);
    const kind = {
      'throughline.compaction.reason': 'threshold',
      'throughline.compaction.strategy': 'reactive-overflow',
    };
    const ended = { ...kind, 'throughline.compaction.outcome': 'compacted' };
    const expected = {
      'gen_ai.client.token.usage': [
        { attributes: { ...call, 'gen_ai.token.type': 'input' }, value: { sum: 200, count: 2 } },
        { attributes: { ...call, 'gen_ai.token.type': 'output' }, value: { sum: 40, count: 2 } },
      ],
      'gen_ai.client.operation.duration': [{ attributes: call, value: { sum: 0.8, count: 2 } }],
      'gen_ai.client.operation.time_to_first_chunk': [{ attributes: call, value: { sum: 0.16, count: 2 } }],
      'gen_ai.invoke_agent.duration': [
        { attributes: { 'gen_ai.agent.name': 'coder' }, value: { sum: 2, count: 1 } },
      ],
      'gen_ai.execute_tool.duration': [
        {
          attributes: { 'gen_ai.tool.name': 'read', 'gen_ai.tool.type': 'function' },
          value: { sum: 0.04, count: 1 },
        },
      ],
      'throughline.compactions': [{ attributes: ended, value: 1 }],
      'throughline.compaction.duration': [{ attributes: ended, value: { sum: 0.3, count: 1 } }],
      'throughline.saved_tokens': [{ attributes: kind, value: 6_000 }],
      'throughline.context.percent': [{ attributes: call, value: { sum: 70, count: 1 } }],
      'throughline.pruned_outputs': [{ attributes: {}, value: 2 }],
    };
    for (const [name, points] of Object.entries(expected))
      expect([name, await bench.points(name)]).toEqual([name, points]);
  });

  it('count overflows and repairs', async () => {
    const bench = new Bench();
    bench.tell({ atMs: 0 }, 'context:overflow', { currentTokens: 12, limit: 10, percentUsed: 120 });
    const repairs = ['call-dropped', 'call-dropped', 'note-added'].map((type) => ({
      type,
      path: 'messages[0]',
    }));
    bench.tell({ atMs: 1 }, 'context:repaired', { repairs });
    expect(await bench.points('throughline.overflows')).toEqual([{ attributes: {}, value: 1 }]);
    expect(await bench.points('throughline.repairs')).toEqual([
      { attributes: { 'throughline.repair.type': 'call-dropped' }, value: 2 },
      { attributes: { 'throughline.repair.type': 'note-added' }, value: 1 },
    ]);
  });

  it('name the error of a call that failed', async () => {
    const bench = new Bench();
    bench.tell({ atMs: 0 }, 'run:start', { runId: 'run of s1', isResumed: false });
    bench.tell({ atMs: 10 }, 'step:start', { step: 1, ...model });
    const error = { code: 'rate', message: 'slow down' };
    bench.tell({ atMs: 260 }, 'llm:error', { error, context: 'step', recoverable: true });
    expect(await bench.points('gen_ai.client.operation.duration')).toEqual([
      { attributes: { ...call, 'error.type': 'rate' }, value: { sum: 0.25, count: 1 } },
    ]);
  });
});

describe('the module of the API itself', () => {
  it('fits, and does nothing where no SDK was started', () => {
    using telemetry = createTelemetry({ api: openTelemetry });
    const start = { runId: 'r1', isResumed: false };
    telemetry.observe('s1', { seq: 1, type: 'run:start', data: start, runId: 'r1', atMs: startMs });
    expect(telemetry.within({ sessionId: 's1', runId: 'r1' }, () => 42)).toBe(42);
  });
});

describe('log lines', () => {
  it('are one per prune, compaction, overflow and repair, with session and run', () => {
    const lines: (readonly [string, LogFields, string])[] = [];
    const logger: Logger = {
      info: (fields, message) => lines.push(['info', fields, message]),
      warn: (fields, message) => lines.push(['warn', fields, message]),
    };
    const bench = new Bench({ logger });
    tellRun(bench);
    bench.tell({ run: null, atMs: 3_000 }, 'context:overflow', {
      currentTokens: 12,
      limit: 10,
      percentUsed: 120,
    });
    bench.tell({ run: null, atMs: 3_000 }, 'context:repaired', { repairs: [] });
    expect(lines.map(([level, { event, sessionId, runId }]) => [level, event, sessionId, runId])).toEqual([
      ['info', 'context:pruned', 's1', 'run of s1'],
      ['info', 'context:compressed', 's1', 'run of s1'],
      ['warn', 'context:overflow', 's1', null],
      ['warn', 'context:repaired', 's1', null],
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('need no OpenTelemetry; and without anything nothing is done', () => {
    const lines: string[] = [];
    const logger: Logger = {
      info: (_, message) => lines.push(message),
      warn: (_, message) => lines.push(message),
    };
    const event = {
      seq: 1,
      type: 'context:overflow',
      data: { currentTokens: 12, limit: 10, percentUsed: 120 },
      runId: null,
      atMs: 0,
    } as const;
    createTelemetry({ logger }).observe('s1', event);
    expect(lines).toEqual(['The request exceeds the context']);
    using idle = createTelemetry();
    idle.observe('s1', event);
    expect(idle.within({ sessionId: 's1', runId: 'r1' }, () => 42)).toBe(42);
  });
});

describe('logLineOf', () => {
  it('says what a prune pruned', () => {
    const data = { prunedCount: 3, savedTokens: 900, prunedTools: ['read'] };
    expect(logLineOf({ type: 'context:pruned', data })).toEqual({
      level: 'info',
      fields: data,
      message: 'Old tool output was pruned',
    });
  });

  it('says what a compaction came to, and nothing of what it wrote', () => {
    const figures = {
      checkpointId: 'c1',
      strategy: 'reactive-overflow',
      reason: 'threshold',
      round: 1,
      originalTokens: 9_000,
      compressedTokens: 3_000,
      originalMessages: 40,
      compressedMessages: 8,
      messagesCompacted: 32,
      wasPruned: true,
      wasSummarized: true,
      durationMs: 12,
      cost: null,
    } as const;
    const data = { ...figures, summary: 'The user has a secret.' };
    const line = logLineOf({ type: 'context:compressed', data });
    expect(line).toMatchObject({ level: 'info', fields: figures });
    expect(JSON.stringify(line)).not.toContain('secret');
  });

  it('warns of a compaction that failed, by its code and not by its message', () => {
    const error = { code: 'provider', message: 'bad request: "my secret"' };
    const data = { error, canRetry: true, suggestNewSession: false };
    expect(logLineOf({ type: 'compaction:error', data })).toEqual({
      level: 'warn',
      fields: { code: 'provider', canRetry: true, suggestNewSession: false },
      message: 'The context could not be compacted',
    });
  });

  it('warns of an overflow', () => {
    const data = { currentTokens: 120, limit: 100, percentUsed: 120 };
    expect(logLineOf({ type: 'context:overflow', data })).toMatchObject({ level: 'warn', fields: data });
  });

  it('warns of repairs in one line, however many there are', () => {
    const repairs = Array.from({ length: 500 }, (_, index) => ({
      type: 'call-dropped',
      path: `messages[${index}]`,
    }));
    const line = logLineOf({ type: 'context:repaired', data: { repairs } });
    expect(line).toMatchObject({ level: 'warn', fields: { count: 500 } });
    expect(line?.fields['repairs']).toHaveLength(20);
  });

  it('is silent about everything else', () => {
    expect(logLineOf({ type: 'llm:thinking', data: { step: 1 } })).toBeUndefined();
    expect(logLineOf({ type: 'run:start', data: { runId: 'r1', isResumed: false } })).toBeUndefined();
  });
});
