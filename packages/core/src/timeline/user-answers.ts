import { callInputValue, stringLeaves } from '../transcript/entry-text.ts';
import { oneLine, splitSentences } from '../text/cut-text.ts';
import type { CallPart } from '../transcript/entry.ts';

const remark =
  /the user (?:said|provided the following (?:reason|feedback)[^:\n]{0,60}|did not allow this call):\s*([\s\S]{1,20000})$/i;
const remarkEnd = /\. It was not made\.\s*$/;

/** What the user remarked when refusing a call. */
export function remarkOf(text: string): string | undefined {
  return remark.exec(text.slice(0, 24_000))?.[1]?.replace(remarkEnd, '').trim();
}

// An option that the user chose is shorter.
const longestChoice = 1_000;
// A shorter one may stand in what the user says by chance.
const shortestPlan = 80;

// Claude Code writes these around the answers.
const answersBegin = /^(?:User has answered your questions|Your questions have been answered):\s{0,9}/i;
const answersEnd = "You can now continue with the user's answers in mind";

// What Claude Code says for a user who has pressed a key; what the user wrote into the plan stands under another heading.
const approval = /^User has approved (?:your plan|exiting plan mode)\b/;
const savedAt = /^Your plan has been saved to: ([^\n]{1,400})$/m;
const toldAgain = /\n## Approved Plan:\n[^]*$/;
const editedPlan = /\n## Approved Plan \(edited by user\):\n([^]*)$/;

/** The approval of a plan, without what the tool says of it to the model. */
function approvedText(text: string): string | undefined {
  if (!approval.test(text)) return undefined;
  const frame = text.replace(toldAgain, '').replace(editedPlan, '');
  const path = savedAt.exec(frame)?.[1]?.trim();
  const where = path === undefined ? '' : ` (saved in ${path})`;
  const added = editedPlan.exec(text)?.[1]?.trim() ?? remarkOf(frame);
  return `approved the plan${where}${added === undefined ? '' : `, with this:\n${added}`}`;
}

/** What the user answered: a tool that says again what it was given, a plan or the question, says nothing of the user's. */
export function answerText(call: CallPart, text: string): string {
  const approved = approvedText(text);
  if (approved !== undefined) return approved;
  const isFramed = answersBegin.test(text);
  let rest = isFramed ? withoutFrame(text) : text;
  const asked = stringLeaves(callInputValue(call));
  const questions = asked.filter(({ key }) => key === 'question').length;
  for (const { key, text: leaf } of asked) {
    const words = leaf.trim();
    // Of several questions each answer needs its own.
    const echo = `"${words}"=`;
    if (isFramed && key === 'question' && questions === 1 && rest.startsWith(echo))
      rest = rest.slice(echo.length);
    else if (words.length > longestChoice || (key === 'plan' && words.length > shortestPlan))
      rest = rest.replace(words, () => '[…]');
  }
  return rest.trim();
}

function withoutFrame(text: string): string {
  const rest = text.replace(answersBegin, '').trimEnd();
  const end = rest.lastIndexOf(answersEnd);
  const isAtEnd = end >= 0 && rest.length - end <= answersEnd.length + 1;
  return isAtEnd ? rest.slice(0, end).trimEnd().replace(/\.$/, '') : rest;
}

/** The question and what was offered, without the keys of the tool. */
export function askedText(call: CallPart): string {
  const lines: string[] = [];
  for (const { key, text } of stringLeaves(callInputValue(call))) {
    if (key === 'header' || key === 'id' || text.trim() === '') continue;
    if (key === 'label') lines.push(`- ${text.trim()}`);
    else if (key === 'description' && lines.at(-1)?.startsWith('- '))
      lines.push(`${lines.pop() ?? ''}: ${text.trim()}`);
    else lines.push(text.trim());
  }
  return lines.join('\n').toWellFormed();
}

// A longer answer is one only where it gives its numbers line by line.
const longestShortAnswer = 400;
const longestAnswer = 4_000;
// Longer messages have no numbers that somebody answers.
const longestQuestions = 40_000;
const mostPoints = 30;

