import { addNames, nameSums } from '../facts/fact-index.ts';
import { answersOf } from '../transcript/exchange.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { describeCall } from '../facts/calls.ts';
import { isTodoTool } from '../facts/todos.ts';
import { entryText, plainResultText, visitTexts } from '../transcript/entry-text.ts';
import { injectedKindOf, isExpansionOf, isRequest, ownWords, unframed } from '../transcript/own-words.ts';
import {
  isFailedCall,
  isRefused,
  lastErrorLine,
  nothingFound,
  spokenResult,
  tellsFailedOutput,
} from '../facts/failures.ts';
import { cutHead, cutTail, hasWords, oneLine, splitLines, splitSentences } from '../text/cut-text.ts';
import { answerText, askedText, remarkOf } from './user-answers.ts';
import { wordsLine } from './user-words.ts';
import { failingLineScore, foundNothingMark, namingLine } from './open-failures.ts';
import { withoutEmphasis, withoutLineNumbers, withoutQuotes } from './line-text.ts';
import { visitNames } from '../text/names.ts';
import type { NameSums } from '../facts/fact-index.ts';
import type { CallPart, Entry, ResultPart } from '../transcript/entry.ts';
import type { Summary, TimelineEntry, Piece, TimelineLine } from '../transcript/summary.ts';

interface Reading {
  /** Ordinal of the message that is read. */
  readonly at: number;
  /** What stays behind says or uses these. */
  readonly after: ReadonlySet<string>;
  readonly sums: NameSums;
  /** The message is the prompt that a command of the user stands for. */
  readonly isExpansion: boolean;
  /** The numbers of the points that the user's answer to this message names. */
  readonly chosen: ReadonlySet<string>;
  /** The assistant goes on to work: in its message, or, in formats of single items, in the next. */
  readonly isBesideCalls: boolean;
  /** Of results and of what was written. */
  readonly left: { characters: number };
}

/** The entries of a timeline for newly compacted messages, oldest first. */
function readEntries(
  { entries, after, front = [] }: SourceMessages,
  sums: NameSums,
  answers: ReadonlyMap<CallPart, ResultPart>,
): TimelineEntry[] {
  const names = namesAfter(after);
  // A command may stay in the view where the prompt that it stands for goes.
  const byOrdinal = new Map([...front, ...entries, ...after].map((entry) => [entry.ordinal, entry]));
  const read: TimelineEntry[] = [];
  // Newest first: of an older result there is nothing left to read.
  const left = { characters: mostResultCharacters };
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index] as Entry;
    const before = [byOrdinal.get(entry.ordinal - 1), byOrdinal.get(entry.ordinal - 2)];
    const isExpansion = isExpansionOf(entry, before);
    const next = byOrdinal.get(entry.ordinal + 1);
    const isBesideCalls = hasCall(entry) || (next?.role === 'assistant' && isWork(next));
    const lines = linesOf(entry, answers, {
      at: entry.ordinal,
      after: names,
      sums,
      isExpansion,
      isBesideCalls,
      chosen: chosenPoints(next),
      left,
    });
    if (lines.length > 0) read.push({ recallId: messageRecallId(entry.ordinal), lines });
  }
  return read.reverse();
}

