import { countTools, entryText, measureRequest, resultText } from '@throughline/core/internal';
import { shareOut, unseenTokens } from './context-usage-of.ts';
import type { Entry } from '@throughline/core/codec';
import type { MeasuredView } from '@throughline/core/internal';
import type { ViewItem } from '@throughline/core/types';
import type { ContextItem, ContextItems } from '@throughline/protocol/types';

/** An item and its estimate. */
interface Weighed {
  readonly item: Omit<ContextItem, 'tokens'>;
  readonly weight: number;
}

interface ContextItemsOptions {
  /** Most items that are told one by one. */
  readonly limit: number;
  /** Messages that are never compacted, by their places in the history. */
  readonly pins: readonly number[];
}

/**
 * What the next request is made of, the largest first: system text, each tool, each message. The measured tokens of the
 * whole request are shared out by the estimates, so that all items together are the whole. Goes through all of it.
 */
export function contextItemsOf(measured: MeasuredView, { limit, pins }: ContextItemsOptions): ContextItems {
  const { view } = measured;
  const { currentTokens, tail } = measureRequest(measured);
  const pinned = new Set(pins);
  const weighed: readonly Weighed[] = [
    ...outsideItems(measured),
    ...[...view.items.slice(), ...tail].map((item) => messageItem(item, pinned)),
  ];
  const shares = shareOut(currentTokens, Object.fromEntries(weighed.map(({ weight }, at) => [at, weight])));
  const items = weighed.map(({ item }, at): ContextItem => ({ ...item, tokens: shares[at] ?? 0 }));
  const largest = items.toSorted((a, b) => b.tokens - a.tokens);
  const told = largest.slice(0, limit);
  const toldTokens = told.reduce((sum, { tokens }) => sum + tokens, 0);
  return { items: told, others: { count: items.length - told.length, tokens: currentTokens - toldTokens } };
}

/** System text and tools; what no estimate sees is told by the calibration, and is theirs. */
function outsideItems({ transcript, state }: MeasuredView): readonly Weighed[] {
  const { systemTokens, toolsTokens, tools, estimator } = transcript;
  const unseen = unseenTokens(state);
  const fixed = systemTokens + toolsTokens;
  const factor = fixed > 0 ? 1 + unseen / fixed : 1;
  const plain = { ordinal: null, role: null, excerpt: '', isPinned: false, isEdited: false };
  return [
    {
      item: { ...plain, type: 'system', name: 'system' },
      weight: fixed > 0 ? systemTokens * factor : unseen,
    },
    ...tools.map((tool): Weighed => {
      const weight = countTools([tool], estimator) * factor;
      return { item: { ...plain, type: 'tool', name: toolName(tool) }, weight };
    }),
  ];
}

function toolName(tool: unknown): string {
  const { name } = (tool ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : 'tool';
}

function messageItem(item: ViewItem, pinned: ReadonlySet<number>): Weighed {
  if (item.type === 'synthetic') {
    const { role, kind, parts } = item.item;
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    const excerpt = excerptOf(text);
    const fields = { ordinal: null, role, excerpt, isPinned: false, isEdited: false };
    return { item: { type: 'summary', name: kind, ...fields }, weight: item.tokens };
  }
  const { entry, changes, tokens } = item;
  const { ordinal, role } = entry;
  const told = {
    type: 'message',
    name: namesIn(entry),
    ordinal,
    role,
    excerpt: excerptOf(firstText(entry)),
    isPinned: pinned.has(ordinal),
    isEdited: changes.length > 0,
  } as const;
  return { item: told, weight: tokens };
}

/** Tools that are called in a message, or whose results it has; else empty. */
function namesIn({ parts }: Entry): string {
  const names = parts.flatMap((part) => (part.type === 'call' || part.type === 'result' ? [part.name] : []));
  return [...new Set(names)].join(', ');
}

/** What is said in it; else the text of its first result. */
function firstText(entry: Entry): string {
  const said = entryText(entry);
  const result = said === '' ? entry.parts.find((part) => part.type === 'result') : undefined;
  return result ? resultText(result) : said;
}

const excerptLength = 120;

/** Its first words, on one line. */
function excerptOf(text: string): string {
  return text
    .slice(0, 4 * excerptLength)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptLength);
}