// Versions, sizes, times.
const notMore = String.raw`(?![\p{L}\p{N}_/%-]|[.:]\d)`;
const leading =
  'and|or|then|on|do|for|no|not|number|with|to|is|choose|pick|take|approve|go|but|of|about|yes|yeah|ok|okay|und|et|y';
const following =
  'and|or|then|first|please|next|but|is|are|too|now|also|with|as|so|yes|no|ok|good|looks|sounds|seems|for|und|et|y';

/**
 * `2`, `#2`, `Q2`, `option b`, `b)`: not the numbers of versions, sizes and times. A bare number stands at the
 * beginning of a line, or behind another one or a word such as `do`, and then it is not that of a noun (`for 3 users`).
 */
const anywhere = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}_.,:/#-])(?:(?:q|question|option|choice|point|step|item|answer)\s?#?|#)(\d{1,2})${notMore}`,
    String.raw`(?<=(?:^|\n)[^\S\n]{0,9})(\d{1,2})${notMore}`,
    String.raw`(?<=[+&,;(]\s{0,9}|\d[.):]?\s{1,9}|(?<!\p{L})(?:${leading})\s{1,9})(\d{1,2})${notMore}(?!\s{1,9}(?!(?:${following})(?!\p{L}))\p{L}{3})`,
    String.raw`(?<![\p{L}\p{N}_])(?:option|choice|point|answer)\s([a-h])(?![\p{L}\p{N}_'’])`,
    String.raw`(?:^|[\s(])([a-h])\)`,
    String.raw`^\P{L}*([a-h])\P{L}*$`,
  ].join('|'),
  'giu',
);
const atLineStart =
  /^[^\S\n]*(?:(?:q|question|option|point)\s?|#)?(\d{1,2}|[a-h](?=[.):]))(?:[.):]|\s-|\s)/gim;
// `so b`: the letter of an option inside of a numbered question.
const innerChoice =
  /(?:^|\b(?:so|with|yes|is|for|prefer|choose|take|option)[\s,]{1,3})\(?([a-h])\)?\P{L}*$/iu;

interface Choice {
  readonly label: string;
  /** What is said to it, up to the next. */
  readonly said: string;
}

// Behind so many words of its own a list is the user's own.
const longestPreface = 60;
const ownList = /^[^\S\n]*1[.)]/m;

/** The points in front of it that an answer names. */
function choicesIn(answer: string): Choice[] {
  if (answer.length > longestAnswer || (ownList.exec(answer)?.index ?? 0) > longestPreface) return [];
  const found = [...answer.matchAll(answer.length > longestShortAnswer ? atLineStart : anywhere)];
  return found.map((match, at) => ({
    label: (match.slice(1).find((label) => label !== undefined) ?? '').toLowerCase(),
    said: answer.slice(match.index + match[0].length, found[at + 1]?.index).trim(),
  }));
}

