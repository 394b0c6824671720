import { cutHead, cutTail } from '../text/cut-text.ts';
import { instructionSentences } from '../text/instruction-sentences.ts';
import type { Count } from './fill-timeline.ts';
import type { TimelineEntry, TimelineLine } from '../transcript/timeline.ts';

const frameTokens = 8;
const verbatimShare = 0.75;
const endCharacters = 500;
const leastCharacters = 120;

type Form = (text: string) => string;

/** How a message of the user is said where there is less and less room. */
const forms: readonly Form[] = [(text) => text, endsOf, rulesOf, (text) => cut(text, leastCharacters)];

/**
 * The timeline with the user's words in so many tokens, newest first: word for word; where not all fit, their first and
 * last 500 characters with the rules between; then only their rules; then their beginning. Those that no room is left
 * for are counted: they stay in the history.
 */
export function withUserWords(
  entries: readonly TimelineEntry[],
  maxTokens: number,
  count: Count,
): readonly TimelineEntry[] {
  const cost = (text: string): number => count(text) + frameTokens;
  const all = entries.flatMap(({ lines }) => lines.filter(isWords));
  if (all.reduce((sum, line) => sum + cost(wordsOf(line)), 0) <= maxTokens) return entries;
  let left = maxTokens - frameTokens;
  const omitted: TimelineEntry[] = [];
  let omittedCount = 0;
  const truncated = entries.toReversed().flatMap((entry) => {
    if (!entry.lines.some(isWords)) return [entry];
    const lines = entry.lines.flatMap((line) => {
      if (!isWords(line)) return [line];
      const text = wordsOf(line);
      // What an earlier round left out goes on being counted, in one note.
      const before = noteCount(text);
      if (before > 0) {
        omittedCount += before;
        return [];
      }
      const whole = left - maxTokens * (1 - verbatimShare);
      const shown = forms.map((form) => form(text)).find((one, at) => cost(one) <= (at === 0 ? whole : left));
      if (shown === undefined) {
        omittedCount += 1;
        return [];
      }
      left -= cost(shown);
      return [shown === text ? line : said(shown)];
    });
    if (lines.length < entry.lines.length) omitted.push(entry);
    return lines.length === 0 ? [] : [{ ...entry, lines }];
  });
  const [newest] = omitted;
  if (!newest) return truncated.reverse();
  const noted = {
    recallId: newest.recallId,
    lines: [said(`(${omittedCount} messages up to here are archived only)`)],
  };
  return [...truncated, noted].sort((a, b) => ordinalOf(a) - ordinalOf(b));
}

const note = /^\((\d{1,9}) messages up to here are archived only\)$/;

function noteCount(text: string): number {
  return Number(note.exec(text)?.[1] ?? 0);
}

const isWords = ({ kind }: TimelineLine): boolean => kind === 'user';

function said(text: string): TimelineLine {
  return { kind: 'user', label: '', sent: [{ text, score: 1 }], got: [] };
}

function ordinalOf({ recallId }: TimelineEntry): number {
  return Number(recallId.slice(1));
}

function wordsOf({ sent }: TimelineLine): string {
  return sent.map(({ text }) => text).join('');
}

function endsOf(text: string): string {
  if (text.length <= endCharacters * 2.2) return text;
  const head = cutHead(text, endCharacters);
  const tail = cutTail(text, endCharacters);
  const rules = instructionSentences(text.slice(head.length, text.length - tail.length));
  const middle = rules.length === 0 ? '\n[…]\n' : `\n[…]\n${rules.join('\n')}\n[…]\n`;
  return `${head}${middle}${tail}`.toWellFormed();
}

function rulesOf(text: string): string {
  const rules = instructionSentences(text);
  return rules.length === 0 ? cut(text, leastCharacters * 2) : `[…]\n${rules.join('\n')}`;
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${cutHead(text, characters).trimEnd().toWellFormed()}…`;
}
