import { firstPart } from '../shared/continuation.ts';
import { countOf, listOf, objectOf, textOf } from '@throughline/core/internal';
import { joinResponsesUsage, writeResponsesUsage } from './responses-usage.ts';
import { ResponsesView, wholeItem, wholePart } from './responses-view.ts';
import type { AnswerPart, Continuation, Ending, StreamFault } from '../shared/continuation.ts';
import type { StreamEvent } from '../shared/stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

type Typed = WireObject & { readonly type: string };
type Rule = (answer: ResponsesContinuation, value: Typed) => readonly StreamEvent[];

const starts: Rule = (answer, value) => answer.startPart(value);
const ends: Rule = (answer, value) => answer.end(value);

/** What becomes of each event of a part; of what is not listed only the place and the number change. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['response.created', starts],
  ['response.in_progress', starts],
  ['response.queued', starts],
  ['response.output_item.added', (answer, value) => answer.addItem(value)],
  ['response.content_part.added', (answer, value) => answer.addPart(value)],
  ['response.output_text.delta', (answer, value) => answer.say(value)],
  ['response.output_text.annotation.added', (answer, value) => answer.cite(value)],
  ['response.output_text.done', (answer, value) => answer.endText(value)],
  ['response.content_part.done', (answer, value) => answer.endPart(value)],
  ['response.output_item.done', (answer, value) => answer.endItem(value)],
  ['response.completed', ends],
  ['response.incomplete', ends],
  ['response.failed', ends],
]);

/** What an item of this part is for the client. */
interface ItemPlace {
  readonly index: number;
  readonly id: unknown;
  /** The message that goes on: its parts are not numbered from 0. */
  readonly goesOn: boolean;
  firstPart: number;
}

/** What the end of a response tells; all else of it is as it began. */
const endFields = ['status', 'error', 'incomplete_details', 'completed_at', 'service_tier'] as const;

/** Types of items that say something to whoever reads the answer. */
const isSaying: ReadonlySet<unknown> = new Set(['message', 'reasoning']);

/** A response is a list of items in places of their own, told in numbered events, and once more whole at the end. */
export class ResponsesContinuation implements Continuation {
  #part: AnswerPart = firstPart({ inputTokens: 0 });
  readonly #view = new ResponsesView();
  readonly #places = new Map<number, ItemPlace>();
  /** How much text the upstream has told of each of its parts. */
  readonly #told = new Map<string, number>();
  /** Where text that is held back belongs. */
  #textAt: WireObject = {};

  saw(event: StreamEvent): void {
    this.#view.saw(event);
  }

  begin(part: AnswerPart): void {
    this.#part = part;
    this.#places.clear();
    this.#told.clear();
    const { open } = this.#view;
    if (open?.part)
      this.#textAt = { item_id: open.item.id, output_index: open.item.index, content_index: open.part.index };
  }

