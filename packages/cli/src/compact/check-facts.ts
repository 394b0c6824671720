import { visitNames, visitTexts } from '@throughline/core';
import type { Entry, RenderedMessage, Transcript } from '@throughline/core';
import type { FactCount } from './compaction.ts';
import type { WeighedView } from './weigh-view.ts';

const bareNumber = /^[\d.]+$/;

/**
 * How many of the facts of the messages that are no longer shown as they were can still be read somewhere in what
 * would be sent. A plain check over the texts; it knows nothing of how the summary was made.
 */
export function countFacts(
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
