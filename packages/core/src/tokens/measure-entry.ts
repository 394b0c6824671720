import { anEstimator, stepsPerToken } from './estimator.ts';
import { checkOption, invalidOption, optionalText } from '../errors/check-options.ts';
import type { MediaPricing } from './media-tokens.ts';
import { countMedia } from './media-tokens.ts';
import type { CallPart, Entry, Part, ResultPart } from '../transcript/entry.ts';
import type { EntrySize } from '../transcript/conversation.ts';
import type { Estimator } from './estimator.ts';

/**
 * Tokens rounded to the step in which messages are measured, which is that of the default estimator: a history that grew
 * measures what it does when it is opened anew.
 */
export function inWholeSteps(tokens: number): number {
  return Math.round(tokens * stepsPerToken) / stepsPerToken;
}

/** What measures: text by the estimator, media by formula. */
export interface Meter {
  readonly estimator: Estimator;
  readonly media: MediaPricing;
}

/** Role and separators of one message (3 to 4 in OpenAI's chat format). */
export const messageOverheadTokens = 4;
/** What a call costs beside its name and arguments: its id and frame. */
const callOverheadTokens = 8;
/** What a result costs beside its output. */
const resultOverheadTokens = 6;
/** A tool's frame in the rendering of its schema. */
const toolOverheadTokens = 8;

/**
 * Estimated tokens of one wire message: `messageOverheadTokens` plus the sum of `parts`, one number per part of the
 * entry and in its order, each rounded to 1/1024. Media count by formula, never as base64 text; encrypted content by the length of what is in it.
 */
export function measureEntry(entry: Entry, meter: Meter): EntrySize {
  // `map` makes a list of the length it needs: one that grows keeps room for sixteen more.
  const parts = entry.parts.map((part) => inWholeSteps(measurePart(part, meter)));
  return { tokens: parts.reduce((sum, tokens) => sum + tokens, messageOverheadTokens), parts };
}

/**
 * Tokens of plain text; 0 for the empty one.
 *
 * @throws {ContextError} `invalid-option` for what is no text and what is no estimator, and where the estimator gives no
 * finite number ≥ 0.
 */
export function countText(text: string, estimator: Estimator): number {
  checkOption('text', optionalText, text);
  checkOption('estimator', anEstimator, estimator);
  return textTokens(text, estimator);
}

function textTokens(text: string, estimator: Estimator): number {
  return text === '' ? 0 : ask(estimator, text);
}

/** A size that is no number is above no limit: the window would be switched off without a word. */
function ask(estimator: Estimator, text: string): number {
  const tokens = estimator.count(text);
  if (Number.isFinite(tokens) && tokens >= 0) return tokens;
  throw invalidOption('estimator.count()', 'a finite number ≥ 0', tokens);
}

/** Tokens of tool definitions as they are sent; 0 for none. */
export function countTools(tools: readonly unknown[], estimator: Estimator): number {
  return tools.reduce<number>(
    (sum, tool) => sum + inWholeSteps(toolOverheadTokens + countValue(tool, estimator)),
    0,
  );
}

type PartMeter<Type extends Part['type']> = (
  part: Extract<Part, { readonly type: Type }>,
  meter: Meter,
) => number;

const meters: { readonly [Type in Part['type']]: PartMeter<Type> } = {
  text: ({ text }, { estimator }) => textTokens(text, estimator),
  // The readable text and the encrypted one say the same: only the larger counts.
  reasoning: ({ text, opaqueLength }, { estimator }) =>
    Math.max(textTokens(text, estimator), encryptedTokens(opaqueLength)),
  call: measureCall,
  result: measureResult,
  media: (part, { media }) => countMedia(part, media),
  opaque: ({ value }, { estimator }) => countValue(value, estimator),
};

function measurePart(part: Part, meter: Meter): number {
  return (meters[part.type] as (part: Part, meter: Meter) => number)(part, meter);
}

function measureCall({ name, input }: CallPart, { estimator }: Meter): number {
  const inputTokens =
    input.type === 'text' ? textTokens(input.text, estimator) : countValue(input.value, estimator);
  return callOverheadTokens + textTokens(name, estimator) + inputTokens;
}

function measureResult({ pieces }: ResultPart, meter: Meter): number {
  return pieces.reduce((sum, piece) => sum + measurePart(piece, meter), resultOverheadTokens);
}

// What JSON puts around things, in tokens: quotes and comma of a string, quote and colon behind a key, brackets.
const stringTokens = 1;
const keyTokens = 1.2;
const bracketTokens = 0.8;
const literalTokens = 1.5;

/** Encrypted or signed content: `encryptedFrom` characters or more of base64 without a break. */
const encryptedFrom = 512;

/**
 * About what the JSON of `value` costs, without writing it: strings and keys are counted where they lie. Accepts
 * anything: an object met a second time (a circle) counts nothing, functions and `undefined` count nothing, bytes and
 * encrypted base64 by their length. Linear in the size of the value, at any depth.
 */
export function countValue(value: unknown, estimator: Estimator): number {
  let tokens = 0;
  const open: unknown[] = [value];
  const seen = new Set<object>();
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') tokens += countString(next, estimator);
    else if (typeof next === 'number' || typeof next === 'bigint')
      tokens += ask(estimator, String(next)) + 0.5;
    else if (typeof next === 'boolean' || next === null) tokens += literalTokens;
    else if (typeof next === 'object' && !seen.has(next)) {
      seen.add(next);
      tokens += bracketTokens + openObject(next, open, estimator);
    }
  }
  return tokens;
}

/** Puts what the object holds on the list; answers what its keys cost. */
function openObject(value: object, open: unknown[], estimator: Estimator): number {
  if (ArrayBuffer.isView(value)) return encryptedTokens(Math.ceil((value.byteLength * 4) / 3));
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) open.push(item);
    return 0;
  }
  let tokens = 0;
  for (const key of Object.keys(value)) {
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (item === undefined || typeof item === 'function') continue;
    tokens += ask(estimator, key) + keyTokens;
    open.push(item);
  }
  return tokens;
}

function countString(text: string, estimator: Estimator): number {
  if (text.length >= encryptedFrom && isEncrypted(text)) return encryptedTokens(text.length);
  return ask(estimator, text) + stringTokens;
}

/**
 * Tokens behind encrypted (opaque, signed) base64 of that many characters: the provider counts what is inside. Codex'
 * rule: three quarters are bytes, less 650 of envelope; four bytes a token.
 */
export function encryptedTokens(lengthCharacters: number): number {
  return Math.max(0, (lengthCharacters * 3) / 4 - 650) / 4;
}

/** Samples at the start, the middle and the end: no text of a person goes 64 characters without a space. */
function isEncrypted(text: string): boolean {
  const middle = text.length >> 1;
  return [0, middle, text.length - 64].every((start) => /^[\w+/=-]+$/.test(text.slice(start, start + 64)));
}
