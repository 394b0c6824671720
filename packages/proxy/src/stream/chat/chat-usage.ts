import { isObject } from '@throughline/core/codec';
import { countOf, jsonMemberSpan, listOf, objectOf } from '@throughline/core/internal';
import { rewritten, writeText } from '../shared/stream-event.ts';
import type { AnswerPart } from '../shared/continuation.ts';
import type { ToldUsage } from '@throughline/core/internal';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** The usage of a part as that of the whole answer: the prompt of the last call, the output of all. */
export function joinChatUsage(usage: WireObject, { spent, estimates }: AnswerPart): WireObject {
  const input = countOf(usage['prompt_tokens']) || estimates.inputTokens;
  const output = countOf(usage['completion_tokens']) + spent.outputTokens;
  const details = objectOf(usage['completion_tokens_details']);
  const reasoning = countOf(details['reasoning_tokens']) + spent.reasoningTokens;
  return {
    ...usage,
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(reasoning > 0 && { completion_tokens_details: { ...details, reasoning_tokens: reasoning } }),
  };
}

export function writeChatUsage(usage: ToldUsage): WireObject {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cacheReadTokens > 0 && { prompt_tokens_details: { cached_tokens: cacheReadTokens } }),
    ...(reasoningTokens > 0 && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

/**
 * The chunks as they would be had nobody asked for usage: without the one that holds it, and without the `null` that
 * stands in all others. What a server tells beside it, as llama.cpp its timings, stands in the last chunk then.
 */
export function withoutChatUsage(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const shown: StreamEvent[] = [];
  for (const event of events) {
    if (event.value && isUsageChunk(event.value)) tellBeside(shown, event.value);
    else shown.push(event.value?.['usage'] === null ? withoutNull(event, event.value) : event);
  }
  return shown;
}

function isUsageChunk({ choices, usage }: WireObject): boolean {
  return Array.isArray(choices) && choices.length === 0 && isObject(usage);
}

function tellBeside(shown: StreamEvent[], chunk: WireObject): void {
  const { choices: _, usage: __, ...beside } = chunk;
  const at = shown.findLastIndex(({ value }) => listOf(value?.['choices']).length > 0);
  const { value, ...last } = shown[at] ?? {};
  if (!value || Object.keys(beside).every((name) => name in value)) return;
  shown[at] = rewritten(last as StreamEvent, { ...value, ...beside });
}

function withoutNull(event: StreamEvent, chunk: WireObject): StreamEvent {
  const { usage: _, ...value } = chunk;
  const span = jsonMemberSpan(event.data, 'usage');
  const before = /,\s*"usage"\s*:\s*$/.exec(event.data.slice(0, span?.start));
  // Where it stands behind others, as it does everywhere, all other characters stay.
  if (!span || !before) return rewritten(event, value);
  return writeText(event.data.slice(0, before.index) + event.data.slice(span.end), value, event.name);
}
