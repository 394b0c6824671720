import { checkEntries } from '../errors/check-options.ts';
import { checkOption, checkOptions, oneOfTexts, required } from '../errors/check-options.ts';
import { isObject } from '../json/json.ts';
import { isBlank } from '../transcript/entry.ts';
import type { OptionCheck, OptionChecks } from '../errors/check-options.ts';
import type { Path } from '../json/json.ts';
import type { CallPart, Entry, Role } from '../transcript/entry.ts';
import type { WireRules } from '../codecs/codec.ts';
import {
  isEmpty,
  isMisplaced,
  isReasoningOnly,
  refusedMedia,
  refusesBlankText,
  roleFaults,
  strandedFrom,
  trailingSpace,
} from './message-content.ts';
import type { CallIds, PairedResult, Pairing, ResponseLayout } from './pair-calls.ts';
import { layOutResponses, openSpan, pairCalls } from './pair-calls.ts';
import { findMalformed } from './well-formed.ts';

/** Where in the checked list: index of the entry, and of the part among its parts. */
interface AtEntry {
  readonly entry: number;
}

interface AtPart extends AtEntry {
  readonly part: number;
}

interface AtCall extends AtPart {
  readonly callId: string;
}

/** One broken rule of a wire format. `rule` tells which; branch on it. */
export type Violation =
  /** A result without an open call of that id before it. */
  | ({ readonly rule: 'orphan-result' } & AtCall)
  /** A second result for a call. */
  | ({ readonly rule: 'duplicate-result' } & AtCall)
  /** A client call without a result. */
  | ({ readonly rule: 'missing-result' } & AtCall)
  /** A result that does not stand in the message(s) right after its call (`callEntry`). */
  | ({ readonly rule: 'late-result'; readonly callEntry: number } & AtCall)
  /** A result behind other content of its message. */
  | ({ readonly rule: 'results-first' } & AtCall)
  /** Only one half of a call that the provider runs itself. */
  | ({ readonly rule: 'split-pair' } & AtCall)
  /** A call, result or reasoning in a message whose role cannot carry it. */
  | ({ readonly rule: 'misplaced-part' } & AtPart)
  | ({ readonly rule: 'duplicate-call-id' } & AtCall)
  /** A call id that the format's pattern or the encoding refuses. */
  | ({ readonly rule: 'bad-call-id' } & AtCall)
  | ({ readonly rule: 'empty-message' } & AtEntry)
  | ({ readonly rule: 'empty-text' } & AtPart)
  /** White space at the end of the last message, which is the assistant's. */
  | ({ readonly rule: 'trailing-space' } & AtPart)
  | ({ readonly rule: 'reasoning-only' } & AtEntry)
  /** Reasoning that is only valid together with the item after it, which is not there. */
  | ({ readonly rule: 'reasoning-without-item' } & AtPart)
  /** `piece` is set when the media lies inside a result. */
  | ({ readonly rule: 'media-not-allowed'; readonly piece?: number } & AtPart)
  /** A text, id or value that is not well-formed Unicode; `at` leads to it in the wire message. */
  | ({ readonly rule: 'lone-surrogate'; readonly at: Path } & AtEntry)
  | ({ readonly rule: 'system-placement' } & AtEntry)
  | ({ readonly rule: 'first-not-user' } & AtEntry)
  /** The message has the role of the one before it. */
  | ({ readonly rule: 'consecutive-roles'; readonly role: Role } & AtEntry);

/** How a list that `validate` checks ends, and what stands before it. */
export interface CheckOptions {
  /**
   * `send`: the list is about to be sent, every call must have its result. `open`: the caller is about to answer the
   * unanswered calls of the last response.
   */
  readonly ending: 'send' | 'open';
  /**
   * The list continues messages that were checked before and end between two exchanges, so that a step costs only what
   * is new. @default the list is the whole request
   */
  readonly continues?: Continued;
}

