import { add, ratioOf } from './metric.ts';
import { visitNames } from '@throughline/core/internal';
import type { Metric, Sums } from './metric.ts';
import type { SeenMessage } from '../sessions/message-text.ts';

/** A line shorter than this occurs everywhere and proves nothing. */
const leastLineChars = 8;
/** A summariser's input may cut long lines; this much of one is what is asked for. */
const lineChars = 100;

/**
 * M10, coverage: characters of removed text read by the summariser or by the must-keep-facts extractor / removed
 * characters; the summariser's share apart. Taken at the last step. Removed: a line of the history that C_k does not
 * hold. Read by the summariser: its beginning stood in something the summariser was given. Read by the extractor, for
 * contenders that have one: a name planted behind the text that held the line is found by it, so it reads to the end.
 */
export const coverage: Metric = {
  start(plan) {
    const sums: Sums = {};
    const read = new Set<string>();
    return {
      sums,
      add({ sent }) {
        for (const { conversation } of sent?.summaries ?? [])
          for (const line of linesOf(conversation.replaceAll('\\n', '\n'))) read.add(line);
      },
      finish({ step, sent, seen }) {
        if (!sent) return;
        const present = new Set(seen.flatMap(({ searchText }) => linesOf(searchText)));
        for (const message of plan.seen.slice(0, step.historyLength)) {
          const hasExtractor = sent.archive !== undefined && isReadToTheEnd(message);
          for (const line of linesOf(message.searchText)) {
            if (present.has(line)) continue;
            add(sums, 'removed', line.length);
            const isSummarised = read.has(line);
            if (isSummarised) add(sums, 'summarised', line.length);
            if (isSummarised || hasExtractor) add(sums, 'read', line.length);
          }
        }
      },
    };
  },
};

/** The beginnings of the lines of a text, without the space around them. */
function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const start = line.trim().slice(0, lineChars);
    return start.length >= leastLineChars ? [start] : [];
  });
}

const planted = 'src/planted/by-the-bench-4711.ts';
const ends = new WeakMap<SeenMessage, boolean>();

function isReadToTheEnd(message: SeenMessage): boolean {
  const known = ends.get(message);
  if (known !== undefined) return known;
  const isRead = message.spots.every((text) => {
    const withPlant = `${text}\n${planted}\n`;
    let isFound = false;
    visitNames(withPlant, (name, at) => {
      if (at > text.length && name.includes(planted)) isFound = true;
    });
    return isFound;
  });
  ends.set(message, isRead);
  return isRead;
}

export function coverageFigures(sums: Readonly<Sums>) {
  return {
    coverage: ratioOf(sums, 'read', 'removed'),
    coverageBySummariser: ratioOf(sums, 'summarised', 'removed'),
  };
}
