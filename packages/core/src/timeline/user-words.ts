import { cutHead, cutTail, isSentenceEnd } from '../text/cut-text.ts';
import type { Count } from '../text/cut-text.ts';
import { messageOrdinal } from '../transcript/entry.ts';
import type { TimelineEntry, TimelineLine } from '../transcript/summary.ts';

const frameTokens = 8;
// The rest is for the ends and rules of older ones: see `userMessages` of the measures.
const verbatimShare = 0.87;
const endCharacters = 500;
// Most characters of each message that is not shown word for word: less and less, until all of them fit.
const mostCharacters = 64_000;
// A line of a message: its beginning and its end.
const leastCharacters = 80;
const capStep = 0.75;

/**
 * The timeline with the user's words in so many tokens. Word for word stand the latest ones and short ones that forbid,
 * command or correct (up to half of what the latest leave). Then each message keeps a line, the newest first, before any
 * keeps a second one. Of what is left the newest are word for word, in all up to 87 %; the rest share it, so that the
 * longest are shortened first: to their first and last 500 characters with the rules between, to their rules, to their
 * ends. Those that not even a line is left for are counted: they stay in the history.
 */
export function withUserWords(
  entries: readonly TimelineEntry[],
  maxTokens: number,
  count: Count,
): readonly TimelineEntry[] {
  const cost = (text: string): number => count(text) + frameTokens;
  const all = entries.flatMap(({ lines }) => lines.filter(isWords));
  if (sum(all, cost) <= maxTokens) return entries;
  const shown = shownWords(all, maxTokens - frameTokens, cost);
  const left = new Set(all.filter((line) => !shown.has(line)));
  const kept = entries.flatMap((entry) => {
    if (!entry.lines.some(isWords)) return [entry];
    const lines = entry.lines.flatMap((line) => (left.has(line) ? [] : [shown.get(line) ?? line]));
    return lines.length === 0 ? [] : [{ ...entry, lines }];
  });
  const omitted = entries.findLast(({ lines }) => lines.some((line) => left.has(line)));
  if (!omitted) return kept;
  // What an earlier round left out goes on being counted, in one note.
  const number = [...left].reduce((sum, line) => sum + (noteCount(wordsOf(line)) || 1), 0);
  const noted = {
    recallId: omitted.recallId,
    lines: [wordsLine(`(${number} messages up to here are archived only)`)],
  };
  return [...kept, noted].sort((a, b) => messageOrdinal(a.recallId) - messageOrdinal(b.recallId));
}

// The note costs as much as a shorter one.
const leastRepeated = 60;
const repeatable: ReadonlySet<string> = new Set(['user', 'aside']);
const leastScore = 0.1;

/**
 * The timeline with a note where somebody in the user's place says again, word for word, what stands in an earlier entry
 * (hooks do): but the newest words of the user stay.
 */
export function withoutRepeats(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const newest = entries.findLast(({ lines }) => lines.some(isWords));
  const said = new Map<string, TimelineEntry>();
  return entries.map((entry) => {
    let isSame = false;
    const lines = entry.lines.map((line) => {
      const text = wordsOf(line);
      if (entry === newest || !repeatable.has(line.kind) || text.length < leastRepeated) return line;
      const key = `${line.kind} ${text}`;
      const first = said.get(key);
      if (!first) said.set(key, entry);
      if (!first || first === entry) return line;
      isSame = true;
      const score = isWords(line) ? 1 : leastScore;
      return { ...line, sent: [{ text: `(same as ${first.recallId})`, score }] };
    });
    return isSame ? { ...entry, lines } : entry;
  });
}

/** Each line that is shown, as it is shown. */
function shownWords(
  lines: readonly TimelineLine[],
  maxTokens: number,
  cost: (text: string) => number,
): Map<TimelineLine, TimelineLine> {
  const newestFirst = lines.toReversed().filter((line) => noteCount(wordsOf(line)) === 0);
  const shown = new Map<TimelineLine, TimelineLine>();
  const spare = maxTokens * (1 - verbatimShare);
  // The latest request comes before all others.
  const latest = newestFirst.slice(0, 1).filter((line) => cost(wordsOf(line)) <= maxTokens - spare);
  const beside = maxTokens - sum(latest, cost);
  const lasting = lastingWords(newestFirst.slice(latest.length), beside * lastingShare, cost);
  for (const line of [...latest, ...lasting]) shown.set(line, line);
  let left = beside - sum(lasting, cost);
  const least = leastWords(
    newestFirst.filter((line) => !shown.has(line)),
    left,
    cost,
  );
  for (const tokens of least.values()) left -= tokens;
  for (const [line, tokens] of least) {
    const more = cost(wordsOf(line)) - tokens;
    if (more > left - Math.min(spare, left)) break;
    shown.set(line, line);
    left -= more;
  }
  const others = [...least.keys()].filter((line) => !shown.has(line));
  for (const line of others) left += least.get(line) ?? 0;
  const costAt = (most: number): number => sum(others, (text) => cost(within(text, most)));
  let cap = mostCharacters;
  while (cap > leastCharacters && costAt(cap) > left)
    cap = Math.max(leastCharacters, Math.floor(cap * capStep));
  for (const line of others) {
    const whole = wordsOf(line);
    const text = within(whole, cap);
    shown.set(line, text === whole ? line : wordsLine(text));
  }
  return shown;
}

