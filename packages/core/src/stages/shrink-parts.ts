import type { StageInput, ViewPart } from './stage-input.ts';
import { editableItems, partChangeBase, partsOf } from './stage-input.ts';
import { droppedMediaText, nameList, placeholderLine, truncatedText } from '../summary/placeholder.ts';
import type { MediaPart, ResultPart } from '../transcript/entry.ts';
import { resultText } from '../transcript/entry-text.ts';
import { pastedIn } from '../transcript/pasted.ts';
import { isAttachment, isOwnText } from '../transcript/own-words.ts';
import type { Pasted } from '../transcript/pasted.ts';
import type { PartLevelChange } from '../changes/change.ts';

/** A truncated part costs at least its note. */
export const shrunkTokens = 40;

/**
 * Truncates parts so that the view comes down to `ceilingTokens`: small ones stay, the largest are cut to one common
 * level, none below its note. `pick` chooses the parts. Empty when the view is below the ceiling already.
 */
export function shrinkParts(
  input: StageInput,
  ceilingTokens: number,
  pick: (view: ViewPart) => boolean,
): PartLevelChange[] {
  const excess = input.view.tokens - ceilingTokens;
  if (excess <= 0) return [];
  const parts = pickParts(input, pick);
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const level = levelWithin(
    parts.map(({ tokens }) => tokens),
    total - excess,
  );
  const maxTokens = Math.max(shrunkTokens, Math.min(level, total));
  return parts.flatMap((view) => (view.tokens > maxTokens ? (shrinkPart(input, view, maxTokens) ?? []) : []));
}

function pickParts(input: StageInput, pick: (view: ViewPart) => boolean): ViewPart[] {
  const parts: ViewPart[] = [];
  for (const item of editableItems(input)) {
    if (item.tokens <= shrunkTokens) continue;
    for (const view of partsOf(input, item)) if (view.tokens > shrunkTokens && pick(view)) parts.push(view);
  }
  return parts;
}

function shrinkPart(input: StageInput, view: ViewPart, maxTokens: number): PartLevelChange | undefined {
  const { part } = view;
  if (part.type === 'result')
    return truncateResult(input, view, { part, text: resultText(part), maxTokens, reason: 'space' });
  if (part.type === 'media') return dropMedia(input, view, part);
  return part.type === 'text' ? truncateText(input, view, part.text, maxTokens) : undefined;
}

function truncateText(
  input: StageInput,
  view: ViewPart,
  original: string,
  maxTokens: number,
): PartLevelChange | undefined {
  const text = truncatedText(original, { ...truncation(input, view, maxTokens), of: 'text' });
  const afterTokens = input.estimator.count(text);
  if (afterTokens >= view.tokens) return undefined;
  return { type: 'text-truncated', text, ...partChangeBase(view, 'oversized', afterTokens) };
}

function dropMedia(input: StageInput, view: ViewPart, { mediaType }: MediaPart): PartLevelChange | undefined {
  const text = droppedMediaText({
    recallId: view.recallId,
    mediaType,
    tokens: view.fullTokens,
    hasRecall: input.hasRecall,
  });
  const afterTokens = input.estimator.count(text);
  if (afterTokens >= view.tokens) return undefined;
  return { type: 'media-dropped', text, ...partChangeBase(view, 'space', afterTokens) };
}

function truncation(
  { hasRecall, estimator }: StageInput,
  { recallId, fullTokens }: ViewPart,
  maxTokens: number,
) {
  return { recallId, originalTokens: Math.round(fullTokens), maxTokens, hasRecall, estimator };
}

// What stays of a file or a listing says what it was.
const leastPastedTokens = 100;

interface Stretch extends Pasted {
  readonly view: ViewPart;
  readonly text: string;
  readonly tokens: number;
}

/**
 * Truncates the files that clients have put into a message of the user, and then its long listings, so that it costs no
 * more than `maxTokens`; nothing else of it, even where that is not enough.
 */
export function shrinkPasted(input: StageInput, position: number, maxTokens: number): PartLevelChange[] {
  const item = [...editableItems(input)].find((one) => one.position === position);
  let excess = (item?.tokens ?? 0) - maxTokens;
  if (!item || excess <= 0) return [];
  const stretches = partsOf(input, item).flatMap((view) => pastedStretches(input, view));
  const short = new Map<Stretch, string>();
  for (const type of ['file', 'listing'] as const) {
    const those = stretches.filter((stretch) => stretch.type === type);
    const sizes = those.map(({ tokens }) => tokens);
    const total = sizes.reduce((sum, tokens) => sum + tokens, 0);
    const level = Math.max(leastPastedTokens, levelWithin(sizes, total - Math.max(0, excess)));
    for (const stretch of those) {
      if (stretch.tokens <= level) continue;
      excess -= stretch.tokens - level;
      short.set(
        stretch,
        truncatedText(stretch.text, { ...truncation(input, stretch.view, level), of: 'text' }),
      );
    }
  }
  const views = new Set([...short.keys()].map(({ view }) => view));
  return [...views].flatMap((view) => {
    const text = withShort(view, short);
    const afterTokens = input.estimator.count(text);
    if (afterTokens >= view.tokens) return [];
    return [{ type: 'text-truncated', text, ...partChangeBase(view, 'oversized', afterTokens) } as const];
  });
}

