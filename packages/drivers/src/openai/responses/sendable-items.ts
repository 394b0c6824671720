import { parseArguments, sendableText } from '../../stream/parse-arguments.ts';
import { listOf, objectOf, textOf } from '../../stream/wire-value.ts';
import type { WireObject } from '../../stream/wire-value.ts';

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
