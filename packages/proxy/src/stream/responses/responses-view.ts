import { countOf, listOf, objectOf, textOf } from '@throughline/core/internal';
import { typedEvent } from '../shared/stream-event.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** A part of a message that the client has. */
interface PartSoFar {
  readonly index: number;
  readonly type: string;
  text: string;
  readonly annotations: unknown[];
  readonly logprobs: unknown[];
  isDone: boolean;
}

/** An item that the client has. */
export interface ItemSoFar {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  value: WireObject;
  readonly parts: PartSoFar[];
  isDone: boolean;
}

type Rule = (view: ResponsesView, event: WireObject) => void;

const begins: Rule = (view, { response }) => {
  view.response ??= objectOf(response);
};
const says: Rule = (view, event) => {
  const part = view.partOf(event);
  part.text += textOf(event['delta']);
  part.logprobs.push(...listOf(event['logprobs']));
};

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['response.created', begins],
  ['response.in_progress', begins],
  ['response.queued', begins],
  ['response.output_item.added', (view, event) => void view.itemOf(event)],
  ['response.content_part.added', (view, event) => void view.partOf(event)],
  ['response.output_text.delta', says],
  ['response.refusal.delta', says],
  [
    'response.output_text.annotation.added',
    (view, event) => void view.partOf(event).annotations.push(event['annotation']),
  ],
  ['response.content_part.done', (view, event) => view.endPart(event, objectOf(event['part']))],
  ['response.output_item.done', (view, event) => view.endItem(event, objectOf(event['item']))],
]);

/** A response as the client has it: what the last event of the stream must repeat. */
export class ResponsesView {
  /** As the first event told it. */
  response: WireObject | undefined;
  /** The number of the last event; `undefined` where the upstream numbers none. */
  #sequence: number | undefined;
  readonly #items = new Map<number, ItemSoFar>();

  saw({ value }: StreamEvent): void {
    if (!value) return;
    const { sequence_number: sequence } = value;
    if (typeof sequence === 'number') this.#sequence = Math.max(sequence, this.#sequence ?? 0);
    rules.get(textOf(value['type']))?.(this, value);
  }

  /** The value under the next number. */
  numbered<Value extends WireObject>(value: Value): Value {
    if (this.#sequence === undefined) return value;
    return { ...value, sequence_number: this.#sequence + 1 };
  }

  get nextIndex(): number {
    return Math.max(-1, ...this.#items.keys()) + 1;
  }

  hasId(id: unknown): boolean {
    return [...this.#items.values()].some((item) => item.id === id);
  }

  itemAt(index: number): ItemSoFar | undefined {
    return this.#items.get(index);
  }

  /** The item of an event, which begins with it where it has not begun. */
  itemOf(event: WireObject): ItemSoFar {
    const index = countOf(event['output_index']);
    const known = this.#items.get(index);
    if (known) return known;
    const value = objectOf(event['item']);
    const id = textOf(event['item_id']) || textOf(value['id']);
    const type = textOf(value['type']) || 'message';
    const item: ItemSoFar = { index, id, type, value, parts: [], isDone: false };
    this.#items.set(index, item);
    return item;
  }

  /** The part of an event, which begins with it where it has not begun. */
  partOf(event: WireObject): PartSoFar {
    const { parts } = this.itemOf(event);
    const index = countOf(event['content_index']);
    const known = parts.find((part) => part.index === index);
    if (known) return known;
    const { type, text, annotations } = objectOf(event['part']);
    const part: PartSoFar = {
      index,
      type: textOf(type) || (event['type'] === 'response.refusal.delta' ? 'refusal' : 'output_text'),
      text: textOf(text),
      annotations: [...listOf(annotations)],
      logprobs: [],
      isDone: false,
    };
    parts.push(part);
    return part;
  }

  endPart(event: WireObject, value: WireObject): void {
    const part = this.partOf(event);
    part.text = textOf(value['text']) || textOf(value['refusal']) || part.text;
    part.isDone = true;
  }

  endItem(event: WireObject, value: WireObject): void {
    const item = this.itemOf(event);
    item.value = value;
    item.isDone = true;
  }

  /** The message that is being told, and the text of it that can go on. */
  get open(): { readonly item: ItemSoFar; readonly part: PartSoFar | undefined } | undefined {
    const item = [...this.#items.values()].findLast(({ isDone, type }) => !isDone && type === 'message');
    const part = item?.parts.at(-1);
    return item && { item, part: part?.isDone === false && part.type === 'output_text' ? part : undefined };
  }

  /** All items, as the last event lists them. */
  output(): readonly WireObject[] {
    const inOrder = [...this.#items.values()].toSorted((one, other) => one.index - other.index);
    return inOrder.map((item) => (item.isDone ? item.value : wholeItem(item, 'incomplete')));
  }

  /** Events that end what is open. */
  close(status: 'completed' | 'incomplete' = 'completed'): readonly StreamEvent[] {
    const { open } = this;
    if (!open) return [];
    const ended = open.part ? this.closePart(open.item, open.part) : [];
    const at = { output_index: open.item.index };
    const item = wholeItem(open.item, status);
    return [...ended, this.told({ type: 'response.output_item.done', ...at, item })];
  }

  closePart(item: ItemSoFar, part: PartSoFar): readonly StreamEvent[] {
    const at = { item_id: item.id, output_index: item.index, content_index: part.index };
    const { text, logprobs } = part;
    return [
      this.told({ type: 'response.output_text.done', ...at, text, logprobs }),
      this.told({ type: 'response.content_part.done', ...at, part: wholePart(part) }),
    ];
  }

  /** An event of our own or a changed one, that the client gets. */
  told(value: WireObject & { readonly type: string }): StreamEvent {
    const event = typedEvent(this.numbered(value));
    this.saw(event);
    return event;
  }
}

export function wholePart(
  { type, text, annotations, logprobs }: PartSoFar,
  given: WireObject = {},
): WireObject {
  if (type === 'refusal') return { ...given, type, refusal: text };
  return { ...given, type, text, annotations, logprobs };
}

export function wholeItem({ value, parts, type }: ItemSoFar, status: string): WireObject {
  const content = parts.map((part) => wholePart(part));
  return { ...value, ...(type === 'message' && { content }), status };
}
