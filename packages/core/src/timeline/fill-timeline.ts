import { timelineEntryText, shortLabel, withoutRoot } from './line-text.ts';
import { bestStretches, lineOf } from './best-stretches.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';
import type { Count } from '../text/cut-text.ts';
import type { Stretch } from './best-stretches.ts';

/**
 * A timeline in so many tokens. All words of the user are shown; of the rest the stretches (sentences, lines, what a
 * call was) that are worth most, wherever they stand, until the room is full.
 */
export function fillTimeline(
  entries: readonly TimelineEntry[],
  maxTokens: number,
  count: Count,
  root = '',
): string {
  return openFill(entries, count, root)(maxTokens).text;
}

/** What is shown of a timeline. */
interface Filled {
  readonly entries: readonly TimelineEntry[];
  readonly text: string;
}

/** Gives the entries with what is shown of them in so many tokens. What is worth most is found out once, for any room. */
export function openFill(
  entries: readonly TimelineEntry[],
  count: Count,
  root = '',
): (maxTokens: number) => Filled {
  const choose = chooser(entries, count, root);
  const filled = (room: number): Filled => {
    const chosen = choose(room);
    return { entries: chosen, text: timelineText(chosen, root) };
  };
  return (maxTokens) => {
    let best: Filled | undefined;
    let bestTokens = -1;
    let room = maxTokens;
    for (let round = 0; round < mostRounds; round += 1) {
      const now = filled(room);
      const tokens = count(now.text);
      const left = maxTokens - tokens;
      if (left >= 0 && tokens === bestTokens) break;
      if (left >= 0 && tokens > bestTokens) [best, bestTokens] = [now, tokens];
      if (left >= 0 && left <= maxTokens * emptyShare) break;
      room = Math.max(room + (left < 0 ? left - round : left), room / 2);
    }
    return best ?? filled(0);
  };
}

// Stretches cost another amount together than by themselves: a few tries fill the room up to this.
const mostRounds = 6;
const emptyShare = 0.01;

function timelineText(entries: readonly TimelineEntry[], root: string): string {
  return entries
    .map((entry) => timelineEntryText(entry, root))
    .filter((text) => text !== '')
    .join('\n')
    .toWellFormed();
}

/**
 * What of a timeline may still be shown where there is never more room than this: most of what fits into twice the room. What
 * fades here is forgotten by all later rounds, and stays in the history.
 */
export function boundTimeline(
  entries: readonly TimelineEntry[],
  maxTokens: number,
  count: Count,
): TimelineEntry[] {
  return chooser(entries, count, '')(maxTokens * storedFactor);
}

const storedFactor = 1.8;

/** What of a line is shown: its pieces by their places. */
interface ChosenParts {
  isLabelWhole: boolean;
  sent?: Set<number>;
  got?: Set<number>;
}

// An id, an indent, a mark of what was left out.
const entryTokens = 4;
const pieceTokens = 1;
// So many stretches in a row that do not fit: there is no room left.
const mostMisses = 400;

/** Gives the entries with what of them is shown in so many tokens. */
function chooser(
  entries: readonly TimelineEntry[],
  count: Count,
  root: string,
): (maxTokens: number) => TimelineEntry[] {
  const costs = costsOf(entries, count, root);
  const stretches = bestStretches(entries);
  return (maxTokens) => {
    const chosen = chooseParts(entries, stretches, costs, maxTokens);
    const shown: TimelineEntry[] = [];
    for (const { recallId, lines } of entries) {
      const kept: TimelineLine[] = [];
      for (const line of lines) {
        const parts = chosen.get(line);
        if (line.kind === 'user') kept.push(line);
        else if (parts) kept.push(chosenLine(line, parts, root));
      }
      if (kept.length > 0) shown.push({ recallId, lines: kept });
    }
    return shown;
  };
}

type Cost = (line: TimelineLine, at: number) => number;

interface Costs {
  /** Of the user's words, by the place of their entry. */
  readonly words: ReadonlyMap<number, number>;
  /** Of a line's label, without which nothing else of it is shown. */
  readonly begin: (line: TimelineLine) => number;
  /** Of a stretch beside that. */
  readonly bySide: { readonly [Side in Stretch['side']]: Cost };
}

/** What the parts cost by themselves, each counted once and only when it is asked for. */
function costsOf(entries: readonly TimelineEntry[], count: Count, root: string): Costs {
  const known = new Map<object, number>();
  const costOf = (part: object, text: string): number => {
    const cost = text === '' ? 0 : (known.get(part) ?? count(text) + pieceTokens);
    known.set(part, cost);
    return cost;
  };
  const words = new Map<number, number>();
  for (const [at, entry] of entries.entries()) {
    const lines = entry.lines.filter(({ kind }) => kind === 'user');
    if (lines.length > 0) words.set(at, count(timelineEntryText({ ...entry, lines })) + pieceTokens);
  }
  const piece = (part: Piece | undefined): number => (part ? costOf(part, part.text) : 0);
  return {
    words,
    begin: (line) => costOf(line, shortLabel(line.label, root)),
    bySide: {
      label: () => 0,
      whole: ({ label }) => Math.max(0, count(withoutRoot(label, root)) - count(shortLabel(label, root))),
      sent: ({ sent }, at) => piece(sent[at]),
      got: ({ got }, at) => piece(got[at]),
    },
  };
}

