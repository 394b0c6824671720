import { shortLabel, shortLabelCharacters } from './line-text.ts';
import { namingLine, newestFailures } from './open-failures.ts';
import { messageOrdinal } from '../transcript/entry.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';

/** What is shown or left out as one: what a call was, or a piece of what was said, written or came back. */
export interface Stretch {
  readonly entry: number;
  readonly line: number;
  /** `whole`: what `label` leaves out of a long label. */
  readonly side: 'label' | 'whole' | 'sent' | 'got';
  /** Its place among the pieces of its side. */
  readonly at: number;
  readonly worth: number;
}

/**
 * All stretches beside the user's words, best first. What repeats words of the user or of what is worth more is worth less:
 * the same sentence, or an error that a compiler prints for each package, is told once where there is little room.
 */
export function bestStretches(entries: readonly TimelineEntry[]): Stretch[] {
  const said = new Set<string>();
  for (const entry of entries)
    for (const { kind, sent } of entry.lines)
      if (kind === 'user') for (const { text } of sent) newShare(termsOf(text), said);
  const shapes = new Set<string>();
  const ranked = rankedStretches(entries);
  const weighed = ranked.slice(0, mostWeighed).map((stretch) => {
    const fresh = newShare(termsOf(textOf(entries, stretch)), said);
    const shape = shapeOf(entries, stretch);
    const isTold = shape !== '' && shapes.has(shape);
    shapes.add(shape);
    // An answer of the user says something also where its words were said before.
    if (lineOf(entries, stretch).kind === 'answer') return stretch;
    const novelty = isTold ? toldShare : leastNovelty + (1 - leastNovelty) * fresh;
    return { ...stretch, worth: stretch.worth * novelty };
  });
  weighed.sort((a, b) => b.worth - a.worth);
  return [...weighed, ...ranked.slice(mostWeighed)];
}

// More than a summary of 100 000 tokens shows. It bounds the time that a long history takes.
const mostWeighed = 8_000;
// What is said again is worth a tenth: it goes behind nearly all else, and is shown where there is room.
const leastNovelty = 0.1;

// What stands there word for word, or of a result but for its numbers, comes when nothing else is left.
const toldShare = 0.01;
const shortestShape = 24;
const longestShape = 400;
// In rows of numbers those are what is said.
const leastLetters = 16;

/** A sentence, or a line of a result without its numbers; empty where that says too little. */
function shapeOf(entries: readonly TimelineEntry[], stretch: Stretch): string {
  const { side, at } = stretch;
  if (side !== 'sent' && side !== 'got') return '';
  const text = lineOf(entries, stretch)[side][at]?.text.trim() ?? '';
  if (text.length < shortestShape || text.length > longestShape) return '';
  const shape = side === 'got' ? text.replace(/\d+/g, '0') : text;
  return shape.replace(/[^\p{L}]/gu, '').length < leastLetters ? text : shape;
}

function textOf(entries: readonly TimelineEntry[], stretch: Stretch): string {
  const { side, at } = stretch;
  const line = lineOf(entries, stretch);
  if (side === 'sent' || side === 'got') return line[side][at]?.text ?? '';
  return side === 'label' ? shortLabel(line.label, '') : line.label;
}

export function lineOf(entries: readonly TimelineEntry[], { entry, line }: Stretch): TimelineLine {
  return entries[entry]?.lines[line] as TimelineLine;
}

type Weighed = LineKind | 'failed';
type Worth = { readonly label: number; readonly sent: number; readonly got: number };

/**
 * What a stretch is worth beside others, times the score of its piece. Readers who see nothing but the timeline answer
 * most from what the assistant said, to the user or beside its calls; results that nobody spoke of come last. A thought
 * says what may be: worth as much as words, it crowds out what was found (10k: 0.79 instead of 0.81 of the words of
 * reference answers on five sessions that nobody tuned to).
 */
const worths: { readonly [Kind in Exclude<Weighed, 'user'>]: Worth } = {
  answer: { label: 3, sent: 3, got: 5 },
  told: { label: 0, sent: 1.3, got: 0 },
  instructions: { label: 0, sent: 1, got: 0 },
  said: { label: 0, sent: 1.5, got: 0 },
  thought: { label: 0, sent: 0.4, got: 0 },
  announced: { label: 0, sent: 0.6, got: 0 },
  failed: { label: 0.7, sent: 0.5, got: 1 },
  edit: { label: 0.4, sent: 0.6, got: 0 },
  command: { label: 0.35, sent: 0.5, got: 0.8 },
  call: { label: 0.45, sent: 0.6, got: 1.1 },
  output: { label: 0, sent: 0, got: 0.5 },
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
  const newest = entries.at(-1);
  const end = newest ? messageOrdinal(newest.recallId) + 1 : 1;
  const failures = newestFailures(entries);
  const asked = newestAsked(entries);
  const stretches: Stretch[] = [];
  entries.forEach(({ recallId, lines }, entry) => {
    const age = leastAge + (1 - leastAge) * ((messageOrdinal(recallId) + 1) / end);
    lines.forEach((line, at) => {
      const shown = asked.has(line) ? line : withoutOptions(line);
      if (line.kind !== 'user')
        addStretches(stretches, shown, { entry, line: at, age, isUrgent: failures.has(line) });
    });
  });
  return stretches.sort((a, b) => b.worth - a.worth || b.entry - a.entry || a.at - b.at);
}

