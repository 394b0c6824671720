import { byRole, byTool, findDuplicates, largestItems, listItems, listTurns } from './add-up.ts';
import { createStrategy, emptyState, prepare, prune, renderView } from '@throughline/core';
import {
  agentCodec,
  budgetOf,
  countRequest,
  isRequest,
  measureRequest,
  rememberPlaces,
  replay,
} from '@throughline/core/internal';
import { countedState, exportedState } from '@throughline/importers';
import { compareUsage } from './compare-usage.ts';
import { formatNumber } from '../terminal/numbers.ts';
import { openMessages } from '../reading/open-session.ts';
import { findWindow } from '../reading/find-window.ts';
import { describeLadderStep, whyUnsendable } from '../compact/describe.ts';
import type { Inspection, RoleShare, SessionFacts, ToolShare, TurnShare, WouldFree } from './inspection.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { RecordedSession } from '@throughline/importers';
import type { Policy, Report, Transcript, View } from '@throughline/core';
import type { WindowChoice } from '../reading/find-window.ts';

interface InspectRequest {
  readonly window?: number;
  readonly model?: string;
}

const mostItems = 20;
const mostDuplicates = 20;

/** Where the tokens of one session went. */
export function inspectSession(opened: OpenedSession, request: InspectRequest): Inspection {
  const { file, recording, session, number, estimator } = opened;
  const transcript = transcriptOf(opened);
  const { conversation, systemTokens, toolsTokens } = transcript;
  const { view } = replay(conversation, []);
  const items = listItems(view);
  const unsendable = whyUnsendable(transcript, view);
  const total = countRequest(transcript, view);
  const chosen = findWindow(session, request);
  const { usableTokens } = budgetOf(chosen.budget);
  return {
    file,
    format: recording.format,
    session: factsOf(session, number),
    otherSessions: recording.sessions
      .map((one, index) => factsOf(one, index + 1))
      .filter((one) => one.number !== number),
    recordedCompactions: recording.sessions.filter(({ kind }) => kind === 'archived').length,
    estimator: estimator.name,
    tokens: {
      total,
      system: Math.round(systemTokens),
      tools: Math.round(toolsTokens),
      messages: Math.round(view.tokens),
    },
    window: { tokens: chosen.windowTokens, usableTokens, source: chosen.source, model: chosen.model },
    nextRequest: nextRequestOf(opened, transcript, chosen),
    percentOfUsable: Math.round((total / usableTokens) * 1_000) / 10,
    byRole: byRole(transcript, view, items).map(roundedRole),
    byTool: byTool(items).map(roundedTool),
    turns: listTurns(view).map(rounded<TurnShare>),
    largest: largestItems(items, mostItems).map(rounded),
    duplicates: findDuplicates(items)
      .slice(0, mostDuplicates)
      .map((one) => ({ ...one, repeatedTokens: Math.round(one.repeatedTokens) })),
    usage: compareUsage(transcript, session, chosen.windowTokens),
    wouldFree: whatWouldGo(transcript, view, chosen),
    notes: [
      ...recording.notes,
      ...hiddenNotes(view),
      ...(unsendable === undefined ? [] : [{ note: `For a provider, ${unsendable}.` }]),
    ],
  };
}

/** Our own sessions hold reasoning that is for people alone: as the runtime reads them, it never reaches the model. */
function transcriptOf({ recording, session, estimator, model, transcript }: OpenedSession): Transcript {
  if (recording.format !== 'throughline') return transcript;
  return openMessages({ ...session, codec: agentCodec }, session.messages, { estimator, model });
}

/** Whatever else is in an export belongs to its first session. */
function nextRequestOf(
  { recording, session, number }: OpenedSession,
  transcript: Transcript,
  { budget }: WindowChoice,
): Inspection['nextRequest'] {
  const exported = number === 1 ? exportedState(recording) : undefined;
  const state = exported ?? countedState(session, transcript);
  const isCompacted = state.changes.length > 0;
  if (!isCompacted && !state.usage) return null;
  rememberPlaces(state.changes, transcript.conversation.entries);
  const { view } = replay(transcript.conversation, state.changes);
  const policy = { strategy: createStrategy('reactive-overflow'), budget };
  return {
    tokens: countRequest(transcript, view),
    countedTokens: state.usage && measureRequest({ transcript, view, state, policy }).currentTokens,
    messages: renderView(transcript, view).messages.length,
    isCompacted,
  };
}

function hiddenNotes({ conversation: { barrierAt, tokensBefore } }: View): Inspection['notes'] {
  const hidden = barrierAt > 0 ? Math.round(tokensBefore.at(barrierAt) ?? 0) : 0;
  if (hidden === 0) return [];
  const note = `${formatNumber(hidden)} tokens stand before a compaction that the provider made: they no longer reach the model, and are not counted.`;
  return [{ note }];
}

function factsOf(session: RecordedSession, number: number): SessionFacts {
  const { id, kind, title, model, messages, codec } = session;
  return {
    number,
    id,
    kind,
    title: title ?? null,
    model: model ?? null,
    messages: messages.length,
    turns: messages.filter((message, ordinal) => isRequest(codec.decode(message, ordinal))).length,
  };
}

function rounded<Item extends { readonly tokens: number }>(item: Item): Item {
  return { ...item, tokens: Math.round(item.tokens) };
}

function roundedRole(share: RoleShare): RoleShare {
  return { ...rounded(share), kinds: share.kinds.map(rounded) };
}

function roundedTool(share: ToolShare): ToolShare {
  return {
    ...share,
    callTokens: Math.round(share.callTokens),
    resultTokens: Math.round(share.resultTokens),
  };
}

/** What pruning alone, and a whole compaction without a model, would free now: from real runs of the engine. */
function whatWouldGo(
  transcript: Transcript,
  view: View,
  { budget }: WindowChoice,
): { readonly prune: WouldFree; readonly compact: WouldFree } {
  const policy: Policy = { strategy: createStrategy('reactive-overflow'), budget };
  if (renderView(transcript, view).messages.length === 0) return { prune: nothing, compact: nothing };
  const pruned = prune(transcript, policy);
  const compacted = prepare(transcript, emptyState(), policy, { reason: 'manual' });
  if (compacted.type === 'model-needed') throw new Error('A policy without a summariser asked for a model.');
  return {
    prune: freedBy(pruned.report, false),
    compact: freedBy(compacted.report, compacted.type === 'cannot-fit'),
  };
}

/** What would be freed of a session of which nothing can be sent. */
const nothing: WouldFree = { beforeTokens: 0, afterTokens: 0, freedTokens: 0, steps: [], cannotFit: false };

function freedBy({ tokens, ladderSteps }: Report, cannotFit: boolean): WouldFree {
  return {
    beforeTokens: tokens.before,
    afterTokens: tokens.final,
    freedTokens: Math.max(0, tokens.before - tokens.final),
    steps: ladderSteps.map(describeLadderStep),
    cannotFit,
  };
}
