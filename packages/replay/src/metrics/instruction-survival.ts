import { add, ratioOf } from './metric.ts';
import { isExpansionOf, isOwnText } from '@throughline/core/internal';
import type { Entry } from '@throughline/core';
import type { Metric, ReplaySetting, Sums } from './metric.ts';
import type { SessionPlan, UserText } from '../sessions/session-plan.ts';

const rule = /\b(?:never|must not|mustn['’]t|don['’]t|do not|only|always)\b/i;

/** The texts a user wrote; transport of results, blanks and what tools and files write in the user's place are none. */
export function userTextsOf(entry: Entry, before: readonly (Entry | undefined)[]): string[] {
  if (entry.role !== 'user' || isExpansionOf(entry, before)) return [];
  return entry.parts.flatMap((part) => (isOwnText(part) ? [part.text] : []));
}

/** Sentences with never / must not / don't / only / always / do not. */
export function ruleSentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 3 && sentence.length <= 500 && rule.test(sentence));
}

/** The bound that is stated: the task and the latest request up to a quarter of what is usable each, … */
const requestShare = 0.25;
/** … and of the user's other messages the newest, up to min(20 000 tokens, 15 % of B) in all. */
const otherTokens = 20_000;
const otherShare = 0.15;

/** Indices of the texts, among the first `count`, that the stated bound promises verbatim. */
export function promisedTexts(
  texts: readonly UserText[],
  count: number,
  setting: Pick<ReplaySetting, 'budgetTokens' | 'windowTokens' | 'outputReserveTokens'>,
): Set<number> {
  const { budgetTokens, windowTokens, outputReserveTokens } = setting;
  const messages = [...Map.groupBy(Array(count).keys(), (index) => texts[index]?.messageIndex ?? 0).values()];
  const tokensOf = (message: readonly number[]): number =>
    message.reduce((sum, index) => sum + (texts[index]?.tokens ?? 0), 0);
  const requests = [messages[0] ?? [], messages.at(-1) ?? []];
  const mostOfRequest = (windowTokens - outputReserveTokens) * requestShare;
  const promised = new Set(requests.filter((message) => tokensOf(message) <= mostOfRequest).flat());
  let left = Math.min(otherTokens, budgetTokens * otherShare);
  for (const message of messages.slice(1, -1).toReversed()) {
    left -= tokensOf(message);
    if (left < 0) break;
    for (const index of message) promised.add(index);
  }
  return promised;
}

/**
 * M6, instruction survival: share of the user's messages so far that stand verbatim in C_k, in a user's message or in
 * what the contender wrote; the same for those within the stated bound, and for sentences with never / must not /
 * don't / only / always / do not.
 */
export const instructionSurvival: Metric = {
  start(plan, setting) {
    const sums: Sums = {};
    const holders = holdersOf(plan);
    return {
      sums,
      add({ step, sent, seen, request }) {
        if (!step.isMeasured) return;
        const present = new Set(request.map(({ message }) => message));
        const spoken = seen
          .filter(({ entry }, index) => entry.role === 'user' || sent?.written?.has(index) === true)
          .map(({ searchText }) => searchText);
        const isSpoken = (text: string): boolean => spoken.some((one) => one.includes(text));
        const promised = promisedTexts(plan.userTexts, step.userTextCount, setting);
        for (let index = 0; index < step.userTextCount; index += 1) {
          const { text } = plan.userTexts[index] as UserText;
          const isThere = (holders[index] ?? []).some((one) => present.has(one)) || isSpoken(text);
          count('texts', isThere);
          if (promised.has(index)) count('promised', isThere);
        }
        for (let index = 0; index < step.ruleCount; index += 1)
          count('rules', isSpoken(plan.rules[index] ?? ''));
      },
    };
    function count(key: string, isThere: boolean): void {
      add(sums, `${key}.all`);
      if (isThere) add(sums, `${key}.kept`);
    }
  },
};

/** By user text: the messages of the recording that hold it. */
function holdersOf({ seen, session, userTexts }: SessionPlan): unknown[][] {
  const holders = new Map<string, unknown[]>();
  for (const [position, { entry }] of seen.entries())
    for (const text of userTextsOf(entry, [seen[position - 1]?.entry, seen[position - 2]?.entry]))
      holders.set(text, [...(holders.get(text) ?? []), session.messages[position]]);
  return userTexts.map(({ text }) => holders.get(text) ?? []);
}

export function survivalFigures(sums: Readonly<Sums>) {
  return {
    userMessages: ratioOf(sums, 'texts.kept', 'texts.all'),
    userMessagesInBound: ratioOf(sums, 'promised.kept', 'promised.all'),
    ruleSentences: ratioOf(sums, 'rules.kept', 'rules.all'),
  };
}
