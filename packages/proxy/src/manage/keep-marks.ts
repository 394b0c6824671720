import { isObject } from '@throughline/core/codec';
import { listOf } from '@throughline/core/internal';
import type { RenderedMessage } from '@throughline/core/types';

type Rendered = readonly RenderedMessage<unknown>[];

/**
 * The messages with the client's marks for the cache of the upstream. A mark of a message that is not sent goes to what
 * was written in its place: up to there the prompt stays the same. No mark is made, so there are never more than there
 * were.
 */
export function keepMarks(rendered: Rendered, messages: readonly unknown[]): Rendered {
  const sent = new Set(rendered.map(({ ordinal }) => ordinal));
  const lost = messages.findLast((message, at) => !sent.has(at) && markOf(message) !== undefined);
  const mark = lost === undefined ? undefined : markOf(lost);
  const place = rendered.findIndex(({ source }) => source === 'written');
  const written = rendered[place];
  if (mark === undefined || !written) return rendered;
  const marked = withMark(written.message, mark);
  return marked === undefined
    ? rendered
    : rendered.with(place, { ...written, isEdited: true, message: marked });
}

function blocksOf(message: unknown): readonly unknown[] {
  return isObject(message) ? listOf(message['content']) : [];
}

function markOf(message: unknown): unknown {
  const marked = blocksOf(message).findLast((block) => isObject(block) && isObject(block['cache_control']));
  return isObject(marked) ? marked['cache_control'] : undefined;
}

/** `undefined` where there is nothing that could carry one, or it has one. */
function withMark(message: unknown, mark: unknown): unknown {
  if (!isObject(message) || markOf(message) !== undefined) return undefined;
  const { content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  const last = blocks.at(-1);
  if (!isObject(last) || last['text'] === '') return undefined;
  return { ...message, content: [...blocks.slice(0, -1), { ...last, cache_control: mark }] };
}
