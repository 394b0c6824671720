import type { WireRules } from '../codecs/codec.ts';
import type { CallPart, Entry, ResultPart } from '../transcript/entry.ts';
import { wireRole } from './message-content.ts';

export interface PairedCall {
  readonly entry: number;
  readonly part: number;
  readonly call: CallPart;
  result?: PairedResult;
}

export interface PairedResult {
  readonly entry: number;
  readonly part: number;
  readonly result: ResultPart;
  readonly call?: PairedCall;
  /** Why it answers no call. */
  readonly fault?: 'orphan' | 'duplicate' | 'misplaced' | 'split-pair';
}

/** Which result answers which call. `calls` and `results` are in the order of the list. */
export interface Pairing {
  readonly calls: readonly PairedCall[];
  readonly results: readonly PairedResult[];
  /** Calls in a message that is not the assistant's. */
  readonly misplacedCalls: readonly PairedCall[];
}

/** Ids of calls, to look one up in. */
export interface CallIds {
  has(callId: string): boolean;
}

/** Open calls by id: newest response last, and inside a response the oldest call first. */
type OpenCalls = Map<string, { readonly response: number; readonly calls: PairedCall[]; next: number }[]>;

interface OpenByKind {
  readonly client: OpenCalls;
  readonly provider: OpenCalls;
}

/**
 * Pairs calls and results. Real logs repeat ids, so a result answers the nearest earlier response with an open call
 * of its id, and there the first such call. Calls that the provider runs are paired apart from the client's: nobody
 * else may answer them. A result whose id only calls before the list have, which are answered, is a second one. Linear in
 * the number of parts; ids are only compared, never looked up globally.
 */
export function pairCalls(entries: readonly Entry[], rules: WireRules, answeredBefore?: CallIds): Pairing {
  const calls: PairedCall[] = [];
  const results: PairedResult[] = [];
  const misplacedCalls: PairedCall[] = [];
  const open: OpenByKind = { client: new Map(), provider: new Map() };
  let response = 0;
  for (const [entryIndex, entry] of entries.entries()) {
    if (!continuesResponse(entries, entryIndex, rules)) response += 1;
    for (const [partIndex, part] of entry.parts.entries()) {
      if (part.type === 'call') {
        const call: PairedCall = { entry: entryIndex, part: partIndex, call: part };
        if (entry.role !== 'assistant') {
          misplacedCalls.push(call);
          continue;
        }
        calls.push(call);
        openCall(open[part.isProviderExecuted === true ? 'provider' : 'client'], call, response);
      } else if (part.type === 'result') {
        const result = { entry: entryIndex, part: partIndex, result: part };
        const paired = pairResult(result, { entry, response }, rules, open);
        const isSecond = paired.fault === 'orphan' && answeredBefore?.has(part.callId) === true;
        results.push(isSecond ? { ...paired, fault: 'duplicate' } : paired);
      }
    }
  }
  return { calls, results, misplacedCalls };
}

/** True when the entry belongs to the same model response as the one before it. */
function continuesResponse(entries: readonly Entry[], index: number, rules: WireRules): boolean {
  return (
    rules.entriesPerResponse === 'many' &&
    entries[index]?.role === 'assistant' &&
    entries[index - 1]?.role === 'assistant'
  );
}

function openCall(open: OpenCalls, call: PairedCall, response: number): void {
  const known = open.get(call.call.callId) ?? [];
  const newest = known.at(-1);
  if (newest?.response === response) newest.calls.push(call);
  else known.push({ response, calls: [call], next: 0 });
  open.set(call.call.callId, known);
}

interface ResponsePlace {
  readonly entry: Entry;
  readonly response: number;
}