function pastedStretches({ estimator }: StageInput, view: ViewPart): Stretch[] {
  const { part, change } = view;
  if (part.type !== 'text' || change) return [];
  const { text: whole } = part;
  const file: Pasted = { type: 'file', start: 0, end: whole.length };
  const pasted = isAttachment(part) ? [file] : isOwnText(part) ? pastedIn(whole) : [];
  return pasted.map((stretch) => {
    const text = whole.slice(stretch.start, stretch.end);
    return { ...stretch, view, text, tokens: estimator.count(text) };
  });
}

/** The text of a part with these stretches as they are shown. */
function withShort(view: ViewPart, short: ReadonlyMap<Stretch, string>): string {
  const whole = view.part.type === 'text' ? view.part.text : '';
  let text = '';
  let from = 0;
  for (const [stretch, shown] of [...short].sort(([a], [b]) => a.start - b.start)) {
    if (stretch.view !== view) continue;
    text += whole.slice(from, stretch.start) + shown;
    from = stretch.end;
  }
  return (text + whole.slice(from)).toWellFormed();
}

interface TruncateResult {
  readonly part: ResultPart;
  /** The text to start from: the result's own, or what its tool's limits left of it. */
  readonly text: string;
  readonly maxTokens: number;
  readonly reason: 'truncation' | 'space';
}

/** Truncates a result to `maxTokens`; its media stay where they fit beside the text. */
export function truncateResult(
  input: StageInput,
  view: ViewPart,
  options: TruncateResult,
): PartLevelChange | undefined {
  const { part, maxTokens, reason } = options;
  const original = resultText(part);
  const besideText = Math.max(0, view.fullTokens - input.estimator.count(original));
  const keepMedia = besideText <= maxTokens * 0.75;
  const frame = keepMedia ? besideText : Math.min(besideText, 8);
  const details = `shortened by the limits of its tool, ${Math.round(view.fullTokens)} tokens in all`;
  const note = placeholderLine('shortened result', view.recallId, details, input.hasRecall);
  // A result of media alone has no text to keep: what goes is at least named.
  const truncate = (textTokens: number): string =>
    truncatedText(
      options.text === original ? original : `${options.text}\n${note}`,
      truncation(input, view, textTokens),
    );
  const text =
    original === '' && options.text === ''
      ? note
      : withIndex(input, { original, truncate, maxTokens: Math.max(20, maxTokens - frame) });
  const afterTokens = input.estimator.count(text) + frame;
  if (afterTokens >= view.tokens) return undefined;
  return { type: 'result-truncated', text, keepMedia, ...partChangeBase(view, reason, afterTokens) };
}

interface Indexed {
  readonly original: string;
  /** Gives the text in so many tokens. */
  readonly truncate: (textTokens: number) => string;
  readonly maxTokens: number;
}

// Below this the beginning and the end of the text say more than an index would.
const leastIndexedTokens = 200;
// Later steps come back to the names in what is left out of a result: replay at 80k, far recall .85 → .99.
const indexShare = 0.05;
const maxIndexTokens = 1_000;
const indexTitle = '[names in what was left out] ';

/** Head and tail of a text, and an index of what the middle named, all within `maxTokens`. */
export function withIndex({ estimator }: StageInput, { original, truncate, maxTokens }: Indexed): string {
  const bare = truncate(maxTokens);
  if (maxTokens < leastIndexedTokens || bare === original) return bare;
  const room = Math.min(maxIndexTokens, maxTokens * indexShare) - estimator.count(indexTitle);
  const text = truncate(maxTokens - room - 1);
  const index = nameList(original, { maxTokens: room, estimator, known: text });
  return index === '' ? bare : `${text}\n${indexTitle}${index}`.toWellFormed();
}

/**
 * Shares `room` out among items of the given sizes so that small ones keep all they need: the level to which the
 * larger ones are cut. `Infinity` when everything fits. Never below 0.
 */
export function levelWithin(sizes: readonly number[], room: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (let index = 0; index < ascending.length; index += 1) {
    const size = ascending[index] ?? 0;
    const level = left / (ascending.length - index);
    if (size > level) return Math.max(0, Math.floor(level));
    left -= size;
  }
  return Infinity;
}
