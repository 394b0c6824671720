import { codecNamed } from '@throughline/importers/text';
import {
  createStrategy,
  emptyState,
  findModel,
  openTranscript,
  parseState,
  pricingOf,
  recordUsage,
} from '@throughline/core';
import { answerStarts } from './answer-starts.ts';
import { replay, strategyNames } from '@throughline/core/internal';
import { taskTitle } from './task-title.ts';
import { namedPasses } from './named-passes.ts';
import type { Change } from '@throughline/core/types';
import type { Checkpoint, ContextState, Transcript } from '@throughline/core';
import type {
  ContextUsage,
  ProxyCompactionRecord,
  ProxyConversation,
  ProxyHistory,
} from '@throughline/protocol/types';
import type { Inspected, InspectedPass, InspectedSetup, InspectedStep } from '../inspected.ts';

/** What the API tells of a proxied conversation. */
interface ConversationParts {
  readonly conversation: ProxyConversation;
  readonly history: ProxyHistory;
  readonly changes: readonly ProxyCompactionRecord[];
  readonly context: ContextUsage;
  /** That of its route. @default that of a route which says nothing else */
  readonly strategy?: string;
  /** Conversations of the same client: the one that it parted from, and those that parted from it. */
  readonly related?: readonly ProxyConversation[];
}

const usualStrategy = 'reactive-overflow';

/**
 * A conversation that a client has through a proxy, with the instructions and tools that it sent last. Which requests were
 * sent is not stored: a step is one before each answer that the history holds, and the newest request.
 *
 * @throws {ContextError} `bad-state` where a state is that of a newer version.
 */
export function fromConversation(parts: ConversationParts): Inspected {
  const { conversation, history, changes, related = [] } = parts;
  const codec = codecNamed(history.format);
  if (!codec) throw new TypeError(`Nothing here reads messages of the format ${history.format}.`);
  const transcript = openTranscript({ codec, ...history.instructions }, history.messages);
  const states = changes.map(({ state }) => parseState(state));
  const strategy = strategyNames.find((name) => name === parts.strategy) ?? usualStrategy;
  const passes = namedPasses(changes.map((record, index) => toPass(record, { index, states, strategy })));
  const head = passes.at(-1)?.id ?? null;
  return {
    source: 'conversation',
    title: taskTitle(transcript.conversation.entries) ?? conversation.title,
    transcript,
    state: { ...countedState(parts, transcript, states.at(-1) ?? emptyState()), head },
    passes,
    steps: stepsOf(parts, passes, transcript),
    setup: setupOf(parts, strategy),
    before: related.find(({ id }) => id === conversation.parentId)?.id ?? null,
    after: related.filter(({ parentId }) => parentId === conversation.id).map(({ id }) => id),
  };
}

/** What the upstream has counted for the newest request says what the next one comes to. */
function countedState(
  { conversation: { lastUsage }, context: { windowTokens } }: ConversationParts,
  transcript: Transcript,
  state: ContextState,
): ContextState {
  if (!lastUsage) return state;
  const { view } = replay(transcript.conversation, state.changes);
  const { inputTokens } = lastUsage;
  return recordUsage(transcript, { ...state, sentTokens: view.tokens }, { inputTokens, windowTokens });
}

interface Around {
  readonly index: number;
  readonly states: readonly ContextState[];
  readonly strategy: string;
}

/** A proxy stores what each pass ended with; what it came with is the difference to the one before. */
function toPass(
  record: ProxyCompactionRecord,
  { index, states, strategy }: Around,
): Omit<InspectedPass, 'kind' | 'name'> {
  const before = states[index - 1] ?? emptyState();
  const after = states[index] ?? before;
  const { tokensBefore, tokensAfter, summary, createdAtMs, messageCount, isInForce } = record;
  const id = idOf(index);
  const parent = index === 0 ? null : idOf(index - 1);
  // Which of the two it was is the rule of the strategy: it is not stored.
  const reason = createStrategy(strategy).trigger === 'threshold' ? 'threshold' : 'preflight';
  const shared = { id, parent, strategy, tokensBefore, tokensAfter } as const;
  const checkpoint: Checkpoint = {
    ...shared,
    reason,
    changes: without(after.changes, before.changes),
    retired: without(before.changes, after.changes),
    truncation: before.truncation,
    historyEnd: messageCount,
  };
  return {
    ...shared,
    // No pass was made over the ladder: what is too long is truncated before it is sent at all.
    reason: record.checkpointId === null && record.action === 'truncated' ? 'at-source' : reason,
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

/** What a client adds comes with its next request: the message in front of an answer says when that was. */
function stepsOf(
  { conversation: { model, lastUsage }, history: { timesMs } }: ConversationParts,
  passes: readonly InspectedPass[],
  { conversation: { entries } }: Transcript,
): readonly InspectedStep[] {
  const starts = answerStarts(entries).filter((start) => start > 0);
  // What a client sends is a request, also before its answer comes back with the next one.
  const isAsked = entries.length > 0 && entries.at(entries.length - 1)?.role !== 'assistant';
  const lengths = isAsked ? [...starts, entries.length] : starts;
  return lengths.map((historyLength, at): InspectedStep => {
    const isNewest = isAsked && at === lengths.length - 1;
    return {
      seq: null,
      historyLength,
      head: passes.findLast(({ checkpoint }) => checkpoint.historyEnd <= historyLength)?.id ?? null,
      provider: null,
      model,
      startedAtMs: timesMs[historyLength - 1] ?? null,
      durationMs: null,
      usage: isNewest && lastUsage ? { ...lastUsage, cacheReadTokens: null, cacheWriteTokens: null } : null,
    };
  });
}

function setupOf(
  { conversation: { model }, history: { format, instructions }, context }: ConversationParts,
  strategy: string,
): InspectedSetup {
  const { windowTokens, limit: usableTokens, triggerTokens } = context;
  const entry = findModel(model)?.entry;
  return {
    model,
    format,
    system: instructions?.system ?? '',
    tools: instructions?.tools ?? [],
    pins: [],
    strategy,
    trigger: createStrategy(strategy).trigger,
    isAutomatic: true,
    budget: { windowTokens },
    windowTokens,
    usableTokens,
    triggerTokens,
    isWindowKnown: true,
    pricing: (entry && pricingOf(entry)) ?? null,
    hasRecall: false,
  };
}
