import { countMedia } from '@throughline/core';
import type {
  EntryItem,
  EntrySize,
  MediaPricing,
  Part,
  PartLevelChange,
  ResultPart,
  Role,
  View,
  ViewItem,
} from '@throughline/core';
import type { UsageByCategory } from '../events/agent-event.ts';

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

type History = View['conversation'];

// A memory, never a source of truth: one view per history, found by the function that measures its messages.
const known = new WeakMap<History['measure'], Known>();

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
export interface ItemMeasures {
  readonly conversation: History;
  readonly media: MediaPricing;
}

/** Adds one item of a view: what it adds is what it costs. */
export function addItem(
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
