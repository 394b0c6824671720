import { countOf, objectOf, textOf } from '../json-value.ts';
import type { Item } from './replay-rollout.ts';
import type { JsonObject } from '../json-value.ts';
import type { RecordedUsage } from '../recording.ts';
import type { LinesDocument } from '../source/document.ts';

const answerTypes: ReadonlySet<unknown> = new Set([
  'reasoning',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'tool_search_call',
  'web_search_call',
  'image_generation_call',
]);

/**
 * Usage per response. Codex writes a count after the items of the response and, mostly, after the results of its
 * calls; the response is the newest run of model items before it. A count that follows no new response is a repeat.
 */
export function usageOf(items: readonly Item[], document: LinesDocument): RecordedUsage[] {
  const usage: RecordedUsage[] = [];
  let next = 0;
  let measuredEnd = 0;
  let model: string | undefined;
  const first = items.find(({ isReplacement }) => !isReplacement);
  const last = items.at(-1);
  if (first === undefined || last === undefined) return usage;
  for (let line = 0; line < document.lines.length; line += 1) {
    const value = objectOf(document.lines[line]?.value);
    const payload = objectOf(value['payload']);
    // What follows belongs to another part of the file.
    if (line > last.line && (value['type'] === 'response_item' || value['type'] === 'compacted')) break;
    if (value['type'] === 'turn_context') model = textOf(payload['model']) ?? model;
    const count = countIn(value, payload);
    if (count === undefined || line < first.line) continue;
    while (next < items.length && (items[next]?.line ?? 0) < line) next += 1;
    const start = responseStart(items, measuredEnd, next);
    const counted = countedBy(count);
    if (start === undefined || counted === undefined) continue;
    measuredEnd = next;
    usage.push({ messageIndex: start, ...counted, ...(model === undefined ? {} : { model }) });
  }
  return usage;
}

/** First item of the newest response in `[from, end)`, which starts after the newest item that is not the model's. */
function responseStart(items: readonly Item[], from: number, end: number): number | undefined {
  let at = end - 1;
  while (at >= from && !isAnswer(items[at])) at -= 1;
  if (at < from) return undefined;
  while (at > from && isAnswer(items[at - 1])) at -= 1;
  return at;
}

function isAnswer(item: Item | undefined): boolean {
  if (item === undefined || item.isReplacement) return false;
  const { type, role } = item.message;
  return answerTypes.has(type) || (type === 'message' && role === 'assistant');
}

/** The usage of one response, in a line of its own or in the count that is shown. */
function countIn(line: JsonObject, payload: JsonObject): JsonObject | undefined {
  if (line['type'] === 'token_usage_record') return objectOf(payload['usage']);
  if (line['type'] !== 'event_msg' || payload['type'] !== 'token_count') return undefined;
  return objectOf(objectOf(payload['info'])['last_token_usage']);
}

function countedBy(last: JsonObject): Omit<RecordedUsage, 'messageIndex'> | undefined {
  // OpenAI counts cached tokens inside the input.
  const inputTokens = countOf(last['input_tokens']);
  if (inputTokens === 0) return undefined;
  return {
    inputTokens,
    cacheReadTokens: countOf(last['cached_input_tokens']),
    cacheWriteTokens: countOf(last['cache_write_input_tokens']),
    outputTokens: countOf(last['output_tokens']),
  };
}
