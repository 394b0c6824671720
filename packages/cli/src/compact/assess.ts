import { validate } from '@throughline/core';
import { budgetOf, entryText, isRangeChange, visitNames, visitTexts } from '@throughline/core/internal';
import { compareWeights, weighView } from './weigh-view.ts';
import type { ContextState, Entry, Transcript } from '@throughline/core';
import type { RenderedMessage } from '@throughline/core/types';
import type { Compaction, FactCount, SummaryFacts, Words } from './compaction.ts';
import type { SessionHistory } from './history.ts';
import type { ShownView, WeighedView } from './weigh-view.ts';
import type { WindowChoice } from '../reading/find-window.ts';

type Assessment = Pick<
  Compaction,
  'messages' | 'byCategory' | 'validity' | 'facts' | 'task' | 'latestRequest' | 'round' | 'summary'
>;

/** What became of the messages, checked on what would be sent and not on what the engine says of itself. */
export function assess({ transcript, inForce }: SessionHistory, after: ShownView): Assessment {
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

const bareNumber = /^[\d.]+$/;

/**
 * How many of the facts of the messages that are no longer shown as they were can still be read somewhere in what
 * would be sent. A plain check over the texts; it knows nothing of how the summary was made.
 */
function countFacts(
  { conversation }: Transcript,
  rendered: readonly RenderedMessage<unknown>[],
  after: WeighedView,
): FactCount {
  const whole = new Set(
    rendered.flatMap(({ ordinal, isEdited }) => (isEdited || ordinal === undefined ? [] : [ordinal])),
  );
  const mentions = new Map<string, number>();
  for (const entry of conversation.entries) {
    if (whole.has(entry.ordinal)) continue;
    for (const fact of factsOf(entry)) mentions.set(fact, (mentions.get(fact) ?? 0) + 1);
  }
  const shown = new Set<string>();
  for (const entry of after.transcript.conversation.entries) {
    for (const fact of factsOf(entry)) shown.add(fact);
  }
  const named = [...mentions];
  const often = named.filter(([, times]) => times > 1);
  const kept = (facts: readonly (readonly [string, number])[]): number =>
    facts.filter(([fact]) => shown.has(fact)).length;
  return { named: named.length, kept: kept(named), namedOften: often.length, keptOften: kept(often) };
}

function factsOf(entry: Entry): string[] {
  const facts: string[] = [];
  visitTexts(entry, (text) => {
    visitNames(text, (name) => {
      if (!bareNumber.test(name)) facts.push(name);
    });
  });
  return facts;
}

/** Whether a user's message, named by its position in the history, can still be read in full in what would be sent. */
function checkWords(
  { conversation }: Transcript,
  position: number,
  rendered: readonly RenderedMessage<unknown>[],
  after: WeighedView,
): Words {
  const entry = conversation.entries.at(position);
  if (!entry) return 'none';
  const own = rendered.filter(({ ordinal }) => ordinal === entry.ordinal);
  if (own.some(({ isEdited }) => !isEdited)) return 'verbatim';
  const text = entryText(entry);
  if (text !== '') {
    for (const shown of after.transcript.conversation.entries) {
      if (shown.parts.some((part) => part.type === 'text' && part.text.includes(text))) return 'verbatim';
    }
  }
  return own.length > 0 ? 'truncated' : 'missing';
}
