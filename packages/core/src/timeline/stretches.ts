import { shortLabelCharacters } from './line-text.ts';
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
export function rankedStretches(entries: readonly TimelineEntry[]): Stretch[] {
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
    ...labelStretches(line, worth.label * age).map((stretch) => ({ ...stretch, entry, line: index, at: 0 })),
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
