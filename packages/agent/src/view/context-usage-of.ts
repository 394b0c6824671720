import { countMedia, measureRequest, calibratedTokens } from '@throughline/core/internal';
import type { View } from '@throughline/core';
import type { Part, ResultPart, Role } from '@throughline/core/codec';
import type { EntrySize, MeasuredView, PartLevelChange, RequestMeasure } from '@throughline/core/internal';
import type { EntryItem, MediaPricing, ViewItem } from '@throughline/core/types';
import type { ContextUsage, UsageByCategory, UsageLevel } from '@throughline/protocol/types';

const warningPercent = 80;
const criticalPercent = 95;

/**
 * How full the context is. Pure. Its cost is that of what is new since the view was made, or since it was last asked
 * for.
 *
 * @param reserved estimated tokens of what is not in the transcript yet: an answer that is being written, notes
 */
export function contextUsageOf(context: MeasuredView, reserved: Partial<UsageByCategory> = {}): ContextUsage {
  const besideTokens = Object.values(reserved).reduce((sum, tokens) => sum + tokens, 0);
  const measure = measureRequest(context, besideTokens);
  const { budget, currentTokens, estimateTokens } = measure;
  const percentUsed = (currentTokens / Math.max(1, budget.usableTokens)) * 100;
  const counted = context.state.usage?.estimateTokens;
  return {
    currentTokens,
    limit: budget.usableTokens,
    windowTokens: budget.windowTokens,
    triggerTokens: budget.triggerTokens,
    percentUsed,
    level: levelOf(percentUsed),
    byCategory: shareOut(currentTokens, weightsOf(context, measure, reserved)),
    // Sums of estimates: the last digits say nothing.
    estimated: counted === undefined || Math.abs(counted - estimateTokens) > 0.5,
  };
}

function levelOf(percentUsed: number): UsageLevel {
  if (percentUsed > criticalPercent) return 'critical';
  return percentUsed > warningPercent ? 'warning' : 'ok';
}

/** Estimated tokens by category; what no estimate sees is told by the calibration, and goes to system and tools. */
function weightsOf(
  { transcript, view, state }: MeasuredView,
  { tail, estimateTokens }: RequestMeasure,
  reserved: Partial<UsageByCategory>,
): CategorySums {
  const { conversation, media, systemTokens, toolsTokens } = transcript;
  const isHidden = conversation.barrierAt >= view.conversation.entries.length;
  const sums = { ...(isHidden ? noTokens() : categoryTokens(view, media)) };
  for (const item of tail) addItem(sums, item, { conversation, media });
  for (const name of categories) sums[name] += reserved[name] ?? 0;
  // Calls that are still without a result.
  sums.toolResults += Math.max(0, estimateTokens - categories.reduce((all, name) => all + sums[name], 0));
  const unseen = unseenTokens(state);
  const fixedTokens = systemTokens + toolsTokens;
  const toTools = fixedTokens > 0 ? toolsTokens / fixedTokens : 0;
  sums.system += systemTokens + unseen * (1 - toTools);
  sums.tools += toolsTokens + unseen * toTools;
  return sums;
}

const categories = Object.keys(noTokens()) as readonly (keyof CategorySums)[];

/** What the provider counts beside all that is estimated, in the estimator's own tokens. */
export function unseenTokens({ calibration }: MeasuredView['state']): number {
  const unseen = calibratedTokens(calibration, 0);
  return unseen === 0 ? 0 : unseen / (calibratedTokens(calibration, 1) - unseen);
}

type Category = keyof UsageByCategory;
/** Tokens by category, while they are added up. */
export type CategorySums = { -readonly [Name in Category]: number };

export function noTokens(): CategorySums {
  return { system: 0, tools: 0, user: 0, assistant: 0, toolResults: 0, media: 0, summary: 0 };
}

interface Known {
  readonly items: View['items'];
  readonly sums: Readonly<CategorySums>;
}

type Conversation = View['conversation'];

// A memory, never a source of truth: one view per history, found by the function that measures its messages.
const known = new WeakMap<Conversation['measure'], Known>();

/**
 * Estimated tokens of the messages of a view, by category. Where the view has only grown since it was last asked for,
 * the cost is that of what is new.
 */