  take(event: StreamEvent): readonly StreamEvent[] {
    const { value } = event;
    if (!value) return [event];
    const { type } = value;
    if (typeof type !== 'string') return [...this.flush(), event];
    const typed = { ...value, type };
    return rules.get(type)?.(this, typed) ?? [...this.flush(), this.#view.told(this.#placed(typed))];
  }

  startPart(value: Typed): readonly StreamEvent[] {
    return this.#part.keepsStart ? [this.#view.told(value)] : [];
  }

  addItem(value: Typed): readonly StreamEvent[] {
    const item = objectOf(value['item']);
    const index = countOf(value['output_index']);
    const { open } = this.#view;
    if (item['type'] === 'message' && open?.part && this.#places.size === 0) {
      const { part } = open;
      this.#places.set(index, {
        index: open.item.index,
        id: open.item.id,
        goesOn: true,
        firstPart: part.index,
      });
      return [];
    }
    const closed = [...this.flush(), ...this.#view.close()];
    const place = { index: this.#view.nextIndex, id: this.#freeId(item['id']), goesOn: false, firstPart: 0 };
    this.#places.set(index, place);
    const named = 'id' in item ? { ...item, id: place.id } : item;
    return [...closed, this.#view.told({ ...value, output_index: place.index, item: named })];
  }

  /** Ids of another answer may be those of this one: small servers count. */
  #freeId(id: unknown): unknown {
    if (typeof id !== 'string') return id;
    let free = id;
    for (let number = 2; this.#view.hasId(free); number += 1) free = `${id}_${number}`;
    return free;
  }

  addPart(value: Typed): readonly StreamEvent[] {
    const place = this.#placeOf(value);
    const { open } = this.#view;
    if (!place?.goesOn || !open?.part) return [...this.flush(), this.#view.told(this.#placed(value))];
    if (objectOf(value['part'])['type'] === 'output_text') return [];
    // A refusal, say: the text ends, and it is the next part.
    const closed = [...this.flush(), ...this.#view.closePart(open.item, open.part)];
    place.firstPart += 1;
    return [...closed, this.#view.told(this.#placed(value))];
  }

  say(value: Typed): readonly StreamEvent[] {
    const delta = textOf(value['delta']);
    this.#told.set(keyOf(value), this.#toldOf(value) + delta.length);
    return this.#sayAt(this.#placed(value), delta);
  }

  #sayAt(value: Typed, delta: string): readonly StreamEvent[] {
    const { item_id: id, output_index: index, content_index: part } = value;
    this.#textAt = { item_id: id, output_index: index, content_index: part };
    const text = this.#part.overlap.take(delta);
    if (text === '') return [];
    const isCut = text !== delta && 'logprobs' in value;
    return [this.#view.told({ ...value, delta: text, ...(isCut && { logprobs: [] }) })];
  }

  cite(value: Typed): readonly StreamEvent[] {
    const flushed = this.flush();
    const placed = this.#placed(value);
    const { annotations } = this.#view.partOf(placed);
    return [...flushed, this.#view.told({ ...placed, annotation_index: annotations.length })];
  }

  endText(value: Typed): readonly StreamEvent[] {
    const placed = this.#placed(value);
    // Some servers tell a text only here.
    const { text: whole, logprobs: _, ...rest } = placed;
    const delta = textOf(whole).slice(this.#toldOf(value));
    const said = this.#sayAt({ ...rest, type: 'response.output_text.delta', logprobs: [] }, delta);
    const flushed = this.flush();
    const { text, logprobs } = this.#view.partOf(placed);
    return [...said, ...flushed, this.#view.told({ ...rest, type: value.type, text, logprobs })];
  }

  endPart(value: Typed): readonly StreamEvent[] {
    const placed = this.#placed(value);
    const flushed = this.flush();
    const part = wholePart(this.#view.partOf(placed), objectOf(value['part']));
    return [...flushed, this.#view.told({ ...placed, part })];
  }

  endItem(value: Typed): readonly StreamEvent[] {
    const place = this.#placeOf(value);
    const flushed = this.flush();
    const item = objectOf(value['item']);
    const named = 'id' in item && place ? { ...item, id: place.id } : item;
    const before = place?.goesOn ? this.#view.itemAt(place.index) : undefined;
    const whole = before ? { ...named, content: wholeItem(before, '')['content'] } : named;
    return [...flushed, this.#view.told({ ...this.#placed(value), item: whole })];
  }

  end(value: Typed): readonly StreamEvent[] {
    const status = value.type === 'response.completed' ? 'completed' : 'incomplete';
    const response = objectOf(value['response']);
    const missing = this.#places.size === 0 ? this.#tellItems(listOf(response['output'])) : [];
    const closed = [...missing, ...this.flush(), ...this.#view.close(status)];
    const told = endFields.flatMap((name) => (name in response ? [[name, response[name]]] : []));
    const output = this.#view.output();
    const usage = joinResponsesUsage(objectOf(response['usage']), this.#part);
    const whole = { ...response, ...this.#view.response, ...Object.fromEntries(told), output, usage };
    return [...closed, this.#view.told({ ...value, response: whole })];
  }

  /** Some servers tell items only at the end: each as the events that it would have had. */
  #tellItems(items: readonly unknown[]): readonly StreamEvent[] {
    return items.map(objectOf).flatMap((item, index) => {
      const at = { output_index: index, item_id: item['id'] };
      const isMessage = item['type'] === 'message';
      const parts = isMessage ? listOf(item['content']).map(objectOf) : [];
      const added = { ...item, ...(isMessage && { content: [], status: 'in_progress' }) };
      return [
        ...this.addItem({ type: 'response.output_item.added', output_index: index, item: added }),
        ...parts.flatMap((part, number) => this.#tellPart({ ...at, content_index: number }, part)),
        ...this.endItem({ type: 'response.output_item.done', output_index: index, item }),
      ];
    });
  }

  #tellPart(at: WireObject, part: WireObject): readonly StreamEvent[] {
    const isText = part['type'] === 'output_text';
    const empty = { ...part, ...(isText && { text: '' }) };
    const text = { type: 'response.output_text.done', ...at, text: part['text'], logprobs: [] };
    return [
      ...this.addPart({ type: 'response.content_part.added', ...at, part: empty }),
      ...(isText ? this.endText(text) : []),
      ...this.endPart({ type: 'response.content_part.done', ...at, part }),
    ];
  }

  #placeOf({ output_index: index }: WireObject): ItemPlace | undefined {
    return this.#places.get(countOf(index));
  }

  /** The event in the place that its item has for the client. */
  #placed(value: Typed): Typed {
    const place = 'output_index' in value ? this.#placeOf(value) : undefined;
    if (!place) return value;
    const { content_index: part } = value;
    return {
      ...value,
      output_index: place.index,
      ...('item_id' in value && { item_id: place.id }),
      ...(typeof part === 'number' && { content_index: part + place.firstPart }),
    };
  }

  #toldOf(value: WireObject): number {
    return this.#told.get(keyOf(value)) ?? 0;
  }

  flush(): readonly StreamEvent[] {
    const delta = this.#part.overlap.end();
    if (delta === '') return [];
    return [this.#view.told({ type: 'response.output_text.delta', ...this.#textAt, delta, logprobs: [] })];
  }

  contentOf(): readonly StreamEvent[] {
    return [];
  }

  restOf({ value }: StreamEvent): readonly StreamEvent[] {
    if (!value || this.#view.nextIndex > 0) return [];
    const items = listOf(objectOf(value['response'])['output']);
    return this.#tellItems(items.filter((item) => isSaying.has(objectOf(item)['type'])));
  }

  notice(text: string): readonly StreamEvent[] {
    const { response } = this.#view;
    if (!response) return [];
    const closed = [...this.flush(), ...this.#view.close()];
    const index = this.#view.nextIndex;
    const id = `msg_notice_${index}_${textOf(response['id'])}`;
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    const item = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
    const at = { item_id: id, output_index: index, content_index: 0 };
    const told = [
      this.#view.told({ type: 'response.output_item.added', output_index: index, item }),
      this.#view.told({ type: 'response.content_part.added', ...at, part }),
      this.#view.told({ type: 'response.output_text.delta', ...at, delta: text, logprobs: [] }),
    ];
    return [...closed, ...told, ...this.#view.close()];
  }

  endWithLength({ usage }: Ending): readonly StreamEvent[] {
    const closed = [...this.flush(), ...this.#view.close('incomplete')];
    const response = {
      ...this.#view.response,
      status: 'incomplete',
      error: null,
      incomplete_details: { reason: 'max_output_tokens' },
      output: this.#view.output(),
      usage: writeResponsesUsage(usage),
    };
    return [...closed, this.#view.told({ type: 'response.incomplete', response })];
  }

  /** As OpenAI tells it: an error, and the response as failed. Some clients read the one, some the other. */
  fail({ message, type, code }: StreamFault): readonly StreamEvent[] {
    const flushed = this.flush();
    const named = code ?? type ?? 'server_error';
    const error = this.#view.told({ type: 'error', code: named, message, param: null });
    const { response } = this.#view;
    if (!response) return [...flushed, error];
    const output = this.#view.output();
    const failed = { ...response, status: 'failed', error: { code: named, message }, output };
    return [...flushed, error, this.#view.told({ type: 'response.failed', response: failed })];
  }
}

function keyOf({ output_index: index, item_id: id, content_index: part }: WireObject): string {
  return `${typeof index === 'number' ? index : textOf(id)}.${countOf(part)}`;
}