const mostAsked = 2;

/** The newest questions that the user answered: what else was offered may still be taken. */
function newestAsked(entries: readonly TimelineEntry[]): ReadonlySet<TimelineLine> {
  const asked = entries.flatMap(({ lines }) =>
    lines.filter(({ kind, got }) => kind === 'answer' && got.length > 0),
  );
  return new Set(asked.slice(-mostAsked));
}

const option = /^- ([^\n:]{1,200})/;

/** An answered question with the options that were taken: the others say nothing any more. */
function withoutOptions(line: TimelineLine): TimelineLine {
  if (line.kind !== 'answer' || line.got.length === 0) return line;
  const answer = line.got.map(({ text }) => text).join('');
  const isTaken = (text: string): boolean => answer.includes(option.exec(text)?.[1]?.trim() ?? '');
  return { ...line, sent: line.sent.map((piece) => (isTaken(piece.text) ? piece : { ...piece, score: -1 })) };
}

interface LinePlace {
  readonly entry: number;
  readonly line: number;
  readonly age: number;
  readonly isUrgent: boolean;
}

function addStretches(stretches: Stretch[], line: TimelineLine, place: LinePlace): void {
  const worth = worths[line.hasFailed ? 'failed' : (line.kind as keyof typeof worths)];
  if (worth.label > 0 && line.label !== '') addLabel(stretches, line, worth.label, place);
  if (worth.sent > 0) addPieces(stretches, line, { side: 'sent', worth: worth.sent }, place);
  if (worth.got > 0) addPieces(stretches, line, { side: 'got', worth: worth.got }, place);
}

// What stands between the ends of a long label.
const middleShare = 0.4;

function addLabel(
  stretches: Stretch[],
  { label, foundNothing }: TimelineLine,
  worth: number,
  { entry, line, age, isUrgent }: LinePlace,
): void {
  // Of a search that found nothing its label says so.
  const own = worth * age * (isUrgent && foundNothing ? failureWorth : 1);
  stretches.push({ entry, line, side: 'label', at: 0, worth: own });
  if (label.length > shortLabelCharacters)
    stretches.push({ entry, line, side: 'whole', at: 0, worth: own * middleShare });
}

/** The best pieces of a side first. */
function addPieces(
  stretches: Stretch[],
  pieceLine: TimelineLine,
  { side, worth }: { readonly side: 'sent' | 'got'; readonly worth: number },
  { entry, line, age, isUrgent }: LinePlace,
): void {
  const pieces = pieceLine[side];
  const isFailure = isUrgent && side === 'got';
  const first = isFailure ? namingLine(pieces) : -1;
  const order: number[] = [];
  pieces.forEach(({ score }, at) => {
    if (score >= 0) order.push(at);
  });
  if (order.length > 1)
    order.sort(
      (a, b) =>
        Number(b === first) - Number(a === first) ||
        (pieces[b]?.score ?? 0) - (pieces[a]?.score ?? 0) ||
        a - b,
    );
  let before = 0;
  for (const at of order) {
    const { text, score } = pieces[at] as Piece;
    const urgency = isFailure && before + text.length <= failureCharacters ? failureWorth : 1;
    const own = (worth * age * score * urgency) / Math.sqrt(1 + before / wholeCharacters);
    before += text.length;
    stretches.push({ entry, line, side, at, worth: own });
  }
}

/** How much of what a text says is not said already, from 0 to 1; from now on it is. */
export function newShare(terms: readonly string[], said: Set<string>): number {
  if (terms.length === 0) return 1;
  let fresh = 0;
  for (const term of terms) {
    if (said.has(term)) continue;
    said.add(term);
    fresh += 1;
  }
  return fresh / terms.length;
}

// A sign may be all that tells two lines apart.
const word = /[\p{L}\p{N}_]+|[✓✗✔✘!<>]/gu;
// Scripts without spaces between words: two characters stand for one.
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/;
const fewWords = 3;
// Of a longer text: what it says again is seen by then.
const mostCharacters = 20_000;

/** The words of a text, in small letters, as often as it says them. */
function lowerWords(text: string): string[] {
  return text.slice(0, mostCharacters).toLowerCase().match(word) ?? [];
}

/**
 * What a text says: pairs of neighbouring words; of a text of two words, or without spaces, the words themselves, too. A name
 * that comes again with something else beside it is new.
 */
export function termsOf(text: string): string[] {
  const words = lowerWords(text);
  const terms: string[] = [];
  for (let at = 1; at < words.length; at += 1) terms.push(`${words[at - 1]} ${words[at]}`);
  if (unspaced.test(text)) for (const one of words) for (const pair of characterPairs(one)) terms.push(pair);
  else if (words.length < fewWords) for (const one of words) terms.push(one);
  return terms;
}

function characterPairs(text: string): string[] {
  if (!unspaced.test(text)) return [text];
  return Array.from({ length: Math.max(1, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}
