import { addNames, nameSums } from '../facts/fact-index.ts';
import { answersOf } from '../transcript/exchange.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { describeCall } from '../facts/calls.ts';
import { isTodoTool } from '../facts/todos.ts';
import { entryText, plainResultText, visitTexts } from '../transcript/entry-text.ts';
import { injectedKindOf, isExpansionOf, isRequest, ownWords, unframed } from '../transcript/own-words.ts';
import {
  isFailedCall,
  isNotRun,
  isRefused,
  lastErrorLine,
  nothingFound,
  spokenResult,
  tellsFailedOutput,
} from '../facts/failures.ts';
import { oneLine } from '../text/cut-text.ts';
import { answerText, askedText, chosenPoints, remarkOf } from './user-answers.ts';
import { wordsLine } from './user-words.ts';
import { foundNothingMark } from './open-failures.ts';
import { withoutEmphasis } from './line-text.ts';
import { failedPieces, inOrder, linePieces, onlyAnnounces, prosePieces } from './score-pieces.ts';
import { visitNames } from '../text/names.ts';
import type { NameSums } from '../facts/fact-index.ts';
import type { PieceReading } from './score-pieces.ts';
import type { CallPart, Entry, Part, ResultPart } from '../transcript/entry.ts';
import type { Summary, TimelineEntry, Piece, TimelineLine } from '../transcript/summary.ts';

interface Reading extends PieceReading {
  /** The message is the prompt that a command of the user stands for. */
  readonly isExpansion: boolean;
  /** The assistant goes on to work: in its message, or, in formats of single items, in the next. */
  readonly isBesideCalls: boolean;
}

/** The entries of a timeline for newly compacted messages, oldest first. */
function readEntries(
  { entries, after, front = [] }: SourceMessages,
  sums: NameSums,
  answers: ReadonlyMap<CallPart, ResultPart>,
): TimelineEntry[] {
  const names = namesAfter(after);
  // A command may stay in the view where the prompt that it stands for goes.
  const byOrdinal = new Map<number, Entry>();
  for (const some of [front, entries, after]) for (const entry of some) byOrdinal.set(entry.ordinal, entry);
  const read: TimelineEntry[] = [];
  // Newest first: of an older result there is nothing left to read.
  const left = { characters: mostResultCharacters };
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index] as Entry;
    const before = [byOrdinal.get(entry.ordinal - 1), byOrdinal.get(entry.ordinal - 2)];
    const isExpansion = isExpansionOf(entry, before);
    const next = byOrdinal.get(entry.ordinal + 1);
    if (next && onlyThinks(entry) && onlyThinks(next)) continue;
    const isBesideCalls = hasCall(entry) || (next?.role === 'assistant' && isWork(next));
    const lines = linesOf(entry, answers, {
      at: entry.ordinal,
      after: names,
      sums,
      isExpansion,
      isBesideCalls,
      left,
    });
    const points = pointsLine(entry, answerTo(entry, byOrdinal));
    if (points) lines.push(points);
    if (lines.length > 0) read.push({ recallId: messageRecallId(entry.ordinal), lines });
  }
  return read.reverse();
}

// Notes of tools may stand between a question and its answer.
const mostBetween = 3;

/** What the user said next, where the assistant said and did nothing more. */
function answerTo({ ordinal, role }: Entry, byOrdinal: ReadonlyMap<number, Entry>): string | undefined {
  if (role !== 'assistant') return undefined;
  for (let next = ordinal + 1; next <= ordinal + mostBetween; next += 1) {
    const entry = byOrdinal.get(next);
    if (entry?.role !== 'user') return undefined;
    if (isRequest(entry)) return ownWords(entry);
  }
  return undefined;
}

/** What the numbers or letters of the user's answer stand for: without it they say nothing. */
function pointsLine(entry: Entry, answer: string | undefined): TimelineLine | undefined {
  const points = answer === undefined ? [] : chosenPoints(entryText(entry), answer);
  if (points.length === 0) return undefined;
  return { kind: 'answer', label: '', sent: points.map((text) => ({ text, score: pointScore })), got: [] };
}

// Beside the words of the user, which are all shown.
const pointScore = 2;

function hasCall({ parts }: Entry): boolean {
  return parts.some(({ type }) => type === 'call');
}

/** An attempt that was broken off, where another one follows: that begins anew, with the same thoughts. */
function onlyThinks({ role, parts }: Entry): boolean {
  const isSilent = (part: Part): boolean =>
    part.type === 'reasoning' || (part.type === 'text' && part.text.trim() === '');
  const hasThought = parts.some((part) => part.type === 'reasoning' && part.text.trim() !== '');
  return role === 'assistant' && hasThought && parts.every(isSilent);
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
  const thought = entry.role === 'assistant' ? thoughtLine(entry, reading) : undefined;
  if (thought) lines.push(said ? withoutEcho(thought, said) : thought);
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
  const said = text.toWellFormed();
  const got = hasFailed ? failedPieces(said, '', reading) : linePieces(said, reading, 'result');
  return { kind: 'output', label: '', sent: [], got, ...(hasFailed ? { hasFailed: true as const } : {}) };
}

/** A thought without the sentences that the assistant has said, too, in hardly other words. */
function withoutEcho(thought: TimelineLine, { sent }: TimelineLine): TimelineLine {
  const said = sent.slice(0, mostSaid).map(({ text }) => longWords(text));
  const isSaid = (words: ReadonlySet<string>): boolean =>
    words.size >= fewestWords &&
    said.some((known) => [...words].filter((word) => known.has(word)).length >= words.size * echoShare);
  return {
    ...thought,
    sent: thought.sent.map((piece) => (isSaid(longWords(piece.text)) ? { ...piece, score: -1 } : piece)),
  };
}

const mostSaid = 40;
const fewestWords = 3;
const echoShare = 0.6;

function longWords(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{4,}/gu));
}

function thoughtLine({ parts }: Entry, reading: Reading): TimelineLine | undefined {
  const thought = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []));
  const whole = thought.join('\n').trim();
  const text = whole.replace(writtenTitle, '').replace(thoughtTitle, '').replace(gluedSentence, '$1 ').trim();
  if (text !== '') return spoken('thought', text, reading);
  return whole === '' ? undefined : spoken('announced', whole, reading);
}

// Summaries of a model's reasoning begin each thought with one (`**Considering the tests**`, OpenAI): it says what comes.
const thoughtTitle = /^\*\*[^*\n]{1,160}\*\*[^\S\n]*$/gm;
// The same with the line feeds written out (Gemini CLI).
const writtenTitle = /^[^\n\\]{1,160}: ?(?:\\n){2}[^\S\n]*$/gm;
// Two parts of a thought that the client has joined (`…the point.I found one`), but no member (`React.Component`).
const gluedSentence =
  /([a-z)`]{2}[.!?])(?=(?:I|I['’]\w{1,2}|Now|The|This|That|These|It|We|So|But|Let|Next|Then|There|Since|First|Maybe|Perhaps|However|Wait|Actually|Also|Looking|Given|If) )/g;

function spoken(kind: TimelineLine['kind'], text: string, reading: Reading): TimelineLine {
  return { kind, label: '', sent: prosePieces(withoutEmphasis(text.toWellFormed()), reading), got: [] };
}

function callLine(call: CallPart, result: ResultPart | undefined, reading: Reading): TimelineLine {
  const { kind, label: called, content } = describeCall(call);
  if (result && isNotRun(result)) return { kind: 'look', label: `${called} (not run)`, sent: [], got: [] };
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