/** `1. **Title:**`, `**Q8**`, `❓ Q8 - …`, `## Option B: …`, `> 2) …`. */
const pointLine =
  /^(?<mark>[^\p{L}\p{N}\n]{0,12})(?<word>(?:option|step|question|q|choice|phase|approach)\s?#?)?(?<label>\d{1,2}|[a-h])(?:\*{0,2}[.):\]]\*{0,2}(?=\s|$)|\*{0,2}\s?[-–—:]\*{0,2}\s|\*\*\s)(?<text>[^\n]*)$/iu;
const fence = /^\s{0,9}```/;

interface Point {
  readonly label: string;
  /** What stands in front of it says which list it is of. */
  readonly list: string;
  /** As it is written: `Q8`, `2`. */
  readonly name: string;
  /** All up to the next point of its list. */
  readonly lines: readonly string[];
}

// Of a text that has nothing but lists.
const mostLists = 20;
const mostLines = 40;

/** The numbered points of a message, list by list. */
function pointsIn(text: string): Point[] {
  const points: (Point & { lines: string[] })[] = [];
  const open = new Map<string, string[]>();
  const add = (line: string): void => {
    for (const lines of open.values()) if (lines.length < mostLines) lines.push(line);
  };
  let isCode = false;
  for (const line of text.split('\n')) {
    if (fence.test(line)) isCode = !isCode;
    const {
      mark = '',
      word = '',
      label = '',
      text: rest = '',
    } = (!isCode && pointLine.exec(line)?.groups) || {};
    if (label !== '') {
      const list = `${mark.trim() === '' ? mark.length : mark.trim()}${word.toLowerCase()}${/\d/.test(label) ? '1' : 'a'}`;
      const lines = [rest];
      open.delete(list);
      add(line);
      open.set(list, lines);
      if (open.size > mostLists) open.delete([...open.keys()][0] ?? '');
      points.push({ label: label.toLowerCase(), list, name: `${word}${label}`.trim(), lines });
    } else add(line);
  }
  return points;
}

/** Of several lists the one that has most of the labels; the one that comes last asks. */
function listOf(points: readonly Point[], labels: ReadonlySet<string>): readonly Point[] {
  const lists = Map.groupBy(
    points.filter(({ label }) => labels.has(label)),
    ({ list }) => list,
  );
  let best: Point[] = [];
  for (const list of lists.values()) {
    // A list of the same form may begin anew.
    const last = [...new Map(list.map((point) => [point.label, point])).values()];
    if (last.length >= best.length) best = last;
  }
  return best;
}

const recommending = /^(?:➡|→)|recommend|推荐|建议|推奨|おすすめ|お勧め|empfehl/i;
const pointsCharacters = 1_200;
const leastTitle = 80;
const mostTitle = 240;
const asideCharacters = 80;
const shortTitle = 20;

/**
 * What an answer by numbers or letters answers: of each point that it names the first words, with what was recommended,
 * or the option inside of it that the user took. Empty where the message has no such points.
 */
export function chosenPoints(message: string, answer: string): string[] {
  if (message.length > longestQuestions) return [];
  const choices = choicesIn(answer).slice(0, mostPoints);
  if (choices.length === 0) return [];
  const points = listOf(pointsIn(message), new Set(choices.map(({ label }) => label)));
  const most = Math.max(leastTitle, Math.min(mostTitle, pointsCharacters / points.length - asideCharacters));
  return points.map(({ label, name, lines }) => {
    const [first = '', ...rest] = lines.map(plainLine).filter((line) => line !== '');
    const inner = innerChoice.exec(choices.find((choice) => choice.label === label)?.said ?? '')?.[1];
    const aside = (inner && optionIn(lines, inner)) ?? recommendedIn([first, ...rest]);
    const isLead = aside === undefined && (first.length < shortTitle || /[:：]$/.test(first));
    const title = oneLine(isLead ? `${first} ${rest[0] ?? ''}` : first, most);
    const isSaid = aside === undefined || title.includes(aside.slice(0, asideCharacters / 2));
    return `${name}. ${title}${isSaid ? '' : ` — ${oneLine(aside, asideCharacters)}`}\n`.toWellFormed();
  });
}

function plainLine(line: string): string {
  return line.replaceAll('**', '').trim();
}

/** An option inside of a point, from its letter on. */
function optionIn(lines: readonly string[], letter: string): string | undefined {
  const text = lines.map(plainLine).join(' ');
  const at = text.search(new RegExp(`\\(${letter}\\)\\s|(?<=\\s)${letter}[.)]\\s`, 'i'));
  return at < 0 ? undefined : text.slice(at);
}

function recommendedIn(lines: readonly string[]): string | undefined {
  for (const [at, line] of lines.entries()) {
    const sentences = splitSentences(line);
    const found = sentences.findIndex((sentence, place) => at + place > 0 && recommending.test(sentence));
    if (found >= 0)
      return sentences
        .slice(found)
        .join('')
        .replace(/^[^\p{L}\p{N}(`]{1,9}/u, '');
  }
  return undefined;
}
