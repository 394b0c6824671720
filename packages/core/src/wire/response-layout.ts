import type { WireRules } from '../codecs/codec.ts';
import type { Entry } from '../transcript/entry.ts';
import { continuesResponse } from './pair-calls.ts';
import { wireRole } from './message-content.ts';

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

function endOfZone(entries: readonly Entry[], end: number, rules: WireRules): number {
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