/** What `validate` needs of the messages before the list that it checks. */
export interface Continued {
  /** Call ids of the messages before, as sent. Only looked at where the format wants them unique. */
  readonly callIds: CallIds;
  /** Those of calls that the provider does not run: a further result for one is a second one. */
  readonly answeredCallIds: CallIds;
  /** Role of the last message before that is not a system message. */
  readonly lastRole: Role;
}

/**
 * Checks decoded messages, in the order in which they would be sent, against the rules of their format. Returns every
 * broken rule; an empty list means that the format accepts them. The empty list of messages breaks none. Pure, linear.
 *
 * Messages that point to content held by the server (an item reference, a previous response) cannot be judged: a
 * result whose call lies there counts as an orphan, so do not check such requests.
 *
 * @throws {ContextError} `invalid-option` for messages that are not decoded, and for what are no rules and no options.
 */
export function validate(
  entries: readonly Entry[],
  rules: WireRules,
  options: CheckOptions,
): readonly Violation[] {
  checkArguments(entries, rules, options);
  const found: Violation[] = [];
  const pairing = pairCalls(entries, rules, options.continues?.answeredCallIds);
  const check: Check = { pairing, layout: layOutResponses(entries, rules), rules, found };
  checkResults(entries, check);
  checkCalls(entries, check, options);
  checkCallIds(check, options);
  checkReasoning(entries, check);
  for (const [index, entry] of entries.entries()) checkContent(entry, index, rules, found);
  checkRoles(entries, rules, options, found);
  const end = trailingSpace(entries, rules);
  if (end) found.push({ rule: 'trailing-space', ...end });
  return found;
}

const theRules: OptionCheck = {
  expected: 'the rules of a format, codec.rules',
  fits: (value) => isObject(value) && typeof value['resultsIn'] === 'string',
};

const optionChecks: OptionChecks<CheckOptions> = {
  ending: required(oneOfTexts('send', 'open')),
  continues: { expected: 'what is known of the messages before', fits: isObject },
};

function checkArguments(entries: unknown, rules: unknown, options: unknown): void {
  checkEntries(entries, 'codec.decode');
  checkOption('rules', theRules, rules);
  checkOptions('', options, optionChecks);
}

interface Check {
  readonly pairing: Pairing;
  readonly layout: ResponseLayout;
  readonly rules: WireRules;
  readonly found: Violation[];
}

const resultFaults = {
  orphan: 'orphan-result',
  duplicate: 'duplicate-result',
  'split-pair': 'split-pair',
} as const;

function checkResults(entries: readonly Entry[], check: Check): void {
  const { pairing, rules, found } = check;
  for (const paired of pairing.results) {
    const { entry, part, result, call, fault } = paired;
    const { callId } = result;
    if (fault === 'misplaced') found.push({ rule: 'misplaced-part', entry, part });
    else if (fault) found.push({ rule: resultFaults[fault], entry, part, callId });
    else if (call && isLate(paired, entries, check)) {
      found.push({ rule: 'late-result', entry, part, callId, callEntry: call.entry });
    }
    if (rules.resultsFirst && !isInside(paired, entries) && isBehindContent(entries[entry], part)) {
      found.push({ rule: 'results-first', entry, part, callId });
    }
  }
}

/** The result lies in the model's own response: the provider ran the tool. */
function isInside({ entry }: PairedResult, entries: readonly Entry[]): boolean {
  return entries[entry]?.role === 'assistant';
}

function isLate(paired: PairedResult, entries: readonly Entry[], { layout, rules }: Check): boolean {
  if (!rules.resultsAdjacent || !paired.call || paired.call.call.isProviderExecuted === true) return false;
  return !isInside(paired, entries) && layout.spanOf[paired.entry] !== layout.spanOf[paired.call.entry];
}

