import { add, ratioOf, sumOf } from './metric.ts';
import type { Entry } from '@throughline/core';
import type { Part } from '@throughline/core/codec';
import type { Metric, Sums } from './metric.ts';
import type { SignedReasoning } from '../sessions/session-plan.ts';

/** The rules of M1. One message list may break several. */
const validityRules = [
  'result-answers-call-before',
  'every-call-answered',
  'no-id-answered-twice',
  'no-empty-message',
  'first-is-user',
  'signed-reasoning-unchanged',
  'signed-reasoning-whole-loop',
] as const;

type ValidityRule = (typeof validityRules)[number];

/** By format: the rules that its provider does not enforce. What is not listed enforces all. */
const notEnforced: Readonly<Record<string, readonly ValidityRule[]>> = {
  'openai-chat': ['first-is-user', 'no-empty-message'],
  'openai-responses': ['first-is-user', 'no-empty-message'],
  'swe-agent': ['first-is-user', 'no-empty-message'],
};

/**
 * M1, validity: share of steps whose C_k breaks no rule. Each result answers exactly one call of the assistant message
 * directly before it; every call is answered except in a trailing assistant message; no id is answered twice; no empty
 * message; the first message that is no system message is a user's; parallel calls stay whole (which the first two
 * rules say); signed reasoning is unchanged, or gone from all of its loop that is still there. A step with nothing to
 * send counts as invalid. Beside the strict figure: by the rules the session's provider enforces; and the steps with a
 * fault that the recorded history did not have.
 */
export const validity: Metric = {
  start(plan) {
    const sums: Sums = {};
    let historyFaults: { length: number; broken: ReadonlySet<ValidityRule> } = {
      length: -1,
      broken: new Set(),
    };
    const recorded = (length: number): ReadonlySet<ValidityRule> => {
      if (historyFaults.length !== length) {
        const entries = plan.seen.slice(0, length).map(({ entry }) => entry);
        historyFaults = { length, broken: brokenRules(entries, plan.signedReasoning) };
      }
      return historyFaults.broken;
    };
    return {
      sums,
      add({ sent, seen, step }) {
        add(sums, 'steps');
        if (!sent || sent.messages.length === 0) {
          add(sums, 'unsendable');
          return;
        }
        const broken = brokenRules(
          seen.map(({ entry }) => entry),
          plan.signedReasoning,
        );
        if (broken.size === 0) {
          add(sums, 'valid');
          add(sums, 'accepted');
          return;
        }
        for (const rule of broken) add(sums, rule);
        const ignored = notEnforced[plan.session.codec.name] ?? [];
        if ([...broken].every((rule) => ignored.includes(rule))) add(sums, 'accepted');
        const before = recorded(step.historyLength);
        if ([...broken].some((rule) => !before.has(rule))) add(sums, 'ownFaults');
      },
    };
  },
};

export function validityFigures(sums: Readonly<Sums>) {
  return {
    valid: ratioOf(sums, 'valid', 'steps'),
    accepted: ratioOf(sums, 'accepted', 'steps'),
    ownFaults: sumOf(sums, 'ownFaults'),
    unsendable: sumOf(sums, 'unsendable'),
    brokenRules: Object.fromEntries(
      validityRules.flatMap((rule) => (sumOf(sums, rule) > 0 ? [[rule, sumOf(sums, rule)]] : [])),
    ),
  };
}

/**
 * The broken rules of what would be sent. Written here from the definition alone; it shares no code with the core's
 * validator. A response may be several consecutive messages; the results of its calls follow it directly, or lie in it.
 */
export function brokenRules(entries: readonly Entry[], signed: SignedReasoning): Set<ValidityRule> {
  const broken = new Set<ValidityRule>();
  let open = new Set<string>();
  let answered = new Set<string>();
  let wasResponse = false;
  const closeResponse = (): void => {
    if (open.size > 0) broken.add('every-call-answered');
    open = new Set();
    answered = new Set();
  };
  for (const entry of entries) {
    if (entry.parts.every(isNothing)) broken.add('no-empty-message');
    const results = entry.parts.filter((part) => part.type === 'result');
    const isResponse = entry.role === 'assistant';
    if (isResponse && !wasResponse) closeResponse();
    // A user's words between a response and its results part the pair.
    if (!isResponse && results.length === 0) closeResponse();
    for (const part of entry.parts) {
      if (part.type === 'call' && part.isProviderExecuted !== true) open.add(part.callId);
      if (part.type === 'reasoning' && isSigned(part) && !signed.parts.has(partJson(entry, part)))
        broken.add('signed-reasoning-unchanged');
      if (part.type !== 'result' || part.isProviderExecuted === true) continue;
      if (open.delete(part.callId)) answered.add(part.callId);
      else broken.add(answered.has(part.callId) ? 'no-id-answered-twice' : 'result-answers-call-before');
    }
    wasResponse = isResponse;
  }
  if (!wasResponse) closeResponse();
  const first = entries.find(({ role }) => role !== 'system');
  if (first?.role !== 'user') broken.add('first-is-user');
  if (hasTornLoop(entries, signed)) broken.add('signed-reasoning-whole-loop');
  return broken;
}

/** A loop (what follows a user's words) in which some messages have kept their signed reasoning and others lost it. */
function hasTornLoop(entries: readonly Entry[], { callIds }: SignedReasoning): boolean {
  let kept = 0;
  let lost = 0;
  for (const { role, parts } of entries) {
    if (role === 'user' && parts.some(({ type }) => type === 'text')) [kept, lost] = [0, 0];
    if (role !== 'assistant') continue;
    if (parts.some(isSigned)) kept += 1;
    else if (parts.some((part) => part.type === 'call' && callIds.has(part.callId))) lost += 1;
    if (kept > 0 && lost > 0) return true;
  }
  return false;
}

/** Adds what `entry` says about signed reasoning. */
export function collectSigned(
  entry: Entry,
  into: { readonly parts: Set<string>; readonly callIds: Set<string> },
): void {
  const signed = entry.parts.filter(isSigned);
  if (signed.length === 0) return;
  for (const part of signed) into.parts.add(partJson(entry, part));
  for (const part of entry.parts) if (part.type === 'call') into.callIds.add(part.callId);
}

function isSigned(part: Part): boolean {
  return part.type === 'reasoning' && (part.opaqueLength > 0 || part.binding !== undefined);
}

function isNothing(part: Part): boolean {
  return part.type === 'text' && part.text.trim() === '';
}

const partTexts = new WeakMap<Part, string>();

/** The part as it lies in the wire message. */
function partJson(entry: Entry, part: Part): string {
  const known = partTexts.get(part);
  if (known !== undefined) return known;
  let value: unknown = entry.wire;
  for (const step of part.at) value = (value as Record<string | number, unknown> | null)?.[step];
  const text = JSON.stringify(value) ?? '';
  partTexts.set(part, text);
  return text;
}