/** A line of each message, the newest first as far as there is room, with what it costs. */
function leastWords(
  newestFirst: readonly TimelineLine[],
  maxTokens: number,
  cost: (text: string) => number,
): ReadonlyMap<TimelineLine, number> {
  const least = new Map<TimelineLine, number>();
  let left = maxTokens;
  for (const line of newestFirst) {
    const tokens = cost(within(wordsOf(line), leastCharacters));
    if (tokens > left) continue;
    least.set(line, tokens);
    left -= tokens;
  }
  return least;
}

// What the user corrects or forbids in passing is short; a long message has its rules kept when it is shortened.
const longestLasting = 600;
const lastingShare = 0.5;

/** Short messages that forbid, command or correct, the newest first, in so many tokens: they outlast all others. */
function lastingWords(
  newestFirst: readonly TimelineLine[],
  maxTokens: number,
  cost: (text: string) => number,
): Set<TimelineLine> {
  const lasting = new Set<TimelineLine>();
  let left = maxTokens;
  for (const line of newestFirst) {
    const text = wordsOf(line);
    if (text.length > longestLasting || !isLasting(text)) continue;
    const tokens = cost(text);
    if (tokens > left) break;
    lasting.add(line);
    left -= tokens;
  }
  return lasting;
}

function sum(lines: Iterable<TimelineLine>, cost: (text: string) => number): number {
  let tokens = 0;
  for (const line of lines) tokens += cost(wordsOf(line));
  return tokens;
}

// Rules stay longest.
const rulesFactor = 3;

/** A text in so many characters, in the form that says most; its rules may take more. */
function within(text: string, most: number): string {
  if (text.length <= most) return text;
  const ends = endsOf(text);
  if (ends.length <= most) return most < endCharacters * 4 ? ends : headAndTail(text, most);
  const rules = rulesOf(text);
  return rules.length < text.length && rules.length <= most * rulesFactor ? rules : headAndTail(text, most);
}

function headAndTail(text: string, most: number): string {
  const tail = Math.floor(most * 0.4);
  return `${cutHead(text, most - tail - 1).trimEnd()}…${cutTail(text, tail).trimStart()}`.toWellFormed();
}

const note = /^\((\d{1,9}) messages up to here are archived only\)$/;

function noteCount(text: string): number {
  return Number(note.exec(text)?.[1] ?? 0);
}

const isWords = ({ kind }: TimelineLine): boolean => kind === 'user';

/** A line of the user's words. */
export function wordsLine(text: string): TimelineLine {
  return { kind: 'user', label: '', sent: [{ text, score: 1 }], got: [] };
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

/** The sentences that command or forbid; where there are none, nothing fits better than its ends. */
function rulesOf(text: string): string {
  const rules = instructionSentences(text);
  return rules.length === 0 ? text : `[…]\n${rules.join('\n')}`;
}

// Words that make a sentence a rule, in the languages agents are used in most. A language that is missing here only
// loses the preference for such sentences; nothing else depends on it.
const spacedRule =
  /(?:^|[^\p{L}])(?:never|must|mustn['’]t|do not|don['’]t|only|always|cannot|shall|nie|niemals|immer|nur|muss|müssen|darf|keine?[nmrs]?|bitte nicht|jamais|toujours|seulement|ne pas|siempre|nunca|solo|sólo|debe|sempre|mai|soltanto|não|никогда|всегда|нельзя|только|должен|должна|должны|أبدا|دائما|ممنوع|يجب|فقط|אסור|תמיד|רק|חייב|חייבים|לעולם)(?:[^\p{L}]|$)/iu;
const otherRule =
  /不要|必须|必須|禁止|绝不|決して|只能|务必|一定要|してはいけない|ないで(?:くだ|下|ね|$)|ないこと|必ず|常に|のみ|하지 마|반드시|항상|절대|만 사용/;
// Words with which somebody takes back or puts right what was said before.
const spacedCorrection =
  /^(?:no|nein|non|нет|لا|לא)[,.! ،]|(?:^|[^\p{L}])(?:correction|actually|instead|rather|changed (?:my|our) mind|not what|korrektur|doch lieber|doch nicht|doch kein\w*|stattdessen|lieber|plutôt|finalement|au lieu de|corrección|mejor|en vez de|correção|em vez de|correzione|invece|поправка|вместо|лучше|تصحيح|بدلا|بدل|תיקון|במקום|עדיף)(?:[^\p{L}]|$)/iu;
const otherCorrection =
  /訂正|ではなく|じゃなくて|やっぱり|やはり|更正|纠正|不是.{1,30}而是|改成|改为|정정|아니라|말고|대신/;

/** Whether a short message is one of those that give way last. */
function isLasting(text: string): boolean {
  return isRule(text) || spacedCorrection.test(text) || otherCorrection.test(text);
}

const maxSentences = 40;
const maxSentenceChars = 600;

/** The sentences of a text that state a rule (never, must, only, always, do not …), verbatim and in order. */
function instructionSentences(text: string): string[] {
  const found: string[] = [];
  for (const sentence of sentences(text)) {
    if (sentence.length > maxSentenceChars || !isRule(sentence)) continue;
    found.push(sentence);
    if (found.length === maxSentences) break;
  }
  return found;
}

/** Whether a sentence states a rule. */
function isRule(sentence: string): boolean {
  return spacedRule.test(sentence) || otherRule.test(sentence);
}

/** A text cut at line ends, and at full stops before white space or in scripts that need none. Linear. */
function sentences(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const code = index === text.length ? 10 : text.charCodeAt(index);
    if (code !== 10 && !isSentenceEnd(text, index)) continue;
    const sentence = text.slice(start, code === 10 ? index : index + 1).trim();
    if (sentence.length > 3) found.push(sentence);
    start = index + 1;
  }
  return found;
}
