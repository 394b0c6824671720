import { entryText, shortLabel } from './line-text.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/timeline.ts';

export type Count = (text: string) => number;

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
  return timelineText(fillEntries(entries, maxTokens, count, root), root);
}

/** The entries of such a timeline with what is shown of them. */
export function fillEntries(
  entries: readonly TimelineEntry[],
  maxTokens: number,
  count: Count,
  root = '',
): TimelineEntry[] {
  const choose = chooser(entries, count, root);
  let best: { readonly entries: TimelineEntry[]; readonly tokens: number } = {
    entries: choose(0),
    tokens: 0,
  };
  let room = maxTokens;
  for (let round = 0; round < mostRounds; round += 1) {
    const chosen = choose(room);
    const tokens = count(timelineText(chosen, root));
    const left = maxTokens - tokens;
    if (left >= 0 && tokens === best.tokens) break;
    if (left >= 0 && tokens > best.tokens) best = { entries: chosen, tokens };
    if (left >= 0 && left <= maxTokens * emptyShare) break;
    room += left < 0 ? left - round : left;
  }
  return best.entries;
}

// Stretches cost another amount together than by themselves: a few tries fill the room up to this.
const mostRounds = 6;
const emptyShare = 0.01;

function timelineText(entries: readonly TimelineEntry[], root: string): string {
  return entries
    .map((entry) => entryText(entry, root))
    .filter((text) => text !== '')
    .join('\n')
    .toWellFormed();
}

/**
 * What of a timeline may still be shown where there is never more room than this: twice as much as fits now. What fades
 * here is forgotten by all later rounds, and stays in the history.
 */
export function boundTimeline(
  entries: readonly TimelineEntry[],
  maxTokens: number,
  count: Count,
): TimelineEntry[] {
  return chooser(entries, count, '')(maxTokens * 2);
}

/** What is shown or left out as one: what a call was, or a piece of what was said, written or came back. */
interface Stretch {
  readonly entry: number;
  readonly line: number;
  readonly side: 'label' | 'sent' | 'got';
  /** Its place among the pieces of its side. */
  readonly at: number;
  readonly worth: number;
}

type Weighed = LineKind | 'failed';
type Worth = { readonly label: number; readonly sent: number; readonly got: number };

/**
 * What a stretch is worth beside others, times the score of its piece. Readers who see nothing but the timeline answer
 * most from what the assistant said, to the user or beside its calls; results that nobody spoke of come last.
 */
const worths: { readonly [Kind in Exclude<Weighed, 'user'>]: Worth } = {
  answer: { label: 3, sent: 3, got: 5 },
  told: { label: 0, sent: 1.3, got: 0 },
  said: { label: 0, sent: 1.3, got: 0 },
  announced: { label: 0, sent: 0.6, got: 0 },
  failed: { label: 0.7, sent: 0.5, got: 1 },
  edit: { label: 0.4, sent: 0.6, got: 0 },
  command: { label: 0.35, sent: 0.5, got: 0.8 },
  call: { label: 0.45, sent: 0.6, got: 1.1 },
  look: { label: 0.16, sent: 0.3, got: 0.5 },
  aside: { label: 0, sent: 0.3, got: 0 },
};

// The oldest message is worth half of the newest.
const leastAge = 0.5;
// The more of one text is shown, the less the next piece of it is worth.
const wholeCharacters = 500;
// What the next step may be about: its best lines are told before all else.
const failureCharacters = 500;
const failureWorth = 100;

/** All that may be shown beside the user's words, best first. */
function rankedStretches(entries: readonly TimelineEntry[]): Stretch[] {
  const end = ordinalOf(entries.at(-1)) + 1;
  const failure = newestFailure(entries);
  const stretches = entries.flatMap((entry, at) => {
    const age = leastAge + (1 - leastAge) * ((ordinalOf(entry) + 1) / end);
    return entry.lines.flatMap((line, index) =>
      line.kind === 'user'
        ? []
        : lineStretches(line, { entry: at, line: index, age, isUrgent: line === failure }),
    );
  });
  return stretches.sort((a, b) => b.worth - a.worth || b.entry - a.entry || a.at - b.at);
}

interface LinePlace {
  readonly entry: number;
  readonly line: number;
  readonly age: number;
  readonly isUrgent: boolean;
}

function lineStretches(line: TimelineLine, place: LinePlace): Stretch[] {
  const worth = worths[line.hasFailed ? 'failed' : (line.kind as keyof typeof worths)];
  const { entry, line: index, age } = place;
  return [
    ...(worth.label > 0 && line.label !== ''
      ? [{ entry, line: index, side: 'label' as const, at: 0, worth: worth.label * age }]
      : []),
    ...(worth.sent > 0 ? sideStretches(line.sent, 'sent', worth.sent, { ...place, isUrgent: false }) : []),
    ...(worth.got > 0 ? sideStretches(line.got, 'got', worth.got, place) : []),
  ];
}