function isBehindContent(entry: Entry | undefined, part: number): boolean {
  const before = part > 0 ? entry?.parts[part - 1] : undefined;
  // Looking one part back finds the first result behind content; the ones after it move with it.
  return before !== undefined && before.type !== 'result';
}

function checkCalls(
  entries: readonly Entry[],
  { pairing, layout, found }: Check,
  options: CheckOptions,
): void {
  const open = openSpan(entries, layout);
  for (const { entry, part } of pairing.misplacedCalls) found.push({ rule: 'misplaced-part', entry, part });
  for (const { entry, part, call, result } of pairing.calls) {
    if (result) continue;
    const isOpen = open !== undefined && entry >= open.first;
    const { callId } = call;
    // A provider may pause inside its own call and wants the response back as it is.
    if (call.isProviderExecuted === true && !isOpen) found.push({ rule: 'split-pair', entry, part, callId });
    if (call.isProviderExecuted !== true && !(isOpen && options.ending === 'open')) {
      found.push({ rule: 'missing-result', entry, part, callId });
    }
  }
}

function checkCallIds({ pairing, layout, rules, found }: Check, options: CheckOptions): void {
  const rule = callIdRule(rules, options.continues);
  for (const { entry, part, call } of pairing.calls) {
    if (!hasOwnId(call, rules)) continue;
    const { callId } = call;
    if (!rule.isWellFormed(callId)) found.push({ rule: 'bad-call-id', entry, part, callId });
    if (rule.isTaken(callId, layout.spanOf[entry]))
      found.push({ rule: 'duplicate-call-id', entry, part, callId });
    rule.take(callId, layout.spanOf[entry]);
  }
}

function checkReasoning(entries: readonly Entry[], { layout, rules, found }: Check): void {
  for (const span of layout.spans) {
    const response = entries.slice(span.first, span.end);
    if (!response.some(({ parts }) => parts.some(({ type }) => type === 'reasoning'))) continue;
    const places = response.flatMap(({ parts }, offset) =>
      parts.map((value, part) => ({ value, entry: span.first + offset, part })),
    );
    const stranded = places.slice(strandedFrom(places.map(({ value }) => value)));
    for (const { value, entry, part } of stranded) {
      if (value.binding === 'next-item') found.push({ rule: 'reasoning-without-item', entry, part });
    }
    for (const [offset, { parts }] of response.entries()) {
      const entry = span.first + offset;
      const isStranded = rules.entriesPerResponse === 'one' || (stranded[0]?.entry ?? Infinity) <= entry;
      if (isStranded && isReasoningOnly(parts)) found.push({ rule: 'reasoning-only', entry });
    }
  }
}

function checkContent(entry: Entry, index: number, rules: WireRules, found: Violation[]): void {
  if (isEmpty(entry.parts)) found.push({ rule: 'empty-message', entry: index });
  else if (refusesBlankText(rules)) {
    for (const [part, value] of entry.parts.entries()) {
      if (isBlank(value)) found.push({ rule: 'empty-text', entry: index, part });
    }
  }
  for (const [part, value] of entry.parts.entries()) {
    if (value.type === 'reasoning' && isMisplaced(value, entry.role)) {
      found.push({ rule: 'misplaced-part', entry: index, part });
    }
  }
  for (const { media: _media, ...place } of refusedMedia(entry, rules)) {
    found.push({ rule: 'media-not-allowed', entry: index, ...place });
  }
  const at = findMalformed(entry.wire);
  if (at) found.push({ rule: 'lone-surrogate', entry: index, at });
}

function checkRoles(
  entries: readonly Entry[],
  rules: WireRules,
  { continues }: CheckOptions,
  found: Violation[],
): void {
  const roles = entries.map(({ role }) => role);
  for (const { rule, index, role } of roleFaults(roles, rules, continues?.lastRole)) {
    const entry = index === entries.length ? 0 : index;
    found.push(rule === 'consecutive-roles' ? { rule, entry, role } : { rule, entry });
  }
}

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
