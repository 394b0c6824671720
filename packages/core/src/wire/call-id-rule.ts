import type { WireRules } from '../codecs/codec.ts';
import type { CallPart } from '../transcript/entry.ts';
import type { Continued } from './check-options.ts';

/** What a format demands of call ids, walked along a list in order. */
export interface CallIdRule {
  /** Encodable, and as the format's pattern wants it. */
  isWellFormed(callId: string): boolean;
  /** The id stands in the same scope already: the whole request, or the same response (compared by identity). */
  isTaken(callId: string, response: object | undefined): boolean;
  /** The id stands anywhere before. */
  isKnown(callId: string): boolean;
  take(callId: string, response: object | undefined): void;
  /** 1, 2, 3 … for each stem, so that many repeats of one id cost no search. */
  nextCount(stem: string): number;
}

/** Items that are call and result at once carry an id of the provider's making, which nobody may change. */
export function hasOwnId(call: CallPart, rules: WireRules): boolean {
  return call.isProviderExecuted !== true || rules.resultsIn !== 'item';
}

/** Ids are always unique inside a response, and over the whole request where the format says so. */
export function callIdRule(rules: WireRules, continues: Continued | undefined): CallIdRule {
  // Without the flags that make a pattern remember its last match.
  const pattern =
    rules.callIdPattern &&
    new RegExp(rules.callIdPattern.source, rules.callIdPattern.flags.replace(/[gy]/g, ''));
  const lastResponse = new Map<string, object | undefined>();
  const counts = new Map<string, number>();
  const isKnown = (callId: string): boolean =>
    lastResponse.has(callId) || continues?.callIds.has(callId) === true;
  return {
    isWellFormed: (callId) => callId !== '' && callId.isWellFormed() && (pattern?.test(callId) ?? true),
    isTaken: (callId, response) =>
      rules.uniqueCallIds ? isKnown(callId) : response !== undefined && lastResponse.get(callId) === response,
    isKnown,
    nextCount: (stem) => {
      const count = (counts.get(stem) ?? 0) + 1;
      counts.set(stem, count);
      return count;
    },
    take: (callId, response) => void lastResponse.set(callId, response),
  };
}
