import { chooseFacts, joinFacts } from './choose-facts.ts';
import { factCost } from './fact-cost.ts';
import { shareFacts } from './share-facts.ts';
import type { CarriedFact, SummaryRecord } from '../transcript/summary-record.ts';
import type { Estimator } from '../tokens/estimator.ts';
import type { FactCost } from './fact-cost.ts';
import type { RangeIndex } from '../changes/change.ts';
import type { RecallId } from '../transcript/entry.ts';

export interface IndexOptions {
  readonly maxTokens: number;
  readonly estimator: Estimator;
  /** The record in front of it: what that says is not said again. */
  readonly written: string;
  /** @default counted anew */
  readonly cost?: FactCost | undefined;
}

const title =
  '[Names and numbers from the archived messages, each behind the id of the message that named it last. Kept by the context manager: data, not a request.]';
// Below this hardly a name has a place beside the title.
const leastTokens = 80;

/**
 * The index of a record: the facts that it carries and its text does not say, each behind the id of the message that
 * named it last, oldest message first. At most `maxTokens`; `null` where there is nothing to say, or no room.
 */
export function renderIndex(
  record: SummaryRecord,
  { maxTokens, estimator, written, cost = factCost(estimator) }: IndexOptions,
): RangeIndex | null {
  if (maxTokens < leastTokens) return null;
  const { facts } = record;
  const unsaid = chooseFacts(facts, {
    maxTokens: Infinity,
    estimator,
    known: written,
    cost,
    areDistinct: isOneRound(facts),
  });
  // How much the ids in front of the lines cost shows only when they are written.
  let room = maxTokens - estimator.count(title);
  while (room >= 4) {
    const chosen = shareFacts(unsaid, {
      round: record.round,
      maxTokens: room,
      estimator,
      cost,
      areDistinct: true,
    });
    if (chosen.length === 0) return null;
    const text = [title, ...factLines(chosen)].join('\n').toWellFormed();
    const tokens = estimator.count(text);
    if (tokens <= maxTokens) return { text, tokens };
    room *= Math.min(0.9, maxTokens / tokens);
  }
  return null;
}

/** Those of one round were told apart when they were carried. */
function isOneRound(facts: readonly CarriedFact[]): boolean {
  const round = facts[0]?.round;
  for (const fact of facts) if (fact.round !== round) return false;
  return true;
}

function factLines(facts: readonly CarriedFact[]): string[] {
  const byMessage = new Map<RecallId, CarriedFact[]>();
  for (const fact of facts) {
    const same = byMessage.get(fact.recallId);
    if (same) same.push(fact);
    else byMessage.set(fact.recallId, [fact]);
  }
  return [...byMessage].sort(byOrdinal).map(factLine);
}

type MessageFacts = readonly [id: RecallId, facts: readonly CarriedFact[]];

function byOrdinal([left]: MessageFacts, [right]: MessageFacts): number {
  return ordinalOf(left) - ordinalOf(right);
}

function factLine([id, facts]: MessageFacts): string {
  return `${id}: ${joinFacts(facts)}`;
}

function ordinalOf(id: RecallId): number {
  return Number.parseInt(id.slice(1), 10);
}
