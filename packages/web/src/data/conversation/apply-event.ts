import { outcomeTrouble } from './trouble.ts';
import { shownMessages } from './history.ts';
import { withEndedRun } from './ended-runs.ts';
import type { AgentEvent, AgentEvents, AgentEventType, Compaction, PassCost } from '@throughline/client';
import type { Activity, ConversationState, LiveCall, LivePart, Stale } from './state.ts';

interface Applied {
  readonly state: ConversationState;
  readonly stale: readonly Stale[];
}

type EventOf<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;
type Row<Type extends AgentEventType> = (
  state: ConversationState,
  event: EventOf<Type>,
) => { readonly set?: Partial<ConversationState>; readonly stale?: readonly Stale[]; readonly say?: string };

type Rows = { readonly [Type in AgentEventType]: Row<Type> };

const mostOutput = 20_000;
const nothing = {};
const idle: Activity = { type: 'idle' };

/** What a page shows after an event. Events that were applied before change nothing that they did not change then. */
export function applyEvent(state: ConversationState, event: AgentEvent): Applied {
  const row = rows[event.type] as Row<AgentEventType> | undefined;
  const { set = nothing, stale = [], say } = row?.(state, event) ?? {};
  const announcement = say === undefined ? state.announcement : { seq: event.seq, text: say };
  return { state: { ...state, ...set, announcement }, stale };
}

const rows: Rows = {
  'run:start': (_, { atMs }) => ({
    set: { activity: { type: 'thinking', sinceMs: atMs }, trouble: null, lastOutcome: null },
    stale: ['session', 'history'],
    say: 'The agent has started.',
  }),
  'run:end': (state, { seq, atMs, data }) => ({
    set: {
      ...settled(state),
      calls: endedCalls(state.calls),
      activity: idle,
      lastOutcome: data.outcome,
      endedRuns: withEndedRun(state.endedRuns, data, atMs),
      trouble: outcomeTrouble(data.outcome, seq),
      runningCompaction: null,
    },
    stale: ['history', 'queue', 'session', 'usage', 'approvals'],
    say: data.outcome.type === 'completed' ? 'The agent has finished.' : 'The agent has stopped.',
  }),
  'step:start': (state, { atMs }) => ({
    set: {
      ...settled(state),
      activity: { type: 'thinking', sinceMs: atMs },
      // The model is asked again: that it did not answer before is over.
      trouble: state.trouble?.type === 'model' ? null : state.trouble,
    },
  }),
  'step:end': () => ({ stale: ['history'] }),
  'llm:thinking': (_, { atMs }) => ({ set: { activity: { type: 'thinking', sinceMs: atMs } } }),
  'llm:chunk': applyChunk,
  'llm:response': () => ({ stale: ['history'] }),
  'llm:tool-call': (state, { atMs, data: { callId, toolName } }) => ({
    set: { calls: withCall(state, callId, { toolName, startedAtMs: atMs }) },
    stale: ['history'],
  }),
  'tool:state': (state, { atMs, data: { callId, toolName, state: now } }) => ({
    set: {
      calls: withCall(state, callId, {
        toolName,
        state: now,
        ...(now === 'running' && { startedAtMs: atMs }),
      }),
      ...(now === 'running' && { activity: { type: 'tool', toolName, sinceMs: atMs } }),
    },
    ...(now === 'running' && { say: `Runs ${toolName}.` }),
  }),
  'tool:output': (state, { data: { callId, toolName, delta } }) => ({
    set: {
      calls: withCall(state, callId, {
        toolName,
        output: `${state.calls[callId]?.output ?? ''}${delta}`.slice(-mostOutput),
      }),
    },
  }),
  'llm:tool-result': (state, { atMs, data: { callId, toolName, success, isCancelled, durationMs } }) => ({
    set: {
      calls: withCall(state, callId, {
        toolName,
        state: isCancelled ? 'cancelled' : success ? 'completed' : 'error',
        durationMs,
      }),
      activity: { type: 'thinking', sinceMs: atMs },
    },
    stale: ['history'],
  }),
  'llm:error': (_, { seq, data: { error, recoverable, context } }) => ({
    set: {
      trouble: {
        seq,
        type: context === 'summary' ? 'compaction' : 'model',
        title: context === 'summary' ? 'The summary could not be written' : 'The model did not answer',
        detail: error.message,
        canRetry: recoverable,
        suggestsNewSession: false,
      },
    },
  }),
  'llm:retry': (_, { data: { attempt, nextAt, reason } }) => ({
    set: { activity: { type: 'retrying', attempt, nextAtMs: nextAt, reason: reason.message } },
  }),
  'llm:switched': (_, { data: { newConfig } }) => ({
    stale: ['session', 'usage'],
    say: `The model is now ${newConfig.model}.`,
  }),
  'llm:unsupported-input': (_, { seq, data: { errors, model } }) => ({
    set: {
      trouble: {
        seq,
        type: 'model',
        title: `${model} cannot read this`,
        detail: errors.join(' '),
        canRetry: false,
        suggestsNewSession: false,
      },
    },
  }),
  'message:queued': (_, { data: { position } }) => ({
    stale: ['queue'],
    say: `The message is queued at place ${position}.`,
  }),
  'message:updated': () => ({ stale: ['queue'] }),
  'message:removed': () => ({ stale: ['queue'] }),
  'message:moved': () => ({ stale: ['queue'] }),
  'message:dequeued': ({ sent }, { data: { ids } }) => ({
    set: { sent: sent.filter(({ messageId }) => !ids.includes(messageId)) },
    stale: ['queue', 'history'],
  }),
  'context:usage': (_, { data }) => ({ set: { usage: data } }),
  'context:overflow': () => nothing,
  'context:pruned': () => ({ stale: ['history'] }),
  'context:repaired': () => nothing,
  'context:warning': () => nothing,
  'compaction:start': (_, { atMs, data: { reason, tokensBefore } }) => ({
    set: { runningCompaction: { reason, tokensBefore, phase: null, progress: 0, startedAtMs: atMs } },
    say: 'Makes room in the context.',
  }),
  'compaction:phase': ({ runningCompaction: running }, { data: { phase, progress } }) => ({
    set: { runningCompaction: running && { ...running, phase, progress } },
  }),
  'context:compressed': (state, { data }) => ({
    set: { runningCompaction: null, compactions: withCard(state.compactions, data) },
    stale: ['compactions', 'usage', 'history', 'session'],
    say: `The context was compacted from ${data.originalTokens} to ${data.compressedTokens} tokens.`,
  }),
  'compaction:error': (_, { seq, data: { error, canRetry, suggestNewSession } }) => ({
    set: {
      runningCompaction: null,
      trouble: {
        seq,
        type: 'compaction',
        title: 'The context could not be compacted',
        detail: error.message,
        canRetry,
        suggestsNewSession: suggestNewSession,
      },
    },
  }),
  'compaction:cancelled': () => ({ set: { runningCompaction: null } }),
  'compaction:undone': () => ({
    stale: ['compactions', 'usage', 'history'],
    say: 'The compaction was taken back.',
  }),
  'compaction:redone': () => ({
    stale: ['compactions', 'usage', 'history'],
    say: 'The compaction is in force again.',
  }),
  'message:pinned': () => ({ stale: ['pins', 'usage'] }),
  'approval:requested': (_, { atMs, data: { request } }) => ({
    set: { activity: { type: 'waiting', sinceMs: atMs } },
    stale: ['approvals'],
    say: `${request.toolName} waits for your answer.`,
  }),
  'approval:resolved': (_, { atMs }) => ({
    set: { activity: { type: 'thinking', sinceMs: atMs } },
    stale: ['approvals'],
  }),
  'session:updated': ({ session }, { data: { title } }) => ({ set: { session: { ...session, title } } }),
};