const longestChoice = 400;
const pointNumber = /(?<![\w.,:/#-])(\d{1,2})(?![\w.:/%-])/g;

/** The points that an answer names by their numbers (`1+2`, `on 4, …`): what stood there is what the user said. */
function chosenPoints(answer: Entry | undefined): ReadonlySet<string> {
  if (answer?.role !== 'user' || !isRequest(answer)) return noPoints;
  const said = ownWords(answer);
  if (said.length > longestChoice) return noPoints;
  return new Set([...said.matchAll(pointNumber)].map(([, number = '']) => number));
}

const noPoints: ReadonlySet<string> = new Set();

function hasCall({ parts }: Entry): boolean {
  return parts.some(({ type }) => type === 'call');
}

function isWork(entry: Entry): boolean {
  return hasCall(entry) || entry.parts.some(({ type }) => type === 'reasoning');
}

// A timeline of 20 000 tokens shows a tenth of it.
const mostResultCharacters = 300_000;

const longestText = 4_000;

/** Names that what stays behind says or uses. */
function namesAfter(after: readonly Entry[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const entry of after) {
    visitTexts(entry, (text, source) => {
      if (source === 'text' || source === 'argument')
        visitNames(text.slice(0, longestText), (name) => names.add(name));
    });
  }
  return names;
}

/** Of one message: more at once than anybody would read. */
const mostCalls = 200;

function linesOf(entry: Entry, answers: ReadonlyMap<CallPart, ResultPart>, reading: Reading): TimelineLine[] {
  const lines: TimelineLine[] = [];
  const said = saidLine(entry, reading);
  // What it thought says why, and stands for its words where it says nothing.
  const thought =
    entry.role === 'assistant' ? thoughtLine(entry, said ? 'thought' : 'said', reading) : undefined;
  if (thought) lines.push(thought);
  if (said) lines.push(said);
  const calls = entry.parts.filter((part) => part.type === 'call');
  const left = Math.max(0, calls.length - mostCalls);
  if (left > 0) lines.push({ kind: 'call', label: `(${left} more calls)`, sent: [], got: [] });
  for (const call of calls.slice(left)) lines.push(callLine(call, answers.get(call), reading));
  return lines;
}

// What it orders it orders for then.
const loadedLabel = 'text of a skill or command, for what was asked then';

function saidLine(entry: Entry, reading: Reading): TimelineLine | undefined {
  const media = entry.parts.filter(({ type }) => type === 'media').length;
  const note = media === 0 ? '' : ` [${media === 1 ? 'an image or file' : `${media} images or files`}]`;
  if (entry.role === 'user') {
    const own = reading.isExpansion ? '' : ownWords(entry).trim();
    if (own !== '' || media > 0) return wordsLine(own + note);
    const text = entryText(entry).trim();
    const injected = text === '' ? undefined : reading.isExpansion ? 'skill' : injectedKindOf(entry);
    if (injected === undefined) return undefined;
    const told = unframed(text);
    if (told === '') return undefined;
    if (injected === 'skill') return { ...spoken('aside', told, reading), label: loadedLabel };
    return injected === 'output' ? outputLine(told, reading) : spoken(injected, told, reading);
  }
  if (entry.role !== 'assistant') return undefined;
  const text = entryText(entry).trim();
  if (text === '') return undefined;
  return spoken(!reading.isBesideCalls ? 'told' : onlyAnnounces(text) ? 'announced' : 'said', text, reading);
}

/** What came of an action that the assistant wrote as text. */
function outputLine(text: string, reading: Reading): TimelineLine {
  const hasFailed = tellsFailedOutput(text);
  const got = linePieces(text.toWellFormed(), reading, hasFailed ? 'failed' : 'result');
  return { kind: 'output', label: '', sent: [], got, ...(hasFailed ? { hasFailed: true as const } : {}) };
}

function thoughtLine(
  { parts }: Entry,
  kind: TimelineLine['kind'],
  reading: Reading,
): TimelineLine | undefined {
  const thought = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []));
  const whole = thought.join('\n').trim();
  const text = whole.replace(thoughtTitle, '').trim();
  if (text !== '') return spoken(kind, text, reading);
  return whole === '' ? undefined : spoken('announced', whole, reading);
}

// Summaries of a model's reasoning begin each thought with one (`**Considering the tests**`, OpenAI): it says what comes.
const thoughtTitle = /^\*\*[^*\n]{1,160}\*\*[^\S\n]*$/gm;

function spoken(kind: TimelineLine['kind'], text: string, reading: Reading): TimelineLine {
  return { kind, label: '', sent: prosePieces(withoutEmphasis(text.toWellFormed()), reading), got: [] };
}

function callLine(call: CallPart, result: ResultPart | undefined, reading: Reading): TimelineLine {
  const { kind, label: called, content } = describeCall(call);
  const quiet = result && nothingFound(call, result);
  const label = quiet === undefined ? called : `${called}${foundNothingMark}${oneLine(quiet, 160)}`;
  const textOf = (): string => (result ? spokenResult(plainResultText(result)).toWellFormed() : '');
  const said = result && isRefused(result) ? remarkOf(textOf()) : undefined;
  if (said !== undefined) {
    return {
      kind: 'answer',
      label,
      sent: [],
      got: inOrder(`The user refused this: ${said}`),
    };
  }
  const hasFailed = result !== undefined && isFailedCall(call, result);
  // A question that could not be asked has no answer.
  if (kind === 'answer' && !hasFailed) {
    return {
      kind,
      label: oneLine(call.name, 200),
      sent: inOrder(askedText(call)),
      got: inOrder(answerText(call, textOf())),
    };
  }
  // What a list says is part of the state.
  if (isTodoTool(call.name) && !hasFailed) return { kind: 'look', label: call.name, sent: [], got: [] };
  const isEdit = kind === 'edit';
  const got = (): Piece[] =>
    hasFailed
      ? failedPieces(textOf(), lastErrorLine(result), reading)
      : linePieces(textOf(), reading, kind === 'look' ? 'looked' : 'result');
  return {
    kind: kind === 'answer' ? 'call' : kind,
    label,
    // Of an edit that was refused nothing stands anywhere.
    sent: content === '' || (isEdit && hasFailed) ? [] : linePieces(content, reading, 'written'),
    got: isEdit && !hasFailed ? [] : got(),
    ...(hasFailed ? { hasFailed: true as const } : {}),
    ...(quiet === undefined ? {} : { foundNothing: true as const }),
  };
}

