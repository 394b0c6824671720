import { hash } from 'node:crypto';
import { isObject } from '../../judge/wire-value.ts';

/**
 * How the fake upstream counts. A rule of its own, so that no estimator of ours is measured against itself: a prompt
 * costs 3 tokens, each message, item and tool 4, each medium 1 000, and text one token for each 3.6 bytes of UTF-8,
 * rounded up for every part. What is not text is counted as its JSON, without the fields in `uncounted`.
 */
const promptTokens = 3;
const messageTokens = 4;
const mediumTokens = 1000;
const bytesPerToken = 3.6;

const uncounted = new Set(['cache_control', 'id', 'status', 'signature', 'type', 'role', 'data']);
const media = new Set(['image', 'image_url', 'input_image', 'input_audio', 'input_file', 'file', 'document']);

/** A part of a prompt in the order in which the model reads it: a tool, a block, an item. */
export interface PromptPart {
  /** The place of its message in the list of the request; `-1`: a tool or the system text beside the messages. */
  readonly message: number;
  readonly role: string;
  /** The first part of a message, or a tool: carries what a message costs. */
  readonly isFirst: boolean;
  readonly text: string;
  readonly media: number;
  /** Carries a `cache_control`. */
  readonly isMarked: boolean;
}

/** A stretch of a prompt under a key that stands for it and for everything in front of it. */
export interface PromptPiece {
  readonly key: string;
  readonly tokens: number;
  readonly endsPart: boolean;
  readonly isMarked: boolean;
}

export function countText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken - 1e-9);
}

/** The first tokens of a text, never half of a character. */
export function firstTokens(text: string, tokens: number): string {
  if (countText(text) <= tokens) return text;
  const bytes = Buffer.from(text).subarray(0, Math.max(0, Math.floor(tokens * bytesPerToken)));
  return new TextDecoder().decode(bytes, { stream: true });
}

function countPart(part: PromptPart): number {
  return (part.isFirst ? messageTokens : 0) + part.media * mediumTokens + countText(part.text);
}

export function countParts(parts: readonly PromptPart[]): number {
  return parts.reduce((sum, part) => sum + countPart(part), promptTokens);
}

/** `word1 word2 …`, exactly so many tokens by the upstream's own rule. */
export function numberedWords(tokens: number): string {
  let text = '';
  for (let word = 1; text.length <= tokens * bytesPerToken; word += 1) text += `word${word} `;
  return text.slice(0, Math.floor(tokens * bytesPerToken)).replace(/ $/, '.');
}

/** The parts of a message, or of the system text, from its content: a text, or a list of blocks. */
export function partsOf(message: number, role: string, content: unknown): PromptPart[] {
  const blocks = Array.isArray(content) ? (content as unknown[]) : [content ?? ''];
  return blocks.map((block, index) => partOf(message, role, block, index === 0));
}

export function partOf(message: number, role: string, block: unknown, isFirst: boolean): PromptPart {
  const counted = { media: 0 };
  const text = readText(block, counted);
  const isMarked = isObject(block) && isObject(block['cache_control']);
  return { message, role, isFirst, text, media: counted.media, isMarked };
}

/** A string and one text block are the same text. */
function readText(block: unknown, counted: { media: number }): string {
  if (typeof block === 'string') return block;
  if (isObject(block) && typeof block['text'] === 'string') return block['text'];
  return JSON.stringify(block, (key, value: unknown) => {
    if (uncounted.has(key)) return undefined;
    if (!isObject(value) || !media.has(String(value['type']))) return value;
    counted.media += 1;
    return 'medium';
  });
}

const bytesPerPiece = 180;

/** What the prefix cache remembers: at most 50 tokens of one part each, behind everything in front of them. */
export function piecesOf(parts: readonly PromptPart[]): PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let key = '';
  for (const part of parts) {
    const bytes = Buffer.from(part.text);
    let left = countPart(part);
    const start = key === '' ? promptTokens : 0;
    for (let from = 0; from === 0 || from < bytes.length; from += bytesPerPiece) {
      const endsPart = from + bytesPerPiece >= bytes.length;
      const fixed = from === 0 ? countPart({ ...part, text: '' }) : 0;
      const tokens = endsPart ? left : fixed + bytesPerPiece / bytesPerToken;
      left -= tokens;
      const head = from === 0 ? `${part.role}:${part.isFirst}:${part.media}` : '';
      const piece = bytes.subarray(from, from + bytesPerPiece).toString('latin1');
      key = hash('sha1', `${key}|${head}|${piece}`, 'base64url');
      pieces.push({
        key,
        tokens: tokens + (from === 0 ? start : 0),
        endsPart,
        isMarked: endsPart && part.isMarked,
      });
    }
  }
  return pieces;
}
