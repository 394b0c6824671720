import { countOf, isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import type { Path } from '@throughline/core/codec';
import type { WireObject } from '../../recording/json-value.ts';
import type { Origin, RecordedUsage } from '../../recording/recording.ts';

/** One logged line that carries an Anthropic message or a block of one. */
export interface Talk {
  /** Index into the document's lines. */
  readonly line: number;
  readonly role: 'user' | 'assistant';
  readonly message: WireObject;
  /** Where the message lies in the line. @default ['message'] */
  readonly at?: Path;
}

interface JoinedTalk {
  readonly messages: readonly unknown[];
  readonly origins: readonly Origin[];
  readonly usage: readonly RecordedUsage[];
}

interface Round {
  readonly assistant: Talk[];
  readonly results: Talk[];
  readonly others: Talk[];
}

/**
 * Anthropic messages from lines that hold one content block each: assistant lines with the same message id become
 * one message with usage counted once, and the results of parallel calls one user message right after it, as they
 * are sent. A message of one line stays the very object of that line.
 */
export function joinTalk(talk: readonly Talk[]): JoinedTalk {
  const messages: unknown[] = [];
  const origins: Origin[] = [];
  const usage: RecordedUsage[] = [];
  const add = (lines: readonly Talk[]): void => {
    if (lines.length === 0) return;
    messages.push(joinMessage(lines));
    origins.push(originOf(lines));
  };
  for (const { assistant, results, others } of roundsOf(talk)) {
    const measured = usageOf(assistant, messages.length);
    if (measured) usage.push(measured);
    add(assistant);
    add(inCallOrder(results, assistant));
    for (const line of others) add([line]);
  }
  return { messages, origins, usage };
}

function roundsOf(talk: readonly Talk[]): Round[] {
  let current: Round = { assistant: [], results: [], others: [] };
  const rounds = [current];
  for (const line of talk) {
    if (line.role === 'assistant') {
      if (!continues(current.assistant, line)) {
        current = { assistant: [], results: [], others: [] };
        rounds.push(current);
      }
      current.assistant.push(line);
    } else if (isResultOnly(line.message)) current.results.push(line);
    else current.others.push(line);
  }
  return rounds;
}

/** Results come in the order of their calls, whenever they finished and were written down. */
function inCallOrder(results: readonly Talk[], assistant: readonly Talk[]): readonly Talk[] {
  if (results.length < 2) return results;
  const calls = assistant
    .flatMap(({ message }) => listOf(message['content']))
    .map((block) => objectOf(block)['id']);
  const positions = new Map(calls.map((id, index) => [id, index]));
  const placeOf = ({ message }: Talk): number =>
    positions.get(objectOf(listOf(message['content'])[0])['tool_use_id']) ?? calls.length;
  return results.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function continues(assistant: readonly Talk[], line: Talk): boolean {
  const id = textOf(line.message['id']);
  const last = assistant.at(-1);
  return id !== undefined && last?.message['id'] === id && hasBlocks(last.message) && hasBlocks(line.message);
}

function hasBlocks(message: WireObject): boolean {
  return Array.isArray(message['content']);
}

function isResultOnly(message: WireObject): boolean {
  const blocks = listOf(message['content']);
  return blocks.length > 0 && blocks.every((block) => isObject(block) && block['type'] === 'tool_result');
}

function joinMessage(lines: readonly Talk[]): unknown {
  const [first] = lines;
  if (first === undefined || lines.length === 1) return first?.message;
  return { ...first.message, content: lines.flatMap(({ message }) => listOf(message['content'])) };
}

function originOf(lines: readonly Talk[]): Origin {
  const [first] = lines;
  if (first !== undefined && lines.length === 1) {
    return { type: 'line', line: first.line, at: first.at ?? ['message'] };
  }
  const pieces = lines.map(({ line, message }) => ({ line, blocks: listOf(message['content']).length }));
  return { type: 'lines', pieces };
}

/** The last line of a message has the final count; the same usage stands on each of its lines. */
function usageOf(assistant: readonly Talk[], messageIndex: number): RecordedUsage | undefined {
  const line = assistant.findLast(({ message }) => isObject(message['usage']));
  if (line === undefined) return undefined;
  const usage = objectOf(line.message['usage']);
  const cacheReadTokens = countOf(usage['cache_read_input_tokens']);
  const cacheWriteTokens = countOf(usage['cache_creation_input_tokens']);
  const inputTokens = countOf(usage['input_tokens']) + cacheReadTokens + cacheWriteTokens;
  if (inputTokens === 0) return undefined;
  const model = textOf(line.message['model']);
  const outputTokens = countOf(usage['output_tokens']);
  const base = { messageIndex, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens };
  return model === undefined ? base : { ...base, model };
}
