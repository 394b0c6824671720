import type { ModelFinish } from '@throughline/ports';
import { FactsSoFar } from '../shared/facts.ts';
import { responsesUsage, finishReasons, countOf, listOf, objectOf, textOf } from '@throughline/core/internal';
import { isSaid } from '../shared/stream-event.ts';
import type { AnswerFacts, Position, WatcherOptions } from '../shared/facts.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

type EventRule = (watched: Watched, event: WireObject) => void;

const opensText: EventRule = ({ facts }) => facts.openText();
const endsBlock: EventRule = ({ facts }) => facts.endBlock();
const tells =
  (position: Position): EventRule =>
  (watched, event) =>
    watched.tell(event, position, textOf(event['delta']));
/** Some servers tell arguments at the end only. */
const endsWith =
  (position: Position, field: string): EventRule =>
  (watched, event) =>
    watched.tellRest(event, position, textOf(event[field]));
const ends: EventRule = (watched, { response }) => watched.end(objectOf(response));

/** One short function per event; what is not listed says nothing that another does not say. */
const eventRules: ReadonlyMap<string, EventRule> = new Map<string, EventRule>([
  ['response.created', (watched, { response }) => watched.start(objectOf(response))],
  ['response.in_progress', (watched, { response }) => watched.start(objectOf(response))],
  ['response.queued', (watched, { response }) => watched.start(objectOf(response))],
  ['response.output_item.added', (watched, { item }) => watched.addItem(objectOf(item))],
  ['response.output_item.done', (watched, event) => watched.endItem(event, objectOf(event['item']))],
  ['response.content_part.added', opensText],
  ['response.content_part.done', endsBlock],
  ['response.output_text.delta', (watched, event) => watched.say(event, textOf(event['delta']))],
  ['response.output_text.done', (watched, event) => watched.endText(event, textOf(event['text']))],
  ['response.refusal.delta', tells('refusal')],
  ['response.reasoning_summary_text.delta', tells('reasoning')],
  ['response.reasoning_text.delta', tells('reasoning')],
  ['response.function_call_arguments.delta', tells('tool-arguments')],
  ['response.function_call_arguments.done', endsWith('tool-arguments', 'arguments')],
  ['response.custom_tool_call_input.delta', tells('tool-arguments')],
  ['response.custom_tool_call_input.done', endsWith('tool-arguments', 'input')],
  ['response.mcp_call_arguments.delta', tells('tool-arguments')],
  ['response.mcp_call_arguments.done', endsWith('tool-arguments', 'arguments')],
  ['response.code_interpreter_call_code.delta', tells('tool-arguments')],
  ['response.completed', ends],
  ['response.incomplete', ends],
  ['response.failed', (watched, { response }) => watched.fail(objectOf(response))],
  ['error', ({ facts }, event) => facts.fail(event)],
]);

/** What one answer of the responses API tells. */
export class ResponsesWatcher {
  readonly #watched: Watched;

  constructor(options: WatcherOptions = {}) {
    this.#watched = new Watched(new FactsSoFar(options));
  }

  get facts(): AnswerFacts {
    return this.#watched.facts;
  }

  take({ value, data, name, isPiece }: StreamEvent): void {
    const { facts } = this.#watched;
    if (isPiece) facts.position = 'unknown';
    if (name === 'error' && !value) facts.fail(data);
    if (!value) return;
    const type = textOf(value['type']) || (name ?? '');
    // Some gateways send the error of the chat API.
    if (type === '' && isSaid(value['error'])) facts.fail(value);
    eventRules.get(type)?.(this.#watched, value);
  }

  /** The connection has ended: a last event or nothing says that the answer is whole. */
  close(): void {}
}

/** The facts of an answer that came whole. */
export function readResponsesAnswer(body: WireObject, options: WatcherOptions = {}): AnswerFacts {
  const watched = new Watched(new FactsSoFar(options));
  if (isSaid(body['error'])) watched.facts.fail(body);
  watched.end(body);
  watched.facts.isDone = watched.facts.error === undefined && watched.facts.finishReason !== undefined;
  return watched.facts;
}

/** Items that hold no content of their own before more is told of them. */
const isEmptyAtFirst: ReadonlySet<string> = new Set(['message', 'reasoning']);

class Watched {
  readonly facts: FactsSoFar;
  /** How many characters were told of each item or part. */
  readonly #told = new Map<string, number>();
  #hasItems = false;
  #hasRefusal = false;

