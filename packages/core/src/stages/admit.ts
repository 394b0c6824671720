import { limitOutput } from './limit-output.ts';
import { partsOf } from './part-change.ts';
import { resultText } from '../transcript/entry-text.ts';
import { shareOut } from './share-out.ts';
import { shortenResult } from './shorten-result.ts';
import { tokensBetween } from '../transcript/conversation.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { CallPart, Entry, Part, ResultPart } from '../transcript/entry.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { StageInput, ToolLimits } from './stage-input.ts';
import type { Unit } from '../transcript/unit.ts';
import type { ViewPart } from './part-change.ts';

export interface AdmitOptions {
  /** Position from which results have not been through admission yet. */
  readonly from: number;
  readonly limitsOf: (toolName: string | undefined) => ToolLimits;
}

// Below this a shortened result says less than the note that it was shortened.
const smallestResultTokens = 60;

/**
 * Rung 1: shortens results before their first send: to the limits of their tool, to a quarter of the trigger each, and
 * to 40 % of the trigger for a group of parallel ones. Head and tail stay; nothing is dropped. It changes nothing that
 * was sent before, and breaks no prefix.
 */
export function admit(input: StageInput, options: AdmitOptions): PartLevelChange[] {
  const changes: PartLevelChange[] = [];
  for (const unit of unitsSince(input, options.from)) {
    if (isWithin(input, unit, options)) continue;
    const results = newResults(input, unit, options.from);
    if (results.length === 0) continue;
    const nameOf = callNames(input, unit, results.length);
    const limited = results.map((view) => {
      const { name, callId } = view.part as ResultPart;
      return limitView(input, view, options.limitsOf(name ?? nameOf(callId)));
    });
    const level = shareOut(
      limited.map(({ tokens }) => tokens),
      input.measures.group,
    );
    const maxTokens = Math.max(smallestResultTokens, Math.min(level, input.measures.result));
    for (const one of limited) {
      const change = shortenTo(input, one, maxTokens);
      if (change) changes.push(change);
    }
  }
  return changes;
}

/** Whether nothing in a group is near any limit, as in nearly all: told without a look at what the view makes of it. */
function isWithin(
  { view: { conversation }, measures }: StageInput,
  unit: Unit,
  { from, limitsOf }: AdmitOptions,
): boolean {
  const { first, end } = unit;
  if (tokensBetween(conversation, first, end) > Math.min(measures.result, measures.group)) return false;
  let results = 0;
  for (let position = Math.max(first, from); position < end; position += 1) {
    const parts = conversation.entries.at(position)?.parts ?? noParts;
    for (let index = 0; index < parts.length; index += 1) {
      const part = parts[index] as Part;
      if (part.type !== 'result' || part.isProviderExecuted === true) continue;
      // More than that is not looked at one by one.
      if (++results > fewResults) return false;
      const text = resultText(part);
      if (limitOutput(text, limitsOf(part.name ?? callNamed(conversation, unit, part.callId)?.name)) !== text)
        return false;
    }
  }
  return true;
}

const noParts: readonly Part[] = [];

export interface AdmittedResult {
  /** What it costs within the limits of its tool. */
  readonly tokens: number;
  /** Absent where it stays as it is: within its limits, or not smaller with a note of what went. */
  readonly change: PartLevelChange | undefined;
}

/** What admission makes of one result with no other beside it. */
export function admitAlone(input: StageInput, view: ViewPart, limits: ToolLimits): AdmittedResult {
  const limited = limitView(input, view, limits);
  const maxTokens = Math.max(smallestResultTokens, Math.min(input.measures.result, input.measures.group));
  return { tokens: limited.tokens, change: shortenTo(input, limited, maxTokens) };
}

interface LimitedResult {
  readonly view: ViewPart;
  readonly part: ResultPart;
  /** The text within the limits of its tool, and what the result costs with it. */
  readonly text: string;
  readonly tokens: number;
  readonly isLimited: boolean;
}

/** Groups that reach past `from`, oldest first, without a walk over the whole history. */
function unitsSince({ view: { conversation } }: StageInput, from: number): Unit[] {
  const { units, lastUnit } = conversation;
  const found: Unit[] = lastUnit && lastUnit.end > from ? [lastUnit] : [];
  for (let index = units.length - 1; index >= 0; index -= 1) {
    const unit = units.at(index);
    if (!unit || unit.end <= from) break;
    found.push(unit);
  }
  return found.filter(({ type }) => type === 'group').reverse();
}

function newResults(input: StageInput, unit: Unit, from: number): ViewPart[] {
  const { conversation, items, tailFrom } = input.view;
  const shift = items.length - conversation.entries.length;
  const results: ViewPart[] = [];
  const first = Math.max(unit.first, from, tailFrom, conversation.barrierAt);
  for (let position = first; position < unit.end; position += 1) {
    const item = items.at(position + shift);
    if (item?.type !== 'entry' || !hasResult(item.entry) || input.pins.has(item.entry.ordinal)) continue;
    for (const view of partsOf(input, item)) {
      // What was changed already has been admitted before, or lies in what is going on.
      if (view.change) continue;
      if (view.part.type === 'result' && view.part.isProviderExecuted !== true) results.push(view);
    }
  }
  return results;
}

function hasResult({ parts }: Entry): boolean {
  for (const { type } of parts) if (type === 'result') return true;
  return false;
}

// To look for a call or two is less than to note down all.
const fewResults = 2;

/** Tool names by call id, the newest of its unit: not every format repeats the name in the result. */
function callNames(
  { view: { conversation } }: StageInput,
  unit: Unit,
  results: number,
): (callId: string) => string | undefined {
  if (results <= fewResults) return (callId) => callNamed(conversation, unit, callId)?.name;
  const names = new Map<string, string>();
  for (let position = unit.first; position < unit.end; position += 1) {
    for (const part of conversation.entries.at(position)?.parts ?? []) {
      if (part.type === 'call') names.set(part.callId, part.name);
    }
  }
  return (callId) => names.get(callId);
}

function callNamed(conversation: Conversation, { first, end }: Unit, callId: string): CallPart | undefined {
  for (let position = end - 1; position >= first; position -= 1) {
    const parts = conversation.entries.at(position)?.parts ?? [];
    for (let index = parts.length - 1; index >= 0; index -= 1) {
      const part = parts[index];
      if (part?.type === 'call' && part.callId === callId) return part;
    }
  }
  return undefined;
}

function limitView(input: StageInput, view: ViewPart, limits: ToolLimits): LimitedResult {
  const part = view.part as ResultPart;
  const original = resultText(part);
  const text = limitOutput(original, limits);
  if (text === original) return { view, part, text, tokens: view.tokens, isLimited: false };
  const saved = input.estimator.count(original) - input.estimator.count(text);
  return { view, part, text, tokens: Math.max(0, view.fullTokens - saved), isLimited: true };
}

function shortenTo(
  input: StageInput,
  limited: LimitedResult,
  maxTokens: number,
): PartLevelChange | undefined {
  const { view, part, tokens, isLimited } = limited;
  if (tokens <= maxTokens && !isLimited) return undefined;
  return shortenResult(input, view, { part, text: limited.text, maxTokens, reason: 'admission' });
}
