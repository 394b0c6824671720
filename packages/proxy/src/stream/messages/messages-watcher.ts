import { isObject } from '@throughline/core/codec';
import type { ModelFinish } from '@throughline/ports';
import { FactsSoFar } from '../shared/facts.ts';
import { countOf, listOf, objectOf, textOf } from '@throughline/core/internal';
import type { AnswerFacts, AnswerUsage, Position, WatcherOptions } from '../shared/facts.ts';
import type { StreamEvent, WireObject } from '../shared/stream-event.ts';

const finishes: Readonly<Record<string, ModelFinish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool-calls',
  pause_turn: 'paused',
  refusal: 'refusal',
  model_context_window_exceeded: 'window-full',
};

type EventRule = (facts: FactsSoFar, event: WireObject) => void;

/** One short function per event; what is not listed says nothing. */
const eventRules: ReadonlyMap<string, EventRule> = new Map<string, EventRule>([
  ['message_start', (facts, { message }) => startMessage(facts, objectOf(message))],
  ['content_block_start', (facts, { content_block: block }) => startBlock(facts, objectOf(block))],
  ['content_block_delta', (facts, { delta }) => addToBlock(facts, objectOf(delta))],
  ['content_block_stop', (facts) => facts.endBlock()],
  ['message_delta', (facts, { delta, usage }) => endMessage(facts, objectOf(delta), usage)],
  [
    'message_stop',
    (facts) => {
      facts.isDone = true;
    },
  ],
  ['error', (facts, event) => facts.fail(event)],
]);

type BlockRule = (facts: FactsSoFar, block: WireObject) => void;

/** What the start of a block says, by its type; the others are calls, their results, or other things that are no text. */
const blockRules: ReadonlyMap<string, BlockRule> = new Map<string, BlockRule>([
  ['text', (facts, { text }) => openText(facts, text)],
  ['thinking', (facts, { thinking }) => facts.tell('reasoning', textOf(thinking))],
  ['redacted_thinking', (facts) => facts.begin('reasoning')],
]);

const deltaRules: ReadonlyMap<string, (facts: FactsSoFar, delta: WireObject) => void> = new Map([
  ['text_delta', (facts: FactsSoFar, delta: WireObject) => facts.say(textOf(delta['text']))],
  ['thinking_delta', (facts, delta) => facts.tell('reasoning', textOf(delta['thinking']))],
  ['input_json_delta', (facts, delta) => facts.tell('tool-arguments', textOf(delta['partial_json']))],
]);

/** What one answer of the messages API tells. */
export class MessagesWatcher {
  private readonly soFar: FactsSoFar;

  constructor(options: WatcherOptions = {}) {
    this.soFar = new FactsSoFar(options);
  }

  get facts(): AnswerFacts {
    return this.soFar;
  }

  take({ value, data, name, isPiece }: StreamEvent): void {
    if (isPiece) this.soFar.position = 'unknown';
    if (name === 'error' && !value) this.soFar.fail(data);
    if (value) eventRules.get(textOf(value['type']) || (name ?? ''))?.(this.soFar, value);
  }

  say(text: string): void {
    this.soFar.say(text);
  }

  /** The connection has ended: a last event or nothing says that the answer is whole. */
  close(): void {}
}

/** The facts of an answer that came whole. */
export function readMessagesAnswer(body: WireObject, options: WatcherOptions = {}): AnswerFacts {
  const facts = new FactsSoFar(options);
  if (body['type'] === 'error' || isObject(body['error'])) facts.fail(body);
  startMessage(facts, body);
  facts.usage = addUsage(facts.usage, body['usage'], true);
  for (const block of listOf(body['content']).map(objectOf)) {
    startBlock(facts, block);
    if (facts.position === 'tool-arguments')
      facts.tell('tool-arguments', JSON.stringify(block['input'] ?? ''));
  }
  facts.end(body['stop_reason'], finishes);
  facts.isDone = facts.error === undefined && facts.finishReason !== undefined;
  return facts;
}

function startMessage(facts: FactsSoFar, { id, model, usage }: WireObject): void {
  facts.start(id, model);
  facts.usage = addUsage(facts.usage, usage, false);
}

function startBlock(facts: FactsSoFar, block: WireObject): void {
  const rule = blockRules.get(textOf(block['type']));
  if (rule) return rule(facts, block);
  const position: Position = 'tool-arguments';
  facts.begin(position);
  facts.tell(position, textOf(block['name']));
}

function openText(facts: FactsSoFar, text: unknown): void {
  facts.openText();
  facts.say(textOf(text));
}

function addToBlock(facts: FactsSoFar, delta: WireObject): void {
  deltaRules.get(textOf(delta['type']))?.(facts, delta);
}

function endMessage(facts: FactsSoFar, { stop_reason: reason }: WireObject, usage: unknown): void {
  facts.usage = addUsage(facts.usage, usage, true);
  facts.end(reason, finishes);
}

/**
 * Usage comes at the start and again, cumulative, at the end, where servers that only imitate the format tell the truth:
 * of each number the last above 0 counts. What the start says of the output is the first token or two.
 */
function addUsage(before: AnswerUsage | undefined, usage: unknown, isEnd: boolean): AnswerUsage | undefined {
  if (!isObject(usage)) return before;
  const cacheReadTokens = countOf(usage['cache_read_input_tokens']) || (before?.cacheReadTokens ?? 0);
  const cacheWriteTokens = countOf(usage['cache_creation_input_tokens']) || (before?.cacheWriteTokens ?? 0);
  const cachedBefore = (before?.cacheReadTokens ?? 0) + (before?.cacheWriteTokens ?? 0);
  const computed = countOf(usage['input_tokens']) || (before ? before.inputTokens - cachedBefore : 0);
  const { thinking_tokens: thinking } = objectOf(usage['output_tokens_details']);
  return {
    inputTokens: computed + cacheReadTokens + cacheWriteTokens,
    outputTokens: (isEnd ? countOf(usage['output_tokens']) : 0) || (before?.outputTokens ?? 0),
    reasoningTokens: countOf(thinking) || (before?.reasoningTokens ?? 0),
    cacheReadTokens,
    cacheWriteTokens,
  };
}
