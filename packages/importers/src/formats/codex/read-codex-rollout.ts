import { openaiResponsesCodec } from '@throughline/core';
import { countOf, isObject, objectOf, textOf } from '../../recording/json-value.ts';
import { unknownLinesNote } from '../../source/unreadable.ts';
import { isBareHead, isBareItem, isState, replayRollout } from './replay-rollout.ts';
import type { FormatReading, ReadOptions } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type {
  LinesDocument,
  RecordedSession,
  RecordedUsage,
  RecordingNote,
} from '../../recording/recording.ts';
import type { Item } from './replay-rollout.ts';

const lineTypes: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'inter_agent_communication',
  'world_state',
  'rollout_reference',
  'inter_agent_communication_metadata',
  'security_risk_score',
  'token_usage_record',
]);

export function ownsCodexLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (lineTypes.has(value['type']) && isObject(value['payload'])) || isBareHead(value) || isState(value);
}

/**
 * Reads a Codex rollout. Active is what Codex would send next: the newest `replacement_history` and the items after
 * it, with rolled-back turns taken out. Each history that a compaction replaced is an archived session, each
 * rolled-back one a branch. Usage stands with the response it was reported for.
 */
export function readCodexRollout(document: LinesDocument, options: ReadOptions): FormatReading {
  const { active, archived, branches } = replayRollout(document, options.isWhole);
  const meta = metaOf(document);
  const session = (items: readonly Item[], kind: RecordedSession['kind'], id: string): RecordedSession => ({
    id,
    kind,
    codec: openaiResponsesCodec,
    messages: items.map(({ message }) => message),
    origins: items.map(({ origin }) => origin),
    usage: usageOf(items, document),
    holdsWholePrompt: false,
    ...meta.details,
  });
  const sessions =
    active.length + archived.length === 0
      ? []
      : [
          session(active, 'active', meta.id),
          ...archived.map((items, index) => session(items, 'archived', `${meta.id}#archived-${index + 1}`)),
          ...branches.map((items, index) => session(items, 'branch', `${meta.id}#branch-${index + 1}`)),
        ];
  return { sessions, notes: notesOf(document) };
}

interface Meta {
  readonly id: string;
  readonly details: Pick<RecordedSession, 'system' | 'model' | 'windowTokens'>;
}

function metaOf(document: LinesDocument): Meta {
  const payloads = (type: string): WireObject[] =>
    document.lines.flatMap(({ value }) =>
      isObject(value) && value['type'] === type ? [objectOf(value['payload'])] : [],
    );
  const meta = headOf(document);
  const instructions = objectOf(meta['base_instructions'])['text'] ?? meta['base_instructions'];
  // What older versions call instructions here are the user's own, which are sent as a message.
  const system = textOf(instructions);
  const model = textOf(payloads('turn_context').at(-1)?.['model']);
  const windowTokens = windowOf(payloads('event_msg'));
  return {
    id: textOf(meta['id']) ?? 'session',
    details: {
      ...(system === undefined ? {} : { system }),
      ...(model === undefined ? {} : { model }),
      ...(windowTokens === undefined ? {} : { windowTokens }),
    },
  };
}

/** What Codex itself went by, with every count and at the start of every turn. */
function windowOf(events: readonly WireObject[]): number | undefined {
  const stated = events.flatMap((event) => [
    countOf(event['model_context_window']),
    countOf(objectOf(event['info'])['model_context_window']),
  ]);
  return stated.findLast((tokens) => tokens > 0);
}

function headOf({ lines }: LinesDocument): WireObject {
  const values = lines.map(({ value }) => objectOf(value));
  const head = values.find(({ type }) => type === 'session_meta');
  return head ? objectOf(head['payload']) : (values.find(isBareHead) ?? {});
}

function notesOf(document: LinesDocument): RecordingNote[] {
  const strange = document.lines.filter(({ value }) => !ownsCodexLine(value) && !isBareItem(value));
  const [first] = strange;
  const base = textOf(objectOf(headOf(document)['history_base'])['thread_id']);
  return [
    ...(base === undefined
      ? []
      : [{ note: `it goes on from another file, that of ${base}, which is not read` }]),
    ...(first === undefined ? [] : [{ line: first.number, note: unknownLinesNote(strange.length) }]),
  ];
}

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
function usageOf(items: readonly Item[], document: LinesDocument): RecordedUsage[] {
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
function countIn(line: WireObject, payload: WireObject): WireObject | undefined {
  if (line['type'] === 'token_usage_record') return objectOf(payload['usage']);
  if (line['type'] !== 'event_msg' || payload['type'] !== 'token_count') return undefined;
  return objectOf(objectOf(payload['info'])['last_token_usage']);
}

function countedBy(last: WireObject): Omit<RecordedUsage, 'messageIndex'> | undefined {
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