export function categoryTokens({ items, conversation }: View, media: MediaPricing): Readonly<CategorySums> {
  const before = known.get(conversation.measure);
  const isGrown = before !== undefined && items.isExtensionOf(before.items);
  if (isGrown && before.items.length === items.length) return before.sums;
  const sums = { ...(isGrown ? before.sums : noTokens()) };
  for (let index = isGrown ? before.items.length : 0; index < items.length; index += 1) {
    addItem(sums, items.at(index), { conversation, media });
  }
  known.set(conversation.measure, { items, sums });
  return sums;
}

/** What items are measured by. */
interface ItemMeasures {
  readonly conversation: Conversation;
  readonly media: MediaPricing;
}

/** Adds one item of a view: what it adds is what it costs. */
function addItem(
  sums: CategorySums,
  item: ViewItem | undefined,
  { conversation, media }: ItemMeasures,
): void {
  if (item === undefined) return;
  if (item.type === 'synthetic') sums.summary += item.tokens;
  else addEntry(sums, item, { sizes: conversation.sizes.at(item.position), media });
}

function addEntry(
  sums: CategorySums,
  { entry, changes, tokens }: EntryItem,
  { sizes, media }: { readonly sizes: EntrySize | undefined; readonly media: MediaPricing },
): void {
  // What a provider's own compaction stands for costs nothing, whatever its parts would.
  let left = tokens;
  for (const [index, part] of entry.parts.entries()) {
    const own = changes.length === 0 ? changes : changes.filter(({ anchor }) => anchor.part === index);
    const partTokens = Math.min(left, tokensOf(sizes?.parts[index] ?? 0, own));
    const mediaTokens = part.type === 'result' ? mediaIn(part, own, { media, most: partTokens }) : 0;
    sums.media += mediaTokens;
    sums[categoryOf(part, entry.role, own)] += partTokens - mediaTokens;
    left -= partTokens;
  }
  // The frame of the message, and the error results of calls that stay without one.
  const first = entry.parts[0];
  sums[first ? categoryOf(first, entry.role, []) : roleCategories[entry.role]] += left;
}

/** As the view measures it: each change takes off what it saves. */
function tokensOf(wholeTokens: number, changes: readonly PartLevelChange[]): number {
  const savedTokens = changes.reduce((sum, { afterTokens }) => sum + wholeTokens - afterTokens, 0);
  return Math.max(0, wholeTokens - savedTokens);
}

const roleCategories: { readonly [Name in Role]: Category } = {
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'toolResults',
};

const partCategories: { readonly [Type in Part['type']]?: Category } = {
  reasoning: 'assistant',
  call: 'assistant',
  result: 'toolResults',
  media: 'media',
};

function categoryOf(part: Part, role: Role, changes: readonly PartLevelChange[]): Category {
  if (part.type === 'opaque' && part.isBarrier === true) return 'summary';
  // A note stands where the image was.
  const isGone = part.type === 'media' && changes.length > 0;
  return (isGone ? undefined : partCategories[part.type]) ?? roleCategories[role];
}

/** Images and files in a result that are still there. */
function mediaIn(
  { pieces }: ResultPart,
  changes: readonly PartLevelChange[],
  { media, most }: { readonly media: MediaPricing; readonly most: number },
): number {
  const isKept = changes.every((change) => change.type === 'result-truncated' && change.keepMedia);
  if (!isKept) return 0;
  let tokens = 0;
  for (const piece of pieces) if (piece.type === 'media') tokens += countMedia(piece, media);
  return Math.min(most, tokens);
}

/**
 * A whole number in whole shares that are as near to the weights as can be, and add up to it exactly: the largest
 * remainders are rounded up. Of equal ones the first is, and where all weights are 0 the first takes everything.
 *
 * @param total at least 0, below 10^12
 * @param weights none below 0
 */
export function shareOut<Key extends string>(
  total: number,
  weights: Readonly<Record<Key, number>>,
): Record<Key, number> {
  const keys = Object.keys(weights) as Key[];
  const sum = keys.reduce((all, key) => all + weights[key], 0);
  const exact = (key: Key): number => (sum > 0 ? (weights[key] / sum) * total : key === keys[0] ? total : 0);
  const shares: Record<Key, number> = { ...weights };
  let left = total;
  for (const key of keys) {
    shares[key] = Math.floor(exact(key));
    left -= shares[key];
  }
  const byRemainder = keys.toSorted((a, b) => (exact(b) % 1) - (exact(a) % 1));
  for (const key of byRemainder.slice(0, left)) shares[key] += 1;
  return shares;
}