/** The best stretches that fit beside the user's words. A piece of a call brings its label with it. */
function chooseParts(
  entries: readonly TimelineEntry[],
  stretches: readonly Stretch[],
  costs: Costs,
  maxTokens: number,
): Map<TimelineLine, ChosenParts> {
  const chosen = new Map<TimelineLine, ChosenParts>();
  const begun = new Set(costs.words.keys());
  let left = [...costs.words.values()].reduce((rest, tokens) => rest - tokens, maxTokens);
  let misses = 0;
  for (const stretch of stretches) {
    if (misses > mostMisses) break;
    const { entry, side, at } = stretch;
    const line = lineOf(entries, stretch);
    const parts = chosen.get(line);
    const begin = (parts ? 0 : costs.begin(line)) + (begun.has(entry) ? 0 : entryTokens);
    const cost = begin + costs.bySide[side](line, at);
    misses = cost > left ? misses + 1 : 0;
    if (misses > 0) continue;
    left -= cost;
    begun.add(entry);
    addStretch(parts ?? begunParts(chosen, line), side, at);
  }
  return chosen;
}

function begunParts(chosen: Map<TimelineLine, ChosenParts>, line: TimelineLine): ChosenParts {
  const parts: ChosenParts = { isLabelWhole: false };
  chosen.set(line, parts);
  return parts;
}

function addStretch(parts: ChosenParts, side: Stretch['side'], at: number): void {
  if (side === 'whole') parts.isLabelWhole = true;
  else if (side !== 'label') (parts[side] ??= new Set()).add(at);
}

function chosenLine(line: TimelineLine, parts: ChosenParts, root: string): TimelineLine {
  const { kind, label, hasFailed, foundNothing } = line;
  return {
    kind,
    label: parts.isLabelWhole ? withoutRoot(label, root) : shortLabel(label, root),
    sent: chosenPieces(line.sent, parts.sent, prose.has(kind)),
    got: chosenPieces(line.got, parts.got),
    ...(hasFailed ? { hasFailed } : {}),
    ...(foundNothing ? { foundNothing } : {}),
  };
}

// Of what was written `# …` is a comment.
const prose: ReadonlySet<LineKind> = new Set([
  'told',
  'said',
  'thought',
  'announced',
  'aside',
  'instructions',
]);

// `## Rejected`, `**Rejected**`, `Rejected:`; a longer line that ends in a colon says something by itself.
const heading = /^(?:#{1,6} .*|\*\*[^*\n]{0,60}[^*\n.!?]\*\*|[^:：\n]{1,24}[:：]\**)$/u;

/** A heading with nothing left under it would stand over what belongs to the next one. */
function withoutLostHeadings(pieces: readonly Piece[], chosen: ReadonlySet<number>): ReadonlySet<number> {
  const kept = new Set(chosen);
  for (let at = pieces.length - 2; at >= 0; at -= 1)
    if (kept.has(at) && !kept.has(at + 1) && heading.test((pieces[at]?.text ?? '').trim())) kept.delete(at);
  return kept;
}

function proseParts(pieces: readonly Piece[], chosen: ReadonlySet<number>): ReadonlySet<number> {
  return withItsItems(pieces, withoutLostHeadings(pieces, chosen));
}

const listItem = /^(?:[-*+•]|\d{1,3}[.)])\s/;

/** What stands under an item of a list, with that item where another one is shown above: it would be read as that one's. */
function withItsItems(pieces: readonly Piece[], chosen: ReadonlySet<number>): ReadonlySet<number> {
  if (!pieces.some(({ text }) => listItem.test(text))) return chosen;
  const shown = new Set(chosen);
  const above: { readonly at: number; readonly indent: number }[] = [];
  let last = { at: pieces.length, indent: 0 };
  for (const [at, { text, isAfterGap }] of pieces.entries()) {
    const before = at === 0 ? '\n' : (pieces[at - 1]?.text ?? '');
    const indent = /\n([ \t]*)$/.exec(before)?.[1]?.length;
    if (indent === undefined || isAfterGap) continue;
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop();
    if (!listItem.test(text)) continue;
    if (chosen.has(at)) {
      const item = above.at(-1);
      if (item && item.at > last.at && item.indent <= last.indent) shown.add(item.at);
      last = { at, indent };
    }
    above.push({ at, indent });
  }
  return shown;
}

/** In their order; each knows whether something was left out in front of it. */
function chosenPieces(
  pieces: readonly Piece[],
  best: ReadonlySet<number> | undefined,
  isProse = false,
): readonly Piece[] {
  if (!best) return [];
  if (best.size === pieces.length) return pieces;
  const chosen = isProse ? proseParts(pieces, best) : best;
  if (chosen.size === 0) return [];
  return pieces.flatMap((piece, at) => {
    if (!chosen.has(at)) return [];
    return at === 0 || chosen.has(at - 1) ? [piece] : [{ ...piece, isAfterGap: true as const }];
  });
}
