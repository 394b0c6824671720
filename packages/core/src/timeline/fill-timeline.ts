import { shortLabelCharacters, entryText, shortLabel, withoutRoot } from './line-text.ts';
import { namingLine, newestFailures } from '../facts/failures.ts';
import { bestFirst, openNovelty, termsOf } from './novelty.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';
import type { Count } from '../text/cut-text.ts';
import type { Terms } from './novelty.ts';

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
    room = Math.max(room + (left < 0 ? left - round : left), room / 2);
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
  readonly isLabelWhole: boolean;
  readonly sent: Set<number>;
  readonly got: Set<number>;
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
  const choice = {
    ranked: rankedStretches(entries),
    costs: costsOf(entries, count, root),
    terms: termsIn(entries),
    userTerms: userTermsOf(entries),
  };
  return (maxTokens) => {
    const chosen = chooseParts(entries, choice, maxTokens);
    return entries.flatMap(({ recallId, lines }) => {
      const kept = lines.flatMap((line) => chosenLine(line, chosen.get(line), root));
      return kept.length === 0 ? [] : [{ recallId, lines: kept }];
    });
  };
}

/** The terms of a stretch, each looked for once and only when it is asked for. */
function termsIn(entries: readonly TimelineEntry[]): (stretch: Stretch) => Terms {
  const known = new Map<Stretch, Terms>();
  return (stretch) => {
    const before = known.get(stretch);
    if (before) return before;
    const { entry, line: index, side, at } = stretch;
    const line = entries[entry]?.lines[index] as TimelineLine;
    const label = side === 'label' ? shortLabel(line.label, '') : line.label;
    const text = side === 'sent' || side === 'got' ? (line[side][at]?.text ?? '') : label;
    const terms = termsOf(text);
    known.set(stretch, terms);
    return terms;
  };
}