/** What was written stays where it is until the history has it. */
function settled(state: ConversationState): Pick<ConversationState, 'messages' | 'answer'> {
  return { messages: shownMessages(state), answer: null };
}

function applyChunk(
  state: ConversationState,
  { atMs, data: { messageId, part, content, chunkType, isComplete } }: EventOf<'llm:chunk'>,
): ReturnType<Row<'llm:chunk'>> {
  const { answer } = state;
  const isSame = answer?.messageId === messageId;
  const before = isSame ? answer.parts : {};
  const text = isComplete === true ? content : `${before[part]?.text ?? ''}${content}`;
  const piece: LivePart = { type: chunkType, text, isComplete: isComplete === true };
  const type = chunkType === 'text' ? 'writing' : 'thinking';
  return {
    set: {
      ...(!isSame && settled(state)),
      answer: { messageId, parts: { ...before, [part]: piece } },
      activity: { type, sinceMs: atMs },
    },
  };
}

function withCall(
  { calls }: ConversationState,
  callId: string,
  change: Partial<LiveCall> & { readonly toolName: string },
): ConversationState['calls'] {
  const known = calls[callId] ?? { state: 'pending', output: '', startedAtMs: 0, durationMs: null };
  return { ...calls, [callId]: { ...known, ...change } };
}

/** No call outlives its run. */
function endedCalls(calls: ConversationState['calls']): ConversationState['calls'] {
  const ended = Object.entries(calls).map(([callId, call]): [string, LiveCall] => {
    const isOpen = call.state === 'pending' || call.state === 'running';
    return [callId, isOpen ? { ...call, state: 'cancelled' } : call];
  });
  return Object.fromEntries(ended);
}

/** The list, which is fetched next, says the rest. */
function withCard(
  cards: ConversationState['compactions'],
  data: AgentEvents['context:compressed'],
): ConversationState['compactions'] {
  if (cards.some(({ id }) => id === data.checkpointId)) return cards;
  const { durationMs, messagesCompacted } = data;
  const card: Compaction = {
    id: data.checkpointId,
    parent: cards.findLast(({ isInForce }) => isInForce)?.id ?? null,
    reason: data.reason,
    strategy: data.strategy,
    tokensBefore: data.originalTokens,
    tokensAfter: data.compressedTokens,
    round: data.round,
    summary: data.summary,
    range: null,
    cost: { durationMs, messagesCompacted, model: null, usd: data.cost as PassCost | null },
    createdAtMs: Date.now(),
    isInForce: true,
    canUndo: false,
    canRedo: false,
  };
  return [...cards, card];
}
