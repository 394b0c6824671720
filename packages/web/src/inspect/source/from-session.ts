import { findModel, mediaPricings, openTranscript, parseState } from '@throughline/core';
import { agentCodec, upgradeCheckpoint } from '@throughline/core/internal';
import { namedPasses } from './named-passes.ts';
import type { Checkpoint } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import type {
  CompactionRecord,
  HistoryMessage,
  SessionSetup,
  TracePage,
  TraceStep,
} from '@throughline/protocol/types';
import type { Inspected, InspectedPass, InspectedSetup, InspectedStep, StepUsage } from '../inspected.ts';

/** What the API tells of a session, every page of it. */
interface SessionParts {
  readonly title: string;
  readonly setup: SessionSetup;
  /** The whole history; its order does not matter. */
  readonly messages: readonly HistoryMessage[];
  readonly changes: readonly CompactionRecord[];
  readonly trace: readonly TracePage[];
}

/**
 * A session as the inspector looks at it. What the engine has stored is read by the engine.
 *
 * @throws {ContextError} `bad-state` where state or checkpoints are those of a newer version.
 */
export function fromSession({ title, setup, messages, changes, trace }: SessionParts): Inspected {
  const inOrder = messages.toSorted((a, b) => a.ordinal - b.ordinal);
  const media = findModel(setup.model)?.entry.media;
  const transcript = openTranscript(
    {
      codec: agentCodec,
      system: setup.system,
      tools: setup.tools,
      ...(media && { media: mediaPricings[media] }),
    },
    inOrder.map(toSessionMessage),
  );
  return {
    source: 'session',
    title,
    transcript,
    state: parseState(setup.state),
    passes: namedPasses(changes.map(toPass)),
    steps: trace.flatMap(({ runs }) => runs).flatMap(({ steps }) => steps.flatMap(toStep)),
    setup: toSetup(setup),
  };
}

/** A message as it is stored: what the page knows beside it is not part of the history. */
function toSessionMessage(message: HistoryMessage): SessionMessage {
  const { id, role, parts, finishReason, usage, meta } = message;
  return {
    id,
    role,
    parts,
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
    ...(meta !== undefined && { meta }),
  };
}

function toPass(record: CompactionRecord, index: number): Omit<InspectedPass, 'kind' | 'name'> {
  const { id, parent, reason, strategy, tokensBefore, tokensAfter, summary, createdAtMs } = record;
  const { isInForce, canUndo, canRedo } = record;
  const checkpoint = upgradeCheckpoint(record.checkpoint) as Checkpoint;
  const number = index + 1;
  return {
    id,
    number,
    parent,
    reason,
    strategy,
    tokensBefore,
    tokensAfter,
    summary,
    createdAtMs,
    isInForce,
    canUndo,
    canRedo,
    checkpoint,
  };
}

/** Steps of earlier versions say nothing of the history that they had: they cannot be made anew. */
function toStep({
  seq,
  provider,
  model,
  context,
  startedAtMs,
  durationMs,
  usage,
}: TraceStep): InspectedStep[] {
  if (!context) return [];
  return [{ seq, ...context, provider, model, startedAtMs, durationMs, usage: usage && toUsage(usage) }];
}

function toUsage({ input, output, cacheRead, cacheWrite }: NonNullable<TraceStep['usage']>): StepUsage {
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
}

function toSetup(setup: SessionSetup): InspectedSetup {
  const { model, codec: format, system, tools, pins, strategy, trigger, isAutomatic, budget } = setup;
  const { windowTokens, usableTokens, triggerTokens, pricing, hasRecall } = setup;
  return {
    model,
    format,
    system,
    tools,
    pins,
    strategy,
    trigger,
    isAutomatic,
    budget,
    windowTokens,
    usableTokens,
    triggerTokens,
    pricing,
    hasRecall,
    isWindowKnown: true,
  };
}
