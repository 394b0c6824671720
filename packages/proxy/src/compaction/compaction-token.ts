import { createHash } from 'node:crypto';
import { isObject } from '@throughline/core/codec';
import { parseJson, splitJsonArray } from '@throughline/core/internal';
import { splice } from '../wire/edit-members.ts';
import type { ReadBody } from '../wire/read-body.ts';

/** What a history has come to. */
interface CompactedHistory {
  readonly text: string;
  /** The checkpoint that the text is from; `null` where the history was short enough to be told as it is. */
  readonly checkpoint: string | null;
}

/** No token of a vendor begins like it. */
const prefix = 'throughline.1.';

/**
 * A compacted history as the text that a client keeps and sends back without reading it. It carries all that is needed:
 * whoever gets it back, after a restart or on another machine, can tell what it stands for.
 */
export function compactionToken({ text, checkpoint }: CompactedHistory): string {
  const carried = JSON.stringify({ digest: digestOf(text), checkpoint, text });
  return `${prefix}${Buffer.from(carried).toString('base64url')}`;
}

/** `undefined` for a token that is not from here, or not whole. */
export function readCompactionToken(token: string): CompactedHistory | undefined {
  if (!token.startsWith(prefix)) return undefined;
  const carried = parseJson(Buffer.from(token.slice(prefix.length), 'base64url').toString());
  if (!isObject(carried)) return undefined;
  const { text, digest, checkpoint } = carried;
  if (typeof text !== 'string' || digest !== digestOf(text)) return undefined;
  return { text, checkpoint: typeof checkpoint === 'string' ? checkpoint : null };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

const opening =
  'The conversation up to here was compacted. What it was about, what was done and what is left to do:';

/**
 * The body with each compaction item from here as a message with what it stands for. Items of other vendors stay as they
 * are, and so does everything else, character for character.
 */
export function withExpandedTokens(body: ReadBody): ReadBody {
  const { text } = body;
  if (text?.includes(prefix) !== true) return body;
  const items = splitJsonArray(text, ['input'])?.items ?? [];
  const pieces = items.flatMap(({ start, end }) => {
    const slice = text.slice(start, end);
    const message = slice.includes(prefix) ? messageFor(parseJson(slice)) : undefined;
    return message ? [{ start, end, text: JSON.stringify(message) }] : [];
  });
  if (pieces.length === 0) return body;
  const expanded = splice(text, pieces);
  return { bytes: Buffer.from(expanded), text: expanded, isRewritten: true };
}

function messageFor(item: unknown): object | undefined {
  if (!isObject(item) || item['type'] !== 'compaction') return undefined;
  const { encrypted_content: token } = item;
  const compacted = typeof token === 'string' ? readCompactionToken(token) : undefined;
  if (!compacted) return undefined;
  const content = [{ type: 'input_text', text: `${opening}\n\n${compacted.text}` }];
  return { type: 'message', role: 'user', content };
}
