import { isObject } from '@throughline/core/codec';
import { FactsSoFar } from '../shared/facts.ts';
import { messagesUsage, finishReasons, listOf, objectOf, textOf } from '@throughline/core/internal';
import type { AnswerFacts, Position, WatcherOptions } from '../shared/facts.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

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
  readonly #soFar: FactsSoFar;

  constructor(options: WatcherOptions = {}) {
    this.#soFar = new FactsSoFar(options);
  }

  get facts(): AnswerFacts {
    return this.#soFar;
  }

  take({ value, data, name, isPiece }: StreamEvent): void {
    if (isPiece) this.#soFar.position = 'unknown';
    if (name === 'error' && !value) this.#soFar.fail(data);
    if (value) eventRules.get(textOf(value['type']) || (name ?? ''))?.(this.#soFar, value);
  }

  say(text: string): void {
    this.#soFar.say(text);
  }

  /** The connection has ended: a last event or nothing says that the answer is whole. */
  close(): void {}
}

/** The facts of an answer that came whole. */
export function readMessagesAnswer(body: WireObject, options: WatcherOptions = {}): AnswerFacts {
  const facts = new FactsSoFar(options);
  if (body['type'] === 'error' || isObject(body['error'])) facts.fail(body);
  startMessage(facts, body);
  facts.usage = messagesUsage(facts.usage, body['usage'], 'end');
  for (const block of listOf(body['content']).map(objectOf)) {
    startBlock(facts, block);
    if (facts.position === 'tool-arguments')
      facts.tell('tool-arguments', JSON.stringify(block['input'] ?? ''));
  }
  facts.end(body['stop_reason'], finishReasons.messages);
  facts.isDone = facts.error === undefined && facts.finishReason !== undefined;
  return facts;
}

function startMessage(facts: FactsSoFar, { id, model, usage }: WireObject): void {
  facts.start(id, model);
  facts.usage = messagesUsage(facts.usage, usage, 'start');
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
  facts.usage = messagesUsage(facts.usage, usage, 'end');
  facts.end(reason, finishReasons.messages);
}