function userTermsOf(entries: readonly TimelineEntry[]): Terms[] {
  const lines = entries.flatMap((entry) => entry.lines.filter(({ kind }) => kind === 'user'));
  return lines.flatMap(({ sent }) => sent.map(({ text }) => termsOf(text)));
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
    if (lines.length > 0) words.set(at, count(entryText({ ...entry, lines })) + pieceTokens);
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

/** What may be shown, best first, with what each costs and says. */
interface Choice {
  readonly ranked: readonly Stretch[];
  readonly costs: Costs;
  readonly terms: (stretch: Stretch) => Terms;
  /** Of all words of the user. */
  readonly userTerms: readonly Terms[];
}

/**
 * The best stretches that fit beside the user's words. A piece of a call brings its label with it. What repeats words
 * that are shown already is worth less.
 */
function chooseParts(
  entries: readonly TimelineEntry[],
  { ranked, costs, terms, userTerms }: Choice,
  maxTokens: number,
): Map<TimelineLine, ChosenParts> {
  const chosen = new Map<TimelineLine, ChosenParts>();
  const begun = new Set(costs.words.keys());
  const novelty = openNovelty();
  for (const terms of userTerms) novelty.show(terms);
  let left = [...costs.words.values()].reduce((rest, tokens) => rest - tokens, maxTokens);
  let misses = 0;
  // An answer of the user says something also where its words were said before.
  const worthNow = (one: Stretch): number =>
    entries[one.entry]?.lines[one.line]?.kind === 'answer' ? one.worth : one.worth * novelty.of(terms(one));
  for (const stretch of bestFirst(ranked, worthNow)) {
    const { entry, line: index, side, at } = stretch;
    const line = entries[entry]?.lines[index] as TimelineLine;
    const parts = chosen.get(line);
    const begin = (parts ? 0 : costs.begin(line)) + (begun.has(entry) ? 0 : entryTokens);
    const cost = begin + costs.bySide[side](line, at);
    if (cost > left) {
      misses += 1;
      if (misses > mostMisses) break;
      continue;
    }
    misses = 0;
    left -= cost;
    begun.add(entry);
    novelty.show(terms(stretch));
    chosen.set(line, withStretch(parts, side, at));
  }
  return chosen;
}

function withStretch(parts: ChosenParts | undefined, side: Stretch['side'], at: number): ChosenParts {
  const into = parts ?? { isLabelWhole: false, sent: new Set(), got: new Set() };
  if (side === 'sent' || side === 'got') into[side].add(at);
  return side === 'whole' ? { ...into, isLabelWhole: true } : into;
}

function chosenLine(line: TimelineLine, parts: ChosenParts | undefined, root: string): TimelineLine[] {
  if (line.kind === 'user') return [line];
  if (!parts) return [];
  const { kind, label, hasFailed, foundNothing } = line;
  return [
    {
      kind,
      label: parts.isLabelWhole ? withoutRoot(label, root) : shortLabel(label, root),
      sent: chosenPieces(line.sent, parts.sent),
      got: chosenPieces(line.got, parts.got),
      ...(hasFailed ? { hasFailed } : {}),
      ...(foundNothing ? { foundNothing } : {}),
    },
  ];
}

// Brackets and the like cost nothing in the choice, so that there may only be a few of them.
const bracketCharacters = 8;
const mostBrackets = 2;

/** In their order; each knows whether something was left out in front of it. */
function chosenPieces(pieces: readonly Piece[], chosen: ReadonlySet<number>): Piece[] {
  if (chosen.size === 0) return [];
  const kept = pieces.map(
    ({ score, text }, at) => chosen.has(at) || (score < 0 && text.length <= bracketCharacters),
  );
  // What says nothing by itself, as a bracket, is shown between its neighbours only.
  const order = [...pieces.keys()];
  for (const way of [order, order.toReversed()]) {
    let beside = mostBrackets;
    for (const at of way) {
      if ((pieces[at]?.score ?? 0) < 0) kept[at] &&= beside > 0;
      beside = chosen.has(at) ? mostBrackets : kept[at] ? beside - 1 : 0;
    }
  }
  return pieces.flatMap((piece, at) => {
    if (!kept[at]) return [];
    return at === 0 || kept[at - 1] ? [piece] : [{ ...piece, isAfterGap: true as const }];
  });
}

/** What is shown or left out as one: what a call was, or a piece of what was said, written or came back. */
interface Stretch {
  readonly entry: number;
  readonly line: number;
  /** `whole`: what `label` leaves out of a long label. */
  readonly side: 'label' | 'whole' | 'sent' | 'got';
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
  said: { label: 0, sent: 1.5, got: 0 },
  thought: { label: 0, sent: 0.8, got: 0 },
  announced: { label: 0, sent: 0.6, got: 0 },
  failed: { label: 0.7, sent: 0.5, got: 1 },
  edit: { label: 0.4, sent: 0.6, got: 0 },
  command: { label: 0.35, sent: 0.5, got: 0.8 },
  call: { label: 0.45, sent: 0.6, got: 1.1 },
  look: { label: 0.16, sent: 0.3, got: 0.35 },
  aside: { label: 0, sent: 0.3, got: 0 },
};

// What the oldest message is worth beside the newest.
const leastAge = 0.75;
// The more of one text is shown, the less the next piece of it is worth.
const wholeCharacters = 1_000;
// What the next step may be about: the line that names the failure and its best ones are told before all else.
const failureCharacters = 300;
const failureWorth = 100;

/** All that may be shown beside the user's words, best first. */
function rankedStretches(entries: readonly TimelineEntry[]): Stretch[] {
  const end = ordinalOf(entries.at(-1)) + 1;
  const failures = newestFailures(entries);
  const stretches = entries.flatMap((entry, at) => {
    const age = leastAge + (1 - leastAge) * ((ordinalOf(entry) + 1) / end);
    return entry.lines.flatMap((line, index) =>
      line.kind === 'user'
        ? []
        : lineStretches(line, { entry: at, line: index, age, isUrgent: failures.has(line) }),
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
  // Of a search that found nothing its label says so.
  const urgency = place.isUrgent && line.foundNothing ? failureWorth : 1;
  return [
    ...labelStretches(line, worth.label * age * urgency).map((stretch) => ({
      ...stretch,
      entry,
      line: index,
      at: 0,
    })),
    ...(worth.sent > 0 ? sideStretches(line.sent, 'sent', worth.sent, { ...place, isUrgent: false }) : []),
    ...(worth.got > 0 ? sideStretches(line.got, 'got', worth.got, place) : []),
  ];
}

// What stands between the ends of a long label.
const middleShare = 0.4;

function labelStretches({ label }: TimelineLine, worth: number): Pick<Stretch, 'side' | 'worth'>[] {
  if (worth === 0 || label === '') return [];
  if (label.length <= shortLabelCharacters) return [{ side: 'label', worth }];
  return [
    { side: 'label', worth },
    { side: 'whole', worth: worth * middleShare },
  ];
}

function sideStretches(
  pieces: readonly Piece[],
  side: 'sent' | 'got',
  worth: number,
  { entry, line, age, isUrgent }: LinePlace,
): Stretch[] {
  const order = pieces.map((_, at) => at).filter((at) => (pieces[at]?.score ?? -1) >= 0);
  const first = isUrgent ? namingLine(pieces) : -1;
  order.sort(
    (a, b) =>
      Number(b === first) - Number(a === first) || (pieces[b]?.score ?? 0) - (pieces[a]?.score ?? 0) || a - b,
  );
  let before = 0;
  return order.map((at) => {
    const { text, score } = pieces[at] as Piece;
    const urgency = isUrgent && before + text.length <= failureCharacters ? failureWorth : 1;
    const own = (worth * age * score * urgency) / Math.sqrt(1 + before / wholeCharacters);
    before += text.length;
    return { entry, line, side, at, worth: own };
  });
}

function ordinalOf(entry: TimelineEntry | undefined): number {
  return Number(entry?.recallId.slice(1) ?? 0);
}
