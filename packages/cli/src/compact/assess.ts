import { budgetOf, isRangeChange, validate } from '@throughline/core';
import { checkWords } from './check-words.ts';
import { compareWeights, weighView } from './weigh-view.ts';
import { countFacts } from './check-facts.ts';
import type { ContextState } from '@throughline/core';
import type { Compaction, SummaryFacts } from './compaction.ts';
import type { History } from './history.ts';
import type { ShownView } from './show-view.ts';
import type { WindowChoice } from '../reading/find-window.ts';

type Assessment = Pick<
  Compaction,
  'messages' | 'byCategory' | 'validity' | 'facts' | 'task' | 'latestRequest' | 'round' | 'summary'
>;

/** What became of the messages, checked on what would be sent and not on what the engine says of itself. */
export function assess({ transcript, inForce }: History, after: ShownView): Assessment {
  const { conversation, codec } = transcript;
  const { messages, repairs } = after.rendered;
  const weighedAfter = weighView(transcript, messages);
  const entries = [...weighedAfter.transcript.conversation.entries];
  return {
    messages: { before: inForce.transcript.conversation.entries.length, after: messages.length },
    byCategory: compareWeights(inForce, weighedAfter),
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
  const newest = changes.filter(isRangeChange).toSorted((a, b) => b.summary.round - a.summary.round)[0];
  if (!newest) return { round: null, summary: null };
  const { text, summary } = newest;
  const { proseBy, profile, archivedMessages, round } = summary;
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
  const { usableTokens, triggerTokens, targetTokens } = budgetOf({
    ...budget,
    ...(trigger === undefined ? {} : { triggerAt: () => trigger }),
  });
  return { tokens: windowTokens, usableTokens, triggerTokens, targetTokens, source, model };
}
