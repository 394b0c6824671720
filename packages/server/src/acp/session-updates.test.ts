import { describe, expect, it } from 'vitest';
import { UpdateMapper } from './session-updates.ts';
import type { AgentEvent, AgentEvents, AgentEventType } from '@throughline/agent';
import type { ClientAbilities } from './acp-places.ts';

let seq = 0;

function event<Type extends AgentEventType>(type: Type, data: AgentEvents[Type]): AgentEvent {
  seq += 1;
  // A type and its data belong together.
  return { seq, type, data, runId: 'run_1', atMs: 0 } as unknown as AgentEvent;
}

const all: ClientAbilities = { showsCompactions: true, showsNotices: true };
const few: ClientAbilities = { showsCompactions: false, showsNotices: false };

function updatesOf(events: readonly AgentEvent[], abilities = all): readonly object[] {
  const mapper = new UpdateMapper({ folder: '/home/me', abilities });
  return events.flatMap((one) => mapper.updatesOf(one));
}

const chunk = (content: string, more: Partial<AgentEvents['llm:chunk']> = {}): AgentEvent =>
  event('llm:chunk', { chunkType: 'text', content, messageId: 'm1', part: 0, ...more });

const call = (toolName: string, args: AgentEvents['llm:tool-call']['args'], callId = 'c1'): AgentEvent =>
  event('llm:tool-call', { toolName, args, callId });

const result = (
  toolName: string,
  text: string,
  more: Partial<AgentEvents['llm:tool-result']> = {},
): AgentEvent =>
  event('llm:tool-result', {
    toolName,
    callId: 'c1',
    success: true,
    truncated: false,
    sanitized: false,
    content: [{ type: 'text', text }],
    messageId: 'm2',
    isCancelled: false,
    durationMs: 1,
    ...more,
  });

const said = (text: string): object => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  messageId: 'm1',
});

const started = (): AgentEvent =>
  event('compaction:start', { tokensBefore: 900, modelLimit: 1_000, reason: 'overflow' });

const compressed = (summary: string | null): AgentEvent =>
  event('context:compressed', {
    checkpointId: 'c1',
    strategy: 'reactive-overflow',
    reason: 'overflow',
    round: 1,
    originalTokens: 900,
    compressedTokens: 400,
    originalMessages: 9,
    compressedMessages: 4,
    messagesCompacted: 5,
    wasPruned: false,
    wasSummarized: summary !== null,
    durationMs: 1,
    cost: null,
    summary,
  });

