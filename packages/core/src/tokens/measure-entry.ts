import type { CallPart, Entry, Part, ResultPart } from '../transcript/entry.ts';
import { countValue, sealedTokens } from './count-value.ts';
import type { Estimator } from './estimator.ts';
import { countMedia } from './media-tokens.ts';
import type { MediaPricing } from './media-tokens.ts';

export { countValue };

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
 * entry and in its order. Media count by formula, never as base64 text; sealed content by the length of what is in it.
 */
export function measureEntry(
  entry: Entry,
  meter: Meter,
): { readonly tokens: number; readonly parts: readonly number[] } {
  const parts: number[] = [];
  let tokens = messageOverheadTokens;
  for (const part of entry.parts) {
    const partTokens = measurePart(part, meter);
    parts.push(partTokens);
    tokens += partTokens;
  }
  return { tokens, parts };
}

/** Tokens of plain text; 0 for the empty one. */
export function countText(text: string, estimator: Estimator): number {
  return text === '' ? 0 : estimator.count(text);
}

/** Tokens of tool definitions as they are sent; 0 for none. */
export function countTools(tools: readonly unknown[], estimator: Estimator): number {
  return tools.reduce<number>((sum, tool) => sum + toolOverheadTokens + countValue(tool, estimator), 0);
}

type PartMeter<Type extends Part['type']> = (
  part: Extract<Part, { readonly type: Type }>,
  meter: Meter,
) => number;

const meters: { readonly [Type in Part['type']]: PartMeter<Type> } = {
  text: ({ text }, { estimator }) => countText(text, estimator),
  // The readable text and the sealed one say the same: only the larger counts.
  reasoning: ({ text, opaqueLength }, { estimator }) =>
    Math.max(countText(text, estimator), sealedTokens(opaqueLength)),
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
    input.type === 'text' ? countText(input.text, estimator) : countValue(input.value, estimator);
  return callOverheadTokens + countText(name, estimator) + inputTokens;
}

function measureResult({ pieces }: ResultPart, meter: Meter): number {
  let tokens = resultOverheadTokens;
  for (const piece of pieces) tokens += measurePart(piece, meter);
  return tokens;
}