  constructor(facts: FactsSoFar) {
    this.facts = facts;
  }

  start({ id, model }: WireObject): void {
    this.facts.start(id, model);
  }

  addItem({ type, id, name }: WireObject): void {
    this.#hasItems = true;
    this.facts.openText();
    if (typeof id === 'string' && !this.facts.itemIds.includes(id)) this.facts.itemIds.push(id);
    if (isEmptyAtFirst.has(textOf(type))) return this.facts.endBlock();
    this.facts.begin('tool-arguments');
    this.facts.tell('tool-arguments', textOf(name));
  }

  say(event: WireObject, text: string): void {
    this.#add(event, text);
    this.facts.say(text);
  }

  tell(event: WireObject, position: Position, text: string): void {
    this.#add(event, text);
    if (position === 'refusal') this.#hasRefusal = true;
    this.facts.tell(position, text);
  }

  endText(event: WireObject, text: string): void {
    this.facts.say(text.slice(this.#toldOf(event)));
    this.facts.endBlock();
  }

  tellRest(event: WireObject, position: Position, text: string): void {
    this.tell(event, position, text.slice(this.#toldOf(event)));
  }

  endItem(event: WireObject, item: WireObject): void {
    if (!this.#hasItems) this.#readItem(item);
    else if (item['type'] === 'function_call')
      this.tellRest(event, 'tool-arguments', textOf(item['arguments']));
    // Reasoning that is not shown is told by its end alone.
    if (item['type'] === 'reasoning') this.facts.begin('reasoning');
    this.facts.endBlock();
  }

  #readItem(item: WireObject): void {
    this.addItem(item);
    for (const part of listOf(item['content']).map(objectOf)) {
      this.facts.openText();
      if (part['type'] === 'output_text') this.facts.say(textOf(part['text']));
      if (part['type'] === 'refusal') this.tell({}, 'refusal', textOf(part['refusal']));
      if (part['type'] === 'reasoning_text') this.facts.tell('reasoning', textOf(part['text']));
    }
    for (const part of listOf(item['summary']).map(objectOf))
      this.facts.tell('reasoning', textOf(part['text']));
    for (const field of ['arguments', 'input']) this.facts.tell('tool-arguments', textOf(item[field]));
  }

  end(response: WireObject): void {
    this.start(response);
    // Some servers tell the items only here.
    if (!this.#hasItems) for (const item of listOf(response['output']).map(objectOf)) this.#readItem(item);
    this.facts.usage = responsesUsage(response['usage']) ?? this.facts.usage;
    const { reason } = objectOf(response['incomplete_details']);
    this.facts.end(textOf(reason) || response['status'], finishReasons.responses);
    if (this.facts.finish === 'stop') this.facts.finish = this.#finish();
    this.facts.isDone = true;
  }

  #finish(): ModelFinish {
    if (this.#hasRefusal) return 'refusal';
    return this.facts.hasCalls ? 'tool-calls' : 'stop';
  }

  fail(response: WireObject): void {
    this.start(response);
    this.facts.usage = responsesUsage(response['usage']) ?? this.facts.usage;
    this.facts.fail(response['error'] ?? response);
  }

  #add(event: WireObject, text: string): void {
    this.#told.set(keyOf(event), this.#toldOf(event) + text.length);
  }

  #toldOf(event: WireObject): number {
    return this.#told.get(keyOf(event)) ?? 0;
  }
}

function keyOf({ output_index: index, item_id: id, content_index: part }: WireObject): string {
  return `${typeof index === 'number' ? index : textOf(id)}.${countOf(part)}`;
}
