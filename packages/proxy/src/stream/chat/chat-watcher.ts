import { FactsSoFar } from '../shared/facts.ts';
import { chatUsage, finishReasons, countOf, listOf, objectOf, textOf } from '@throughline/core/internal';
import { isSaid } from '../shared/stream-event.ts';
import type { AnswerFacts, WatcherOptions } from '../shared/facts.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

type DeltaRule = (facts: FactsSoFar, value: unknown, delta: WireObject) => void;

/** What can stand in a delta. Servers tell reasoning under several names, some under several at once. */
const deltaRules: readonly (readonly [string, DeltaRule])[] = [
  ['reasoning_content', (facts, value) => facts.tell('reasoning', textOf(value))],
  [
    'reasoning',
    (facts, value, delta) => {
      if (textOf(delta['reasoning_content']) === '') facts.tell('reasoning', textOf(value));
    },
  ],
  [
    'reasoning_details',
    (facts, value, delta) => {
      if (textOf(delta['reasoning']) === '' && textOf(delta['reasoning_content']) === '')
        facts.tell('reasoning', listOf(value).map(textOfDetail).join(''));
    },
  ],
  ['content', (facts, value) => sayContent(facts, value)],
  ['refusal', (facts, value) => facts.tell('refusal', textOf(value))],
  ['tool_calls', (facts, value) => listOf(value).forEach((call) => tellCall(facts, objectOf(call)))],
  ['function_call', (facts, value) => tellCall(facts, { function: value })],
  [
    'audio',
    (facts, value) => {
      facts.begin('tool-arguments');
      facts.tell('tool-arguments', textOf(objectOf(value)['transcript']));
    },
  ],
];

/** What one answer of the chat API tells. */
export class ChatWatcher {
  readonly #soFar: FactsSoFar;

  constructor(options: WatcherOptions = {}) {
    this.#soFar = new FactsSoFar(options);
  }

  get facts(): AnswerFacts {
    return this.#soFar;
  }

  take({ value, data, name, isPiece }: StreamEvent): void {
    const facts = this.#soFar;
    if (isPiece) facts.position = 'unknown';
    if (data.trim() === '[DONE]') facts.isDone = true;
    if (name === 'error') facts.fail(value ?? data);
    if (!value) return;
    takeErrors(facts, value);
    takeShared(facts, value);
    const choices = listOf(value['choices']).map(objectOf);
    if (choices.length > 1 || countOf(choices[0]?.['index']) > 0) facts.hasManyChoices = true;
    for (const choice of choices) {
      takeMessage(facts, objectOf(choice['delta']));
      facts.end(choice['finish_reason'], finishReasons.chat);
    }
  }

  say(text: string): void {
    this.#soFar.say(text);
  }

  /** The connection has ended. Not every server writes a last line. */
  close(): void {
    if (this.#soFar.finishReason !== undefined && this.#soFar.error === undefined) this.#soFar.isDone = true;
  }
}

/** The facts of an answer that came whole. */
export function readChatAnswer(body: WireObject, options: WatcherOptions = {}): AnswerFacts {
  const facts = new FactsSoFar(options);
  takeErrors(facts, body);
  takeShared(facts, body);
  const choices = listOf(body['choices']).map(objectOf);
  facts.hasManyChoices = choices.length > 1;
  for (const choice of choices) {
    takeMessage(facts, objectOf(choice['message']));
    facts.end(choice['finish_reason'], finishReasons.chat);
  }
  facts.isDone = facts.error === undefined && facts.finishReason !== undefined;
  return facts;
}

function takeErrors(facts: FactsSoFar, value: WireObject): void {
  if (isSaid(value['error'])) facts.fail(value);
  for (const choice of listOf(value['choices']).map(objectOf)) {
    if (isSaid(choice['error'])) facts.fail({ error: choice['error'] });
    else if (choice['finish_reason'] === 'error') facts.fail(value);
  }
}

function takeShared(facts: FactsSoFar, value: WireObject): void {
  facts.start(value['id'], value['model']);
  facts.usage = chatUsage(value) ?? facts.usage;
}

function takeMessage(facts: FactsSoFar, message: WireObject): void {
  for (const [field, rule] of deltaRules) {
    if (isSaid(message[field])) rule(facts, message[field], message);
  }
}

function sayContent(facts: FactsSoFar, content: unknown): void {
  if (typeof content === 'string') facts.say(content);
  for (const block of listOf(content).map(objectOf)) {
    if (block['type'] === 'text') facts.say(textOf(block['text']));
    else facts.tell('reasoning', thoughtIn(block['thinking']));
  }
}

function thoughtIn(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  return listOf(thinking)
    .map((block) => textOf(objectOf(block)['text']))
    .join('');
}

function tellCall(facts: FactsSoFar, call: WireObject): void {
  const { name, arguments: text } = objectOf(call['function']);
  const custom = objectOf(call['custom']);
  facts.begin('tool-arguments');
  for (const piece of [name, text, custom['name'], custom['input']])
    facts.tell('tool-arguments', textOf(piece));
}

function textOfDetail(detail: unknown): string {
  const { text, summary } = objectOf(detail);
  return textOf(text) || textOf(summary);
}
