import { emptyState, openTranscript, parseState } from '@throughline/core';
import { agentCodec } from '@throughline/core/internal';
import { toSessionMessage } from './from-session.ts';
import type { Change } from '@throughline/core/types';
import type { Checkpoint, ContextState } from '@throughline/core';
import type {
  ContextUsage,
  HistoryMessage,
  ProxyCompactionRecord,
  ProxyConversation,
} from '@throughline/protocol/types';
import type { Inspected, InspectedPass, InspectedSetup, InspectedStep } from '../inspected.ts';

/** What the API tells of a proxied conversation, every page of it. */
export interface ConversationParts {
  readonly conversation: ProxyConversation;
  /** The whole history; its order does not matter. */
  readonly messages: readonly HistoryMessage[];
  readonly changes: readonly ProxyCompactionRecord[];
  readonly context: ContextUsage;
}

/**
 * A conversation that a client has through a proxy. Its system text and tools are the client's and are not stored, and
 * neither is which requests were sent: a step is one before each answer that the history holds.
 *
 * @throws {ContextError} `bad-state` where a state is that of a newer version.
 */
export function fromConversation({ conversation, messages, changes, context }: ConversationParts): Inspected {
  const inOrder = messages.toSorted((a, b) => a.ordinal - b.ordinal);
  const transcript = openTranscript({ codec: agentCodec }, inOrder.map(toSessionMessage));
  const states = changes.map(({ state }) => parseState(state));
  const passes = changes.map((record, index) => toPass(record, index, states));
  const head = passes.at(-1)?.id ?? null;
  return {
    source: 'conversation',
    title: conversation.title,
    transcript,
    state: { ...(states.at(-1) ?? emptyState()), head },
    passes,
    steps: stepsOf(inOrder, passes, conversation.model),
    setup: setupOf(conversation, context),
  };
}

/** A proxy stores what each pass ended with; what it came with is the difference to the one before. */
function toPass(
  record: ProxyCompactionRecord,
  index: number,
  states: readonly ContextState[],
): InspectedPass {
  const before = states[index - 1] ?? emptyState();
  const after = states[index] ?? before;
  const { tokensBefore, tokensAfter, summary, createdAtMs, messageCount, isInForce } = record;
  const id = idOf(index);
  const parent = index === 0 ? null : idOf(index - 1);
  const shared = {
    id,
    parent,
    reason: 'preflight',
    strategy: record.action,
    tokensBefore,
    tokensAfter,
  } as const;
  const checkpoint: Checkpoint = {
    ...shared,
    changes: without(after.changes, before.changes),
    retired: without(before.changes, after.changes),
    truncation: before.truncation,
    historyEnd: messageCount,
  };
  return {
    ...shared,
    number: index + 1,
    summary,
    createdAtMs,
    // Each stands on the one before it.
    isInForce: true,
    canUndo: isInForce,
    canRedo: false,
    checkpoint,
  };
}

const idOf = (index: number): string => `pass ${index + 1}`;

function without(changes: readonly Change[], others: readonly Change[]): readonly Change[] {
  const known = new Set(others.map(keyOf));
  return changes.filter((change) => !known.has(keyOf(change)));
}

function keyOf({ type, anchor, recallId, afterTokens }: Change): string {
  return `${type} ${recallId} ${anchor.fingerprint} ${afterTokens}`;
}

function stepsOf(
  messages: readonly HistoryMessage[],
  passes: readonly InspectedPass[],
  model: string,
): readonly InspectedStep[] {
  return messages.flatMap(({ role, ordinal }, at): InspectedStep[] => {
    if (role !== 'assistant' || at === 0) return [];
    const head = passes.findLast(({ checkpoint }) => checkpoint.historyEnd <= ordinal)?.id ?? null;
    const unknown = { seq: null, provider: null, startedAtMs: null, durationMs: null, usage: null };
    return [{ ...unknown, historyLength: ordinal, head, model }];
  });
}

function setupOf(
  { model }: ProxyConversation,
  { windowTokens, limit: usableTokens, triggerTokens }: ContextUsage,
): InspectedSetup {
  return {
    model,
    format: agentCodec.name,
    system: '',
    tools: [],
    pins: [],
    strategy: 'reactive-overflow',
    trigger: 'overflow',
    isAutomatic: true,
    budget: { windowTokens },
    windowTokens,
    usableTokens,
    triggerTokens,
    isWindowKnown: true,
    pricing: null,
    hasRecall: false,
  };
}
