import { positionOf, exchangeAt } from '../transcript/conversation.ts';
import { shownIn } from '../changes/view.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { StageInput } from './stage-input.ts';
import type { Exchange } from '../transcript/exchange.ts';

export interface RangeReach {
  /** Positions, `[first, cut)`. */
  readonly first: number;
  readonly cut: number;
  /** Of the exchanges from `first` on, those that may stay: see `notableExchanges`. */
  readonly notable: readonly Exchange[];
  /** Most that calls without a result may cost; older ones count as interrupted. */
  readonly openTokens: number;
}

/**
 * Positions inside a range that stay in the view as whole exchanges, beside task and latest request: pins, system
 * messages, and calls whose result stands behind the range or may yet come. In order. What an earlier compaction has taken does
 * not come back, and counts for nothing.
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
    if (exchange.type === 'system') exchanges.add(exchange);
    if (exchange.openCalls.length > 0) open.push(exchange);
  }
  for (const exchange of waitingExchanges(conversation, open, { ...reach, isShown })) exchanges.add(exchange);
  return [...exchanges].sort((a, b) => a.first - b.first).flatMap(positionsOf);
}

/** System messages, and exchanges with calls that wait for a result, from a position on; newest first. Few, as a rule. */
export function notableExchanges({ exchanges, lastExchange }: Conversation, first: number): Exchange[] {
  const notable: Exchange[] = [];
  for (let index = exchanges.length; index >= 0; index -= 1) {
    const exchange = index === exchanges.length ? lastExchange : exchanges.at(index);
    if (!exchange) continue;
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

/** Of the exchanges with open calls, newest first, those that cannot go without making a real result an orphan. */
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
      leftTokens -= conversation.sizes.at(position)?.tokens ?? 0;
    return leftTokens >= 0;
  });
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
    const callIds = new Set<string>();
    for (let position = exchange.first; position < exchange.end; position += 1) {
      for (const part of conversation.entries.at(position)?.parts ?? []) {
        if (part.type === 'call') callIds.add(part.callId);
        else if (part.type === 'result' && !callIds.has(part.callId))
          late[position < cut ? 'inside' : 'behind'].add(part.callId);
      }
    }
  }
  return late;
}
