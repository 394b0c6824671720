import { exchangeAt, newestExchanges, positionOf, tokensAt } from '../transcript/conversation.ts';
import { shownIn } from '../changes/view.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Exchange } from '../transcript/exchange.ts';
import type { StageInput } from './stage-input.ts';

interface RangeReach {
  /** Positions, `[first, cut)`. */
  readonly first: number;
  readonly cut: number;
  /** The exchanges from `first` on that may stay: see `notableExchanges`. */
  readonly notable: readonly Exchange[];
  /** System messages that are said again, and where. */
  readonly repeated: ReadonlyMap<number, number>;
  /** Most that calls without a result may cost; older ones count as interrupted. */
  readonly openTokens: number;
}

/**
 * Positions inside a range that stay in the view as whole exchanges, beside task and latest request: pins, system
 * messages, calls whose result stands behind the range or may yet come, and what one of these makes a pair with. In order.
 * What an earlier compaction has taken does not come back, and counts for nothing.
 */
export function stayingPositions(input: StageInput, reach: RangeReach): number[] {
  const { conversation } = input.view;
  const exchanges = new Set<Exchange>();
  const isShown = shownIn(input.view);
  for (const ordinal of input.pins) {
    const exchange = exchangeAt(conversation, positionOf(conversation, ordinal));
    if (exchange && exchange.first >= reach.first && exchange.end <= reach.cut && isShown(exchange.first))
      exchanges.add(exchange);
  }
  const open: Exchange[] = [];
  for (const exchange of reach.notable) {
    if (exchange.end > reach.cut || !isShown(exchange.first)) continue;
    if (exchange.type === 'system' && !isSaidAgain(reach, exchange.first)) exchanges.add(exchange);
    if (exchange.openCalls.length > 0) open.push(exchange);
  }
  for (const exchange of waitingExchanges(conversation, open, { ...reach, isShown })) exchanges.add(exchange);
  if (open.length > 0) addPartners(conversation, exchanges, { ...reach, isShown });
  return [...exchanges].sort((a, b) => a.first - b.first).flatMap(positionsOf);
}

/**
 * Of equal system messages in a range the newest says it all. One behind the range is no reason to take the last of the
 * range away: the history may be taken back to where the range ends, and then nothing would say it any more.
 */
function isSaidAgain({ repeated, cut }: RangeReach, position: number): boolean {
  return (repeated.get(position) ?? cut) < cut;
}

/** System messages, and exchanges with calls that wait for a result, from a position on; newest first. Few, as a rule. */
export function notableExchanges(conversation: Conversation, first: number): Exchange[] {
  const notable: Exchange[] = [];
  for (const exchange of newestExchanges(conversation)) {
    if (exchange.first < first) break;
    if (exchange.type === 'system' || exchange.openCalls.length > 0) notable.push(exchange);
  }
  return notable;
}

function positionsOf({ first, end }: Exchange): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}

interface ShownReach extends RangeReach {
  readonly isShown: (position: number) => boolean;
}

/** The exchanges with open calls, newest first, that cannot go without making a real result an orphan. */
function waitingExchanges(
  conversation: Conversation,
  open: readonly Exchange[],
  reach: ShownReach,
): Exchange[] {
  if (open.length === 0) return [];
  const late = lateResults(conversation, reach);
  let leftTokens = reach.openTokens;
  return open.filter((exchange) => {
    if (exchange.openCalls.some(({ callId }) => late.behind.has(callId))) return true;
    if (exchange.openCalls.every(({ callId }) => late.inside.has(callId))) return false;
    for (let position = exchange.first; position < exchange.end; position += 1)
      leftTokens -= tokensAt(conversation, position);
    return leftTokens >= 0;
  });
}

/**
 * Adds what stands apart from these exchanges and belongs to them: the call of a result, the result of a call. Where only
 * one half stayed, the result would go as one without a call, and the call would count as interrupted.
 */
function addPartners(conversation: Conversation, exchanges: Set<Exchange>, reach: ShownReach): void {
  const partners = partnersOf(conversation, reach);
  // What is added while the set is gone through is gone through as well.
  for (const exchange of exchanges)
    for (const partner of partners.get(exchange) ?? []) exchanges.add(partner);
}

/** For each exchange of the range, those with the other half of a pair: a result answers the nearest earlier open call. */
function partnersOf(
  conversation: Conversation,
  { first, cut, isShown }: ShownReach,
): ReadonlyMap<Exchange, readonly Exchange[]> {
  const partners = new Map<Exchange, Exchange[]>();
  const link = (one: Exchange, other: Exchange): void => {
    partners.set(one, [...(partners.get(one) ?? []), other]);
  };
  const open = new Map<string, Exchange[]>();
  let exchange = exchangeAt(conversation, first);
  for (; exchange && exchange.end <= cut; exchange = exchangeAt(conversation, exchange.end)) {
    if (!isShown(exchange.first)) continue;
    for (const callId of lateIds(conversation, exchange)) {
      const caller = open.get(callId)?.pop();
      if (!caller) continue;
      link(caller, exchange);
      link(exchange, caller);
    }
    for (const { callId } of exchange.openCalls) open.set(callId, [...(open.get(callId) ?? []), exchange]);
  }
  return partners;
}

/** Ids of the results of an exchange whose call does not stand in front of them in it. */
function lateIds({ entries }: Conversation, { first, end }: Exchange): string[] {
  const callIds = new Set<string>();
  const late: string[] = [];
  for (let position = first; position < end; position += 1) {
    for (const part of entries.at(position)?.parts ?? []) {
      if (part.type === 'call') callIds.add(part.callId);
      else if (part.type === 'result' && !callIds.has(part.callId)) late.push(part.callId);
    }
  }
  return late;
}

/** Calls that a result outside their own exchange answers: inside the range, or behind it. */
function lateResults(
  conversation: Conversation,
  { first, cut, isShown }: ShownReach,
): { inside: Set<string>; behind: Set<string> } {
  const late = { inside: new Set<string>(), behind: new Set<string>() };
  let exchange = exchangeAt(conversation, first);
  for (; exchange; exchange = exchangeAt(conversation, exchange.end)) {
    if (!isShown(exchange.first)) continue;
    const where = exchange.first < cut ? 'inside' : 'behind';
    for (const callId of lateIds(conversation, exchange)) late[where].add(callId);
  }
  return late;
}
