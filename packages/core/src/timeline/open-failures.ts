import type { Piece, TimelineEntry, TimelineLine } from '../transcript/summary.ts';

// What stays in the view behind a timeline may repair the newest: then the one before is the newest.
const mostFailures = 2;

/**
 * The newest calls that failed, or found nothing, without a later success of the very same. One that was repaired says
 * nothing about the next step, and would take the room of an older one that still stands.
 */
export function newestFailures(entries: readonly TimelineEntry[]): ReadonlySet<TimelineLine> {
  const open = new Map<string, TimelineLine>();
  for (const { lines } of entries) {
    for (const line of lines) {
      const known = open.get(calledAs(line));
      const hasFailed = line.hasFailed === true || line.foundNothing === true;
      if (known && (hasFailed || isSameCall(known, line))) open.delete(calledAs(line));
      if (hasFailed) open.set(calledAs(line), line);
    }
  }
  return new Set([...open.values()].slice(-mostFailures));
}

/** The call without what is said behind it of what it found. */
function calledAs({ label, foundNothing }: TimelineLine): string {
  return foundNothing ? label.slice(0, label.lastIndexOf(foundNothingMark)) : label;
}

export const foundNothingMark = ' → ';

/** An edit of the same file is another edit: of what it replaces the timeline knows nothing. */
function isSameCall(before: TimelineLine, line: TimelineLine): boolean {
  return line.kind !== 'edit' && textOf(before) === textOf(line);
}

function textOf({ sent }: TimelineLine): string {
  return sent.map(({ text }) => text).join('');
}

/** What a line of a failed result that names an error scores at least. */
export const failingLineScore = 1;

/** The last line of a result that says what went wrong; else the best. */
export function namingLine(pieces: readonly Piece[]): number {
  const last = pieces.findLastIndex(({ score }) => score >= failingLineScore);
  if (last >= 0) return last;
  return pieces.reduce((best, { score }, at) => (score > (pieces[best]?.score ?? -1) ? at : best), 0);
}
