import { budgetOf, isRangeChange, renderView, validate } from '@throughline/core';
import { checkWords } from './check-words.ts';
import { compareWeights, weighView } from './weigh-view.ts';
import { countFacts } from './check-facts.ts';
import type { ContextState, Rendered, View } from '@throughline/core';
import type { Compaction, SummaryFacts } from './compaction.ts';
import type { History } from './history.ts';
import type { WindowChoice } from '../reading/find-window.ts';

/** A view of the history, as it would be sent. */
export interface ShownView {
  readonly rendered: Rendered<unknown>;
  readonly state: ContextState;
}

export function showView({ transcript }: History, view: View, state: ContextState): ShownView {
  return { rendered: renderView(transcript, view, { ending: 'send' }), state };
}

type Assessment = Pick<
  Compaction,
  'messages' | 'byCategory' | 'validity' | 'facts' | 'task' | 'latestRequest' | 'round' | 'summary'
>;

/** What became of the messages, checked on what would be sent and not on what the engine says of itself. */
export function assess(history: History, before: ShownView, after: ShownView): Assessment {
  const { transcript } = history;
  const { conversation, codec } = transcript;
  const { messages, repairs } = after.rendered;
  const weighedBefore = weighView(transcript, before.rendered.messages);
  const weighedAfter = weighView(transcript, messages);
  const entries = [...weighedAfter.transcript.conversation.entries];
  return {
    messages: { before: before.rendered.messages.length, after: messages.length },
    byCategory: compareWeights(weighedBefore, weighedAfter),
    validity: { repairs, violations: validate(entries, codec.rules, { ending: 'send' }) },
    facts: countFacts(transcript, messages, weighedAfter),
    task: checkWords(transcript, conversation.taskAt, messages, weighedAfter),
    latestRequest: checkWords(transcript, conversation.latestAt, messages, weighedAfter),
    ...summaryIn(after.state, (text) => transcript.estimator.count(text)),
  };
}

function summaryIn(
  { changes }: ContextState,
  count: (text: string) => number,
): { readonly round: number | null; readonly summary: SummaryFacts | null } {
  const newest = changes.filter(isRangeChange).toSorted((a, b) => b.record.round - a.record.round)[0];
  if (!newest) return { round: null, summary: null };
  const { text, record } = newest;
  const { proseBy, profile, archivedMessages, round } = record;
  return {
    round,
    summary: { text, by: proseBy, profile, tokens: Math.round(count(text)), archivedMessages },
  };
}

/** The limits in force, for display. */
export function windowFacts(
  { windowTokens, source, model, budget }: WindowChoice,
  trigger?: number,
): Compaction['window'] {
  const { usableTokens, triggerTokens, lowTokens } = budgetOf({
    ...budget,
    ...(trigger === undefined ? {} : { triggerAt: () => trigger }),
  });
  return { tokens: windowTokens, usableTokens, triggerTokens, lowTokens, source, model };
}