// Words that say why, what was found, what is decided or refused. A language that is missing here only loses the
// preference for such sentences.
const telling =
  /\b(?:because|since|so that|therefore|root cause|cause[ds]?|reason|problem|issue|turns out|found|decid\w+|decision|instead|rather|must|should|won['’]t|cannot|can['’]t|don['’]t|not|fix\w*|fail\w*|wrong|actually|however|but|confirm\w*|verif\w*|recommend\w*|option|chose\w*|prefer\w*|agree\w*|missing|broke\w*|revert\w*|pass\w*|done|complete\w*|created|merged|pushed|committed|weil|daher|ursache|entschied\w*|porque|parce que|donc)\b|因为|所以|原因|决定|決|ため|ので|修正|失敗|成功|問題|エラー|確認|完了|変更|追加/i;

// What is said before a call only announces it.
const announcing =
  /^(?:(?:now|next|first|ok(?:ay)?|good|great|perfect)[,.!]? )?(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|i should)\b/i;

// An offer at the end of an answer: what came of it stands in what follows.
const offering =
  /^(?:should i|shall i|(?:do you )?want me to|would you like|let me know|ready to|if you(?:['’]d)? (?:want|like))\b/i;

const shortestFinding = 24;

/** Whether nothing is said but which call comes. */
function onlyAnnounces(text: string): boolean {
  if (text.length > 200) return false;
  return splitSentences(text).every(
    (sentence) => sentence.trim().length < shortestFinding || announcing.test(sentence),
  );
}

/** Scores are stored: three digits tell them apart. */
function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}

/** The lines of a text of which the first say most. */
function inOrder(text: string): Piece[] {
  return splitLines(text).map((line, at) => ({ text: line, score: rounded(1 / (1 + at / 8)) }));
}

function prosePieces(text: string, reading: Reading): Piece[] {
  const sentences = splitSentences(text);
  let isCode = false;
  return sentences.map((sentence, index) => {
    if (sentence.startsWith('```')) isCode = !isCode;
    if (!hasWords(sentence)) return { text: sentence, score: -1 };
    const isEdge = sentence.length > 30 && (index === 0 || index === sentences.length - 1);
    const edge = isEdge ? 0.4 : index === 1 ? 0.2 : 0;
    const tells = isCode ? -0.4 : telling.test(sentence) ? 0.8 : 0;
    const announces =
      announcing.test(sentence) || offering.test(sentence) || sentence.startsWith('#') ? 0.6 : 0;
    const leads = endsInColon.test(sentence) ? 0.3 : 0;
    const use = sentenceNames(sentence, reading) + (isChosen(sentence, reading) ? chosenScore : 0);
    const score = 0.5 + edge + tells + use - announces - leads;
    return { text: sentence, score: rounded(Math.max(0, score) / Math.sqrt(1 + sentence.length / 160)) };
  });
}

const point = /^[^\p{L}\p{N}]{0,8}(?:option |step )?(\d{1,2})[.):\s]/iu;
const chosenScore = 3;

function isChosen(sentence: string, { chosen }: Reading): boolean {
  return chosen.size > 0 && chosen.has(point.exec(sentence)?.[1] ?? '');
}

// What it leads to is not shown with it.
const endsInColon = /[:：]\s*$/;

const nameShare = 0.15;
const mostForNames = 0.6;

/** A sentence with names and numbers says more than one without, most of all where they are used later. */
function sentenceNames(sentence: string, reading: Reading): number {
  const { found, used } = namesIn(sentence, reading);
  const numbers = sentence.match(/\b\d+\b/g)?.length ?? 0;
  return Math.min(1, used) + Math.min(mostForNames, (found + numbers / 2) * nameShare);
}

const mostCharacters = 24_000;

type LineOf = 'written' | 'result' | 'looked' | 'failed';

function linePieces(whole: string, reading: Reading, of: LineOf): Piece[] {
  if (reading.left.characters <= 0 && of !== 'failed') return [];
  reading.left.characters -= Math.min(whole.length, mostCharacters);
  const read =
    whole.length <= mostCharacters
      ? whole
      : `${cutHead(whole, mostCharacters * 0.6)}\n${cutTail(whole, mostCharacters * 0.4)}`;
  const plain = of === 'failed' ? read : withoutQuotes(read);
  const lines = splitLines(
    of === 'looked' || of === 'result' ? withoutLineNumbers(plain, of === 'looked') : plain,
  );
  const { pattern, weight } = tellingLines[of];
  return lines
    .map((line, index) => {
      if (!hasWords(line)) return { text: line, score: -1 };
      const isLast = index >= lines.length - 2;
      const isFirst = index < 2;
      const edge = of === 'result' || of === 'failed' ? (isLast ? 0.2 : 0) : isFirst ? 0.2 : 0;
      const tells = (pattern.test(line) ? weight : 0) + commentTells(line, of);
      const isBanner = line.startsWith('> ') ? 0.3 : 0;
      const use = (0.02 + namesIn(line, reading).used) / Math.sqrt(1 + line.length / 40);
      return { text: line, score: rounded(Math.max(0, edge + tells + use - isBanner)) };
    })
    .map(withNeighbours);
}

const namedCharacters = 60;

/** Of a failure the line that names it comes before all others: what was read on the way may speak of errors, too. */
function failedPieces(text: string, error: string, reading: Reading): Piece[] {
  const pieces = linePieces(text, reading, 'failed');
  const head = error.slice(0, namedCharacters);
  const at = head === '' ? -1 : pieces.findLastIndex((piece) => piece.text.includes(head));
  const naming = at < 0 ? namingLine(pieces) : at;
  const best = Math.max(...pieces.map(({ score }) => score));
  return pieces.map((piece, at) => (at === naming ? { text: piece.text, score: rounded(best + 1) } : piece));
}

const comment =
  /^(?:\d{1,7}\W{1,3})?[+-]?\s*(?:\/\/|\/\*|\*\s|#\s|--\s|"""|<!--)[^\p{L}\p{N}]*(?=[\p{L}\p{N}][^\n]{8})/u;
const commentWeight = 0.35;
const tellingCommentWeight = 0.55;

/** A comment is prose: it says what code is for, and why. */
function commentTells(line: string, of: LineOf): number {
  if ((of !== 'looked' && of !== 'written') || !comment.test(line)) return 0;
  return telling.test(line) ? tellingCommentWeight : commentWeight;
}

// A line says more beside the lines around it.
const neighbourShare = 0.35;

function withNeighbours(piece: Piece, index: number, pieces: readonly Piece[]): Piece {
  if (piece.score < 0) return piece;
  const around = Math.max(0, pieces[index - 1]?.score ?? 0) + Math.max(0, pieces[index + 1]?.score ?? 0);
  return { text: piece.text, score: rounded(piece.score + around * neighbourShare) };
}

const verdict =
  /\b\d+ (?:passed|failed|passing|failing|errors?|warnings?|tests?|problems?|files? changed)\b|\b(?:passed|failed|success\w*|no errors?|found|created|error)\b/i;
const failing =
  /error|exception|fatal|panic|fail|denied|not found|no such|cannot|can't|unable|invalid|expected|エラー|失敗|错误|失败/i;

// What is declared; names of tests, which say what holds; constants.
const defining =
  /^\W{0,4}(?:\d+\W{1,2})?(?:(?:export|public|private|protected|func|function|class|def|interface|type|const|struct|enum|impl|fn|async|static|module|package|#+)\s|(?:it|test|describe)\(|[A-Z][A-Z0-9_]{3,60}\s?[:=])/;

// What makes a line of a text tell more than its neighbours, by what the text is.
const tellingLines: { readonly [Of in LineOf]: { readonly pattern: RegExp; readonly weight: number } } = {
  written: { pattern: defining, weight: 0.15 },
  result: { pattern: verdict, weight: 0.4 },
  looked: { pattern: defining, weight: 0.15 },
  failed: { pattern: failing, weight: failingLineScore },
};

/** The names of a line, and how much of it is said or used later; rare names count more. */
function namesIn(line: string, { at, after, sums }: Reading): { found: number; used: number } {
  let found = 0;
  let used = 0;
  let seen: string | undefined;
  visitNames(line, (name) => {
    found += 1;
    const sum = sums.get(name);
    if (name === seen || !(after.has(name) || (sum?.used ?? -1) > at)) return;
    seen = name;
    used += 1 / Math.sqrt(1 + (sum?.weight ?? 0));
  });
  return { found, used };
}

/** What newly compacted messages come to. */
export interface SourceReading {
  /** Theirs alone, oldest first. */
  readonly timeline: readonly TimelineEntry[];
  /** Of all archived messages, these included. */
  readonly sums: NameSums;
  readonly answers: ReadonlyMap<CallPart, ResultPart>;
}

interface SourceMessages {
  readonly entries: readonly Entry[];
  /** What stays in the view behind them, oldest first: it says what of them was needed later. */
  readonly after: readonly Entry[];
  /** What stays in the view in front of the range. @default none */
  readonly front?: readonly Entry[];
  readonly previous?: Summary | undefined;
}

export function readSource(messages: SourceMessages): SourceReading {
  const { entries, previous } = messages;
  const sums = nameSums(previous?.names);
  addNames(sums, entries);
  const answers = answersOf(entries);
  return { timeline: readEntries(messages, sums, answers), sums, answers };
}
