import { isObject, listOf, objectOf, parseArguments, sendableText, textOf } from '../stream/wire-value.ts';
import type { Json } from '@throughline/core/codec';
import type { ModelEvent } from '@throughline/ports';
import type { WireObject } from '../stream/wire-value.ts';

type Events = readonly ModelEvent[];

/** What an item tells when it begins and when it is whole. */
interface ItemKind {
  readonly start: (item: WireObject) => Events;
  readonly done: (item: WireObject, id: string) => Events;
}

const nothing = (): Events => [];

const clientCall = (field: 'arguments' | 'input'): ItemKind => ({
  start: (item) => [
    {
      type: 'tool-input-start',
      callId: textOf(item['call_id']),
      name: textOf(item['name']),
      isProviderExecuted: false,
    },
  ],
  done: (item) => {
    const [callId, name, inputText] = [textOf(item['call_id']), textOf(item['name']), textOf(item[field])];
    // A custom tool takes a text, so every text is right.
    const parsed =
      field === 'input' ? { input: inputText, inputText, isInvalid: false } : parseArguments(inputText);
    return [
      { type: 'tool-input-end', callId },
      { type: 'call', call: { callId, name, ...parsed, isProviderExecuted: false } },
    ];
  },
});

/** One item is call and result at once. */
const serverCall = (name: string | undefined, field: string): ItemKind => ({
  start: nothing,
  done: (item, id) => {
    const callId = textOf(item['id']) || id;
    const called = textOf(item['name']) || (name ?? textOf(item['type']));
    const given = item[field] ?? null;
    const parsed =
      typeof given === 'string' && field === 'arguments'
        ? parseArguments(given)
        : { input: given as Json, inputText: JSON.stringify(given), isInvalid: false };
    const isError = item['status'] === 'failed' || isObject(item['error']) || textOf(item['error']) !== '';
    return [
      { type: 'call', call: { callId, name: called, ...parsed, isProviderExecuted: true } },
      { type: 'provider-result', callId, name: called, output: item as Json, isError },
      ...imageIn(item),
    ];
  },
});

function imageIn({ type, result, output_format: format }: WireObject): Events {
  if (type !== 'image_generation_call' || typeof result !== 'string') return [];
  return [{ type: 'file', mediaType: `image/${textOf(format) || 'png'}`, base64: result }];
}

const kinds: ReadonlyMap<string, ItemKind> = new Map([
  ['function_call', clientCall('arguments')],
  ['custom_tool_call', clientCall('input')],
  ['web_search_call', serverCall('web_search', 'action')],
  ['file_search_call', serverCall('file_search', 'queries')],
  ['code_interpreter_call', serverCall('code_interpreter', 'code')],
  ['image_generation_call', serverCall('image_generation', 'revised_prompt')],
  ['mcp_call', serverCall(undefined, 'arguments')],
]);

/** Texts and reasoning have events of their own; what is not known stays in the items and is no event. */
const silent: ItemKind = { start: nothing, done: nothing };

export function itemKind(item: WireObject): ItemKind {
  return kinds.get(textOf(item['type'])) ?? silent;
}

/** What a finished reasoning item wants back. */
export function secretOf({ id, encrypted_content: encrypted }: WireObject): Json | undefined {
  if (typeof encrypted !== 'string' || encrypted === '') return undefined;
  return { id: textOf(id), encrypted_content: encrypted };
}

/** The text of a finished reasoning item, for servers that do not stream it. */
export function reasoningText(item: WireObject): string {
  return [...listOf(item['summary']), ...listOf(item['content'])]
    .map((block) => textOf(objectOf(block)['text']))
    .join('\n\n');
}

/**
 * The items of a response as they may go back to a server that stores nothing: as they are, without what it refuses:
 * messages that say nothing, reasoning of which it gave no content (and the name of what followed it, which it would ask
 * that reasoning of), reasoning that nothing follows.
 */
export function sendableItems(items: readonly WireObject[]): readonly WireObject[] {
  const kept: WireObject[] = [];
  let isOrphan = false;
  for (const item of items) {
    if (isReasoning(item) && !hasContent(item)) isOrphan = true;
    else if (!isEmptyMessage(item)) {
      const sendable = isReasoning(item) ? item : wellArgued(item);
      kept.push(isOrphan ? withoutId(sendable) : sendable);
      isOrphan = false;
    }
  }
  while (kept.length > 0 && isReasoning(kept.at(-1))) kept.pop();
  return kept;
}

function isReasoning(item: WireObject | undefined): boolean {
  return item?.['type'] === 'reasoning';
}

function hasContent({ encrypted_content: encrypted, content }: WireObject): boolean {
  return textOf(encrypted) !== '' || listOf(content).length > 0;
}

function isEmptyMessage({ type, content }: WireObject): boolean {
  const isSaid = (block: unknown): boolean => {
    const { type: kind, text, refusal } = objectOf(block);
    return kind !== 'output_text' && kind !== 'refusal' ? true : textOf(text ?? refusal).trim() !== '';
  };
  return type === 'message' && !listOf(content).some(isSaid);
}

function wellArgued(item: WireObject): WireObject {
  if (item['type'] !== 'function_call') return item;
  const given = textOf(item['arguments']);
  const text = sendableText(parseArguments(given));
  return text === given ? item : { ...item, arguments: text };
}

function withoutId({ id: _id, ...item }: WireObject): WireObject {
  return item;
}
