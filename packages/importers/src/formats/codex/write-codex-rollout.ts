import { editText } from '@throughline/core/codec';
import { splitJsonArray, writeJson } from '@throughline/core/internal';
import { isObject, objectOf, textOf } from '../../recording/json-value.ts';
import { diffEdits, withPrefix } from '../../write/edit-slice.ts';
import { isBareHead, isBareItem } from './replay-rollout.ts';
import type { WriteRequest } from '../../recording/format.ts';
import type { LinesDocument, Origin } from '../../recording/recording.ts';

type Request = WriteRequest<LinesDocument>;

/**
 * A Codex rollout that holds the view: the head of the file first, then a line per item. Lines of unchanged items
 * keep their bytes; a compaction's replacement history stays one line where all of it is unchanged. Events between
 * items that are still neighbours stay, but not the token counts: they measured another prompt. Where lines are
 * numbered, they are numbered again.
 */
export function writeCodexRollout(request: Request): string[] {
  const { document, session, view } = request;
  const head = document.lines.find(({ value }) => isHead(value));
  const texts = head ? [head.text] : [];
  const writer = new RolloutWriter(document, texts);
  const kept = keptReplacement(request);
  if (kept) writer.line(kept.line);
  for (const [position, item] of view.entries()) {
    if (kept && position < kept.count) continue;
    if (item.type === 'written') {
      writer.compose(item.message);
      continue;
    }
    const before = view[position - 1];
    const isNeighbour = item.index === 0 || (before?.type === 'original' && before.index === item.index - 1);
    const origin = session.origins[item.index] ?? { type: 'composed' };
    const original = session.messages[item.index];
    writer.copy(origin, { original, edited: item.isEdited ? item.message : original }, isNeighbour);
  }
  return numbered(texts, objectOf(head?.value)['ordinal']);
}

function isHead(value: unknown): boolean {
  return typeOf(value) === 'session_meta' || (isObject(value) && isBareHead(value));
}

/** Codex wants the numbers of the lines to follow each other. */
function numbered(texts: string[], first: unknown): string[] {
  if (typeof first !== 'number') return texts;
  return texts.map((text, index) => editText(text, [{ at: ['ordinal'], set: first + index }]) ?? text);
}

class RolloutWriter {
  readonly #document: LinesDocument;
  readonly #texts: string[];
  /** Items stand by themselves in this file. */
  readonly #isBare: boolean;
  #time: string | undefined;

  constructor(document: LinesDocument, texts: string[]) {
    this.#document = document;
    this.#texts = texts;
    this.#isBare = document.lines.some(({ value }) => isBareItem(value));
  }

  line(line: number): void {
    this.#texts.push(this.#document.lines[line]?.text ?? '');
    this.#time = textOf(objectOf(this.#document.lines[line]?.value)['timestamp']) ?? this.#time;
  }

  copy(
    origin: Origin,
    message: { readonly original: unknown; readonly edited: unknown },
    isNeighbour: boolean,
  ): void {
    const source = origin.type === 'line' ? this.#document.lines[origin.line] : undefined;
    if (origin.type !== 'line' || source === undefined) return this.compose(message.edited);
    this.#time = textOf(objectOf(source.value)['timestamp']) ?? this.#time;
    const edits = diffEdits(message.original, message.edited);
    if (origin.at.length > 1) {
      const payload = replacementText(source.text, origin.at.at(-1));
      this.#push(payload === undefined ? writeJson(message.edited) : (editText(payload, edits) ?? payload));
      return;
    }
    if (isNeighbour) this.#companions(origin.line, -1, leadingEvents);
    this.#texts.push(editText(source.text, withPrefix(origin.at, edits)) ?? source.text);
    this.#companions(origin.line, 1, trailingEvents);
  }

  compose(message: unknown): void {
    this.#push(writeJson(withBlocks(message)));
  }

  #push(payload: string): void {
    if (this.#isBare) {
      this.#texts.push(payload);
      return;
    }
    const time = this.#time === undefined ? '' : `"timestamp":${JSON.stringify(this.#time)},`;
    this.#texts.push(`{${time}"type":"response_item","payload":${payload}}`);
  }

  /** The events of these types right before or right after an item, in file order. */
  #companions(line: number, step: 1 | -1, types: ReadonlySet<unknown>): void {
    const found: string[] = [];
    for (let at = line + step; at >= 0 && at < this.#document.lines.length; at += step) {
      const { value, text } = this.#document.lines[at] ?? {};
      if (value === undefined || isItem(value)) break;
      if (types.has(eventOf(value))) found.push(text ?? '');
    }
    this.#texts.push(...(step > 0 ? found : found.toReversed()));
  }
}

/** Codex reads only lists of blocks as content: an item with a bare text is passed over when the file is loaded. */
function withBlocks(message: unknown): unknown {
  const { role, content, ...rest } = objectOf(message);
  if (typeof content !== 'string') return message;
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return { type: 'message', ...rest, role, content: [{ type, text: content }] };
}

/** What belongs to the item after it: the turn's settings, and the shown form of what the model says. */
const leadingEvents: ReadonlySet<unknown> = new Set([
  'turn_context',
  'task_started',
  'turn_started',
  'agent_message',
  'agent_reasoning',
  'item_completed',
]);

/** What belongs to the item before it: the shown form of what the user or a tool said. */
const trailingEvents: ReadonlySet<unknown> = new Set([
  'user_message',
  'patch_apply_end',
  'web_search_end',
  'task_complete',
  'turn_complete',
  'turn_aborted',
]);

function typeOf(value: unknown): unknown {
  return isObject(value) ? value['type'] : undefined;
}

function eventOf(value: unknown): unknown {
  return typeOf(value) === 'event_msg' ? objectOf(objectOf(value)['payload'])['type'] : typeOf(value);
}

function isItem(value: unknown): boolean {
  return ['response_item', 'compacted', 'session_meta'].includes(String(typeOf(value))) || isBareItem(value);
}

/** The compaction line that the session starts with, when the view starts with all of its items unchanged. */
function keptReplacement({
  session,
  view,
}: Request): { readonly line: number; readonly count: number } | undefined {
  const [first] = session.origins;
  if (first?.type !== 'line' || first.at.length < 2) return undefined;
  const { line } = first;
  const isReplacement = (origin: Origin | undefined): boolean =>
    origin?.type === 'line' && origin.line === line;
  const end = session.origins.findIndex((origin) => !isReplacement(origin));
  const count = end < 0 ? session.origins.length : end;
  for (let at = 0; at < count; at += 1) {
    const item = view[at];
    if (item?.type !== 'original' || item.index !== at || item.isEdited) return undefined;
  }
  return { line, count };
}

function replacementText(text: string, index: unknown): string | undefined {
  const span = splitJsonArray(text, ['payload', 'replacement_history'])?.items[Number(index)];
  return span && text.slice(span.start, span.end);
}