function pairResult(
  found: PairedResult,
  place: ResponsePlace,
  rules: WireRules,
  open: OpenByKind,
): PairedResult {
  const { result } = found;
  const isProviders = result.isProviderExecuted === true;
  if (isMisplaced(place.entry, isProviders, rules)) return { ...found, fault: 'misplaced' };
  const isInside = isProviders || place.entry.role === 'assistant';
  const call = isInside
    ? (takeCall(open.provider, result.callId) ?? takeUnmarked(open.client, result.callId, place, rules))
    : takeCall(open.client, result.callId);
  if (call) {
    const paired: PairedResult = { ...found, call };
    call.result = paired;
    return paired;
  }
  if (isInside) return { ...found, fault: 'split-pair' };
  return { ...found, fault: open.client.has(result.callId) ? 'duplicate' : 'orphan' };
}

/** Older logs do not mark the calls that the provider ran; their results in the same response tell. */
function takeUnmarked(
  open: OpenCalls,
  callId: string,
  { response }: ResponsePlace,
  rules: WireRules,
): PairedCall | undefined {
  const isHere = open.get(callId)?.at(-1)?.response === response;
  return isHere && rules.resultsIn !== 'user-message' ? takeCall(open, callId) : undefined;
}

function isMisplaced(entry: Entry, isProviders: boolean, rules: WireRules): boolean {
  if (entry.role === 'system') return true;
  if (entry.role === 'user') return rules.resultsIn !== 'user-message';
  return entry.role === 'assistant' && !isProviders && rules.resultsIn === 'user-message';
}

function takeCall(open: OpenCalls, callId: string): PairedCall | undefined {
  const responses = open.get(callId);
  const newest = responses?.at(-1);
  const call = newest?.calls[newest.next];
  if (!newest || !call) return undefined;
  newest.next += 1;
  // The empty list stays in the map: it tells a second result from an orphan.
  if (newest.next === newest.calls.length) responses?.pop();
  return call;
}

/** A model response and the messages right after it in which its results belong: `[first, end)` and `[end, zoneEnd)`. */
export interface ResponseSpan {
  readonly first: number;
  readonly end: number;
  readonly zoneEnd: number;
}

/** Responses of a list in order. `spanOf[i]` is the response that entry i belongs to or whose results it may carry. */
export interface ResponseLayout {
  readonly spans: readonly ResponseSpan[];
  readonly spanOf: readonly (ResponseSpan | undefined)[];
}

/** Finds the responses of a list and where their results may stand. Linear. */
export function layOutResponses(entries: readonly Entry[], rules: WireRules): ResponseLayout {
  const spans: ResponseSpan[] = [];
  const spanOf: (ResponseSpan | undefined)[] = [];
  let index = 0;
  while (index < entries.length) {
    if (entries[index]?.role !== 'assistant') {
      spanOf.push(undefined);
      index += 1;
      continue;
    }
    let end = index + 1;
    while (continuesResponse(entries, end, rules)) end += 1;
    const span = { first: index, end, zoneEnd: endOfZone(entries, end, rules) };
    spans.push(span);
    for (; index < span.zoneEnd; index += 1) spanOf.push(span);
  }
  return { spans, spanOf };
}

/** Where the messages end in which the results of a response may stand that ends at `end`. */
export function endOfZone(entries: readonly Entry[], end: number, rules: WireRules): number {
  const next = entries[end];
  if (rules.resultsIn === 'user-message')
    return next && wireRole(next.role, rules) === 'user' ? end + 1 : end;
  let zoneEnd = end;
  while (entries[zoneEnd]?.role === 'tool') zoneEnd += 1;
  return zoneEnd;
}

/**
 * The response at the end of the list whose calls its caller may still answer: nothing but its results follows it.
 */
export function openSpan(entries: readonly Entry[], layout: ResponseLayout): ResponseSpan | undefined {
  const last = layout.spans.at(-1);
  if (!last || last.zoneEnd !== entries.length) return undefined;
  const zone = entries.slice(last.end);
  const isOpen = zone.every(
    (entry) => entry.role === 'tool' || entry.parts.every(({ type }) => type === 'result'),
  );
  return isOpen ? last : undefined;
}
