import { shortLabel, shortLabelCharacters } from './line-text.ts';
import { bestFirst, openNovelty, termsOf } from './novelty.ts';
import { namingLine, newestFailures } from '../facts/failures.ts';
import type { LineKind, Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';
import type { Terms } from './novelty.ts';

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

/** All stretches beside the user's words, best first. What repeats words that stand in front of it is worth less. */
export function* bestStretches(entries: readonly TimelineEntry[]): Generator<Stretch> {
  const novelty = openNovelty();
  const terms = termsIn(entries);
  for (const entry of entries)
    for (const { kind, sent } of entry.lines)
      if (kind === 'user') for (const { text } of sent) novelty.show(termsOf(text));
  // An answer of the user says something also where its words were said before.
  const worthNow = (one: Stretch): number =>
    lineOf(entries, one).kind === 'answer' ? one.worth : one.worth * novelty.of(terms(one));
  for (const stretch of bestFirst(rankedStretches(entries), worthNow)) {
    novelty.show(terms(stretch));
    yield stretch;
  }
}

/** The terms of a stretch, each looked for once and only when it is asked for. */
function termsIn(entries: readonly TimelineEntry[]): (stretch: Stretch) => Terms {
  const known = new Map<Stretch, Terms>();
  return (stretch) => {
    const before = known.get(stretch);
    if (before) return before;
    const { side, at } = stretch;
    const line = lineOf(entries, stretch);
    const label = side === 'label' ? shortLabel(line.label, '') : line.label;
    const text = side === 'sent' || side === 'got' ? (line[side][at]?.text ?? '') : label;
    const terms = termsOf(text);
    known.set(stretch, terms);
    return terms;
  };
}

export function lineOf(entries: readonly TimelineEntry[], { entry, line }: Stretch): TimelineLine {
  return entries[entry]?.lines[line] as TimelineLine;
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