function sideStretches(
  pieces: readonly Piece[],
  side: 'sent' | 'got',
  worth: number,
  { entry, line, age, isUrgent }: LinePlace,
): Stretch[] {
  const order = pieces.map((_, at) => at).filter((at) => (pieces[at]?.score ?? -1) >= 0);
  order.sort((a, b) => (pieces[b]?.score ?? 0) - (pieces[a]?.score ?? 0) || a - b);
  let before = 0;
  return order.map((at) => {
    const { text, score } = pieces[at] as Piece;
    const urgency = isUrgent && before + text.length <= failureCharacters ? failureWorth : 1;
    const own = (worth * age * score * urgency) / Math.sqrt(1 + before / wholeCharacters);
    before += text.length;
    return { entry, line, side, at, worth: own };
  });
}

function newestFailure(entries: readonly TimelineEntry[]): TimelineLine | undefined {
  const failed = ({ hasFailed }: TimelineLine): boolean => hasFailed === true;
  return entries.findLast(({ lines }) => lines.some(failed))?.lines.findLast(failed);
}

function ordinalOf(entry: TimelineEntry | undefined): number {
  return Number(entry?.recallId.slice(1) ?? 0);
}

interface ChosenLine {
  readonly sent: Set<number>;
  readonly got: Set<number>;
}

// An id, an indent, a mark of what was left out.
const entryTokens = 4;
const pieceTokens = 1;
// So many stretches in a row that do not fit: there is no room left.
const mostMisses = 40;

/** Gives the entries with what of them is shown in so many tokens. A piece of a call brings its label with it. */
function chooser(
  entries: readonly TimelineEntry[],
  count: Count,
  root: string,
): (maxTokens: number) => TimelineEntry[] {
  const ranked = rankedStretches(entries);
  const known = new Map<object, number>();
  const costOf = (of: object, text: () => string): number => {
    const cost = known.get(of) ?? count(text()) + pieceTokens;
    known.set(of, cost);
    return cost;
  };
  const labelCost = (line: TimelineLine): number => costOf(line, () => shortLabel(line.label, root));
  const words = new Map<number, number>();
  for (const [at, entry] of entries.entries()) {
    const lines = entry.lines.filter(({ kind }) => kind === 'user');
    if (lines.length > 0) words.set(at, count(entryText({ ...entry, lines })) + pieceTokens);
  }
  return (maxTokens) => {
    const chosen = new Map<TimelineLine, ChosenLine>();
    const begun = new Set(words.keys());
    let left = maxTokens - [...words.values()].reduce((sum, tokens) => sum + tokens, 0);
    let misses = 0;
    for (const { entry, line: index, side, at } of ranked) {
      const line = entries[entry]?.lines[index] as TimelineLine;
      const parts = chosen.get(line);
      if (parts && side === 'label') continue;
      const piece = side === 'label' ? undefined : line[side][at];
      const cost =
        (parts || line.label === '' ? 0 : labelCost(line)) +
        (piece ? costOf(piece, () => piece.text) : 0) +
        (begun.has(entry) ? 0 : entryTokens);
      if (cost > left) {
        misses += 1;
        if (misses > mostMisses) break;
        continue;
      }
      misses = 0;
      left -= cost;
      begun.add(entry);
      const into = parts ?? { sent: new Set(), got: new Set() };
      chosen.set(line, into);
      if (side !== 'label') into[side].add(at);
    }
    return entries.flatMap(({ recallId, lines }) => {
      const kept = lines.flatMap((line) => chosenLine(line, chosen.get(line), root));
      return kept.length === 0 ? [] : [{ recallId, lines: kept }];
    });
  };
}

function chosenLine(line: TimelineLine, parts: ChosenLine | undefined, root: string): TimelineLine[] {
  if (line.kind === 'user') return [line];
  if (!parts) return [];
  const { kind, label, hasFailed } = line;
  return [
    {
      kind,
      label: shortLabel(label, root),
      sent: chosenPieces(line.sent, parts.sent),
      got: chosenPieces(line.got, parts.got),
      ...(hasFailed ? { hasFailed } : {}),
    },
  ];
}

/** In their order; each knows whether something was left out in front of it. */
function chosenPieces(pieces: readonly Piece[], chosen: ReadonlySet<number>): Piece[] {
  if (chosen.size === 0) return [];
  const kept = pieces.map(({ score }, at) => chosen.has(at) || score < 0);
  // What says nothing by itself, as a bracket, is shown between its neighbours only.
  const order = [...pieces.keys()];
  for (const way of [order, order.toReversed()]) {
    let isBeside = true;
    for (const at of way) {
      if ((pieces[at]?.score ?? 0) < 0) kept[at] &&= isBeside;
      else isBeside = chosen.has(at);
    }
  }
  return pieces.flatMap((piece, at) => {
    if (!kept[at]) return [];
    return at === 0 || kept[at - 1] ? [piece] : [{ ...piece, isAfterGap: true as const }];
  });
}
