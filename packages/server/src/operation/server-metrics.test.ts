import { createServerMetrics } from './server-metrics.ts';
import { createAgent } from '@throughline/agent';
import { expect, it } from 'vitest';
import { openMemoryStore } from '@throughline/stores';
import { scriptedModelDriver } from '@throughline/testkit';
import type { FleetState, SessionStore } from '@throughline/ports';
import type { AgentEvent } from '@throughline/agent';

type Listener = (sessionId: string, event: AgentEvent) => void;
type Told = {
  readonly [Type in AgentEvent['type']]: Pick<Extract<AgentEvent, { type: Type }>, 'type' | 'data'>;
}[AgentEvent['type']];

const usage = { input: 100, output: 20, reasoning: 5, cacheRead: 60, cacheWrite: 7, total: 120 };
const overflow = { kind: 'overflow', message: 'too large', recoverable: true } as const;

const told: readonly Told[] = [
  { type: 'run:start', data: { runId: 'r', isResumed: true } },
  { type: 'step:end', data: { step: 1, finish: 'stop', usage, durationMs: 1_500, firstTokenMs: 300 } },
  { type: 'step:end', data: { step: 2, finish: 'stop', usage: null, durationMs: 1_500, firstTokenMs: null } },
  {
    type: 'context:compressed',
    data: {
      checkpointId: 'c',
      strategy: 'reactive-overflow',
      reason: 'threshold',
      round: 1,
      originalTokens: 900,
      compressedTokens: 200,
      originalMessages: 9,
      compressedMessages: 2,
      messagesCompacted: 7,
      wasPruned: false,
      wasSummarized: true,
      durationMs: 10,
      cost: null,
      summary: 'A secret',
    },
  },
  {
    type: 'compaction:error',
    data: { error: { code: 'driver-failed', message: 'A secret' }, canRetry: true, suggestNewSession: false },
  },
  { type: 'llm:retry', data: { attempt: 1, nextAt: 0, reason: overflow } },
  {
    type: 'llm:error',
    data: { error: { code: 'auth', message: 'A secret' }, context: 'step', recoverable: false },
  },
  {
    type: 'llm:error',
    data: { error: { code: 'A secret?', message: '' }, context: 'step', recoverable: false },
  },
  {
    type: 'run:end',
    data: {
      runId: 'r',
      outcome: { type: 'broken', code: 'store-failed', message: 'A secret' },
      durationMs: 1,
    },
  },
];

it('makes numbers of what sessions tell and of what waits, and labels of nothing that was said', async () => {
  await using store = await openMemoryStore();
  await using agent = createAgent({ driver: scriptedModelDriver([]), store });
  await agent.stop();
  const session = await agent.create();
  await session.send('One');
  await session.send('Two');
  const listeners: Listener[] = [];
  using metrics = createServerMetrics({
    agent: {
      store,
      busyCount: 3,
      subscribe: (listener) => {
        listeners.push(listener);
        return { [Symbol.dispose]() {} };
      },
    },
    readers: () => 4,
    version: '1.2.3',
    nodeName: 'one',
  });
  for (const [index, event] of told.entries())
    for (const listener of listeners)
      listener('session_secret', { seq: index + 1, runId: 'r', atMs: 0, ...event } as AgentEvent);
  const text = await metrics.text();
  for (const line of [
    'throughline_queued_messages 2',
    'throughline_busy_sessions 3',
    'throughline_build_info{version="1.2.3",node="one"} 1',
    'throughline_event_subscribers 4',
    'throughline_runs_started_total{resumed="true"} 1',
    'throughline_runs_ended_total{outcome="broken"} 1',
    'throughline_store_errors_total{code="store-failed"} 1',
    'throughline_step_duration_seconds_sum 3',
    'throughline_first_token_seconds_count 1',
    'throughline_tokens_total{kind="input"} 100',
    'throughline_tokens_total{kind="output"} 20',
    'throughline_tokens_total{kind="reasoning"} 5',
    'throughline_tokens_total{kind="cache-read"} 60',
    'throughline_tokens_total{kind="cache-write"} 7',
    'throughline_compactions_total{reason="threshold"} 1',
    'throughline_compaction_saved_tokens_total{reason="threshold"} 700',
    'throughline_compaction_errors_total{code="driver-failed"} 1',
    'throughline_model_retries_total{kind="overflow"} 1',
    'throughline_model_errors_total{code="auth"} 1',
    'throughline_model_errors_total{code="other"} 1',
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(text).not.toContain('secret');
});

it('tells of the processes on one store where the store knows them, and says nothing else of them', async () => {
  const inbox = { waiting: (): Promise<never> => Promise.reject(new Error('Nothing waits.')) };
  const journal = { unfinished: (): Promise<readonly []> => Promise.resolve([]) };
  const fleet = (): Promise<FleetState> =>
    Promise.resolve({
      nodes: 3,
      hasCrashDetector: true,
      leasedSessions: 7,
      connections: { busy: 2, idle: 4, wanted: 1 },
    });
  const textOf = async (store: object): Promise<string> => {
    const agent = {
      store: store as SessionStore,
      busyCount: 0,
      subscribe: () => ({ [Symbol.dispose]() {} }),
    };
    using metrics = createServerMetrics({ agent, readers: () => 0, version: '1', nodeName: 'one' });
    return await metrics.text();
  };
  const text = await textOf({ inbox, journal, fleet });
  for (const line of [
    'throughline_fleet_nodes 3',
    'throughline_fleet_leased_sessions 7',
    'throughline_crash_detector 1',
    'throughline_store_connections{state="busy"} 2',
    'throughline_store_connections{state="idle"} 4',
    'throughline_store_connections{state="wanted"} 1',
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(await textOf({ inbox, journal })).not.toMatch(/^throughline_(fleet|crash|store_conn)/m);
});