describe('the updates of an event', () => {
  it.each<readonly [string, readonly AgentEvent[], readonly object[]]>([
    ['pieces of a text', [chunk('a'), chunk('b')], [said('a'), said('b')]],
    [
      'the whole behind its pieces',
      [chunk('a'), chunk('abc', { isComplete: true })],
      [said('a'), said('bc')],
    ],
    ['the whole that nobody was told of', [chunk('abc', { isComplete: true })], [said('abc')]],
    ['the whole that was told', [chunk('abc'), chunk('abc', { isComplete: true })], [said('abc')]],
    [
      'reasoning',
      [chunk('hm', { chunkType: 'reasoning' })],
      [{ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' }, messageId: 'm1' }],
    ],
    [
      'a read',
      [call('read', { path: 'a.ts', offset: 10, limit: 5 })],
      [
        {
          sessionUpdate: 'tool_call',
          toolCallId: 'c1',
          name: 'read',
          title: 'Read a.ts, lines 10–14',
          kind: 'read',
          status: 'pending',
          rawInput: { path: 'a.ts', offset: 10, limit: 5 },
          locations: [{ path: '/home/me/a.ts', line: 10 }],
        },
      ],
    ],
    [
      'a change',
      [call('edit', { path: 'a.ts', oldText: 'a', newText: 'b' }), result('edit', 'Edited a.ts at line 1.')],
      [
        expect.objectContaining({
          kind: 'edit',
          content: [{ type: 'diff', path: '/home/me/a.ts', oldText: 'a', newText: 'b' }],
        }),
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 'c1',
          status: 'completed',
          content: [{ type: 'diff', path: '/home/me/a.ts', oldText: 'a', newText: 'b' }],
        },
      ],
    ],
    [
      'a change that failed',
      [
        call('edit', { path: 'a.ts', oldText: 'a', newText: 'b' }),
        result('edit', 'oldText is not in a.ts', { success: false }),
      ],
      [
        expect.anything(),
        {
          sessionUpdate: 'tool_call_update',
          toolCallId: 'c1',
          status: 'failed',
          content: [{ type: 'content', content: { type: 'text', text: 'oldText is not in a.ts' } }],
        },
      ],
    ],
    [
      'output of a command, all of it each time',
      [
        call('bash', { command: 'make\nmake install' }),
        event('tool:output', { callId: 'c1', toolName: 'bash', delta: 'one ' }),
        event('tool:output', { callId: 'c1', toolName: 'bash', delta: 'two' }),
      ],
      [
        expect.objectContaining({ title: '`make…`', kind: 'execute' }),
        expect.objectContaining({ content: [{ type: 'content', content: { type: 'text', text: 'one ' } }] }),
        expect.objectContaining({
          content: [{ type: 'content', content: { type: 'text', text: 'one two' } }],
        }),
      ],
    ],
    [
      'a call under an id that was used before',
      [call('glob', { pattern: '*' }), result('glob', 'a.ts'), call('glob', { pattern: '*' })],
      [
        expect.objectContaining({ toolCallId: 'c1' }),
        expect.objectContaining({ toolCallId: 'c1', status: 'completed' }),
        expect.objectContaining({ toolCallId: 'c1~2' }),
      ],
    ],
    [
      'a tool of a server',
      [call('files__list', { path: 'x' })],
      [expect.objectContaining({ title: 'files__list', kind: 'other', locations: [] })],
    ],
    [
      'a title',
      [event('session:updated', { title: 'A title' })],
      [{ sessionUpdate: 'session_info_update', title: 'A title' }],
    ],
  ])('tell %s', (_, events, updates) => {
    expect(updatesOf(events)).toEqual(updates);
  });

  it('tell a compaction that fails and one that is cancelled', () => {
    const failure = event('compaction:error', {
      error: { code: 'driver-failed', message: 'no answer' },
      canRetry: true,
      suggestNewSession: false,
    });
    const [begun, failed] = updatesOf([started(), failure]);
    expect(begun).toMatchObject({ status: 'in_progress' });
    expect(failed).toMatchObject({ ...begun, status: 'failed', error: 'no answer' });
    const cancelled = [started(), event('compaction:cancelled', { reason: 'manual' })];
    expect(updatesOf(cancelled)[1]).toMatchObject({ status: 'cancelled' });
    expect(updatesOf(cancelled, few)[1]).toMatchObject({
      sessionUpdate: 'tool_call_update',
      status: 'failed',
    });
  });

  it('tell a compaction that was prepared beforehand at once', () => {
    expect(updatesOf([compressed('What was done.')])).toEqual([
      {
        sessionUpdate: 'compaction_update',
        compactionId: expect.stringMatching(/^compaction_\d+$/),
        status: 'completed',
        summary: [{ type: 'text', text: 'What was done.' }],
      },
    ]);
    expect(updatesOf([compressed(null)], few)).toMatchObject([
      {
        sessionUpdate: 'tool_call',
        title: 'Context compacted: 900 → 400 tokens',
        status: 'completed',
        content: [],
      },
    ]);
  });

  it('tell a notice only to an editor that knows notices, and what matters to any other in words', () => {
    const retry = event('llm:retry', {
      attempt: 2,
      nextAt: 1,
      reason: { kind: 'provider', message: 'overloaded', recoverable: true },
    });
    const unsupported = event('llm:unsupported-input', {
      errors: ['The model takes no images.'],
      provider: 'demo',
      model: 'demo',
      fileType: 'image/png',
      details: null,
    });
    expect(updatesOf([retry, unsupported])).toMatchObject([
      { sessionUpdate: 'notice', severity: 'info', description: 'overloaded' },
      { sessionUpdate: 'notice', severity: 'warning', title: 'demo does not take image/png' },
    ]);
    expect(updatesOf([retry, unsupported], few)).toMatchObject([
      {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: '\n\n*demo does not take image/png: The model takes no images.*\n\n' },
      },
    ]);
  });

  it('are none for an event of a version to come', () => {
    const strange = { seq: 1, type: 'llm:dreams', data: {}, runId: null, atMs: 0 } as unknown as AgentEvent;
    expect(updatesOf([strange])).toEqual([]);
  });
});
