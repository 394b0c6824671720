import { cutHead, cutTail, hasWords, splitLines, splitSentences, withoutRulers } from '../text/cut-text.ts';
import { isFrameLine } from '../facts/failures.ts';
import { failingLineScore, namingLine } from './open-failures.ts';
import { withoutLineNumbers, withoutQuotes } from './line-text.ts';
import { visitNames } from '../text/names.ts';
import type { NameSums } from '../facts/fact-index.ts';
import type { Piece } from '../transcript/summary.ts';

/** What the pieces of a message are scored by, beside their own words. */
export interface PieceReading {
  /** Ordinal of the message that is read. */
  readonly at: number;
  /** What stays behind says or uses these. */
  readonly after: ReadonlySet<string>;
  readonly sums: NameSums;
  /** Of results and of what was written: so much is still read. */
  readonly left: { characters: number };
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
export function onlyAnnounces(text: string): boolean {
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
export function inOrder(text: string): Piece[] {
  return splitLines(text).map((line, at) => ({ text: line, score: rounded(1 / (1 + at / 8)) }));
}

/** The sentences of a text that somebody said or thought. */
export function prosePieces(text: string, reading: PieceReading): Piece[] {
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
    const torn = endsInColon.test(sentence) || (index > 0 && leansBack(sentence)) ? 0.3 : 0;
    const score = 0.5 + edge + tells + sentenceNames(sentence, reading) - announces - torn;
    return { text: sentence, score: rounded(Math.max(0, score) / Math.sqrt(1 + sentence.length / 160)) };
  });
}

// What says nothing without the sentence before it, in the language that most such sentences are of.
const leaning = /^(?:yes|no|so|and|or|then|this|that|these|those|it)\b/i;
const fewWords = 5;
// Scripts without spaces between words.
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/;
const ofList = /^(?:[-*+•>#|]|\d{1,3}[.)]\s)/;

/** Whether a sentence speaks of what stands in front of it, which may not be shown. */
function leansBack(sentence: string): boolean {
  if (ofList.test(sentence) || unspaced.test(sentence)) return false;
  return leaning.test(sentence) || sentence.trim().split(/\s+/, fewWords).length < fewWords;
}

// What it leads to is not shown with it.
const endsInColon = /[:：]\s*$/;

const nameShare = 0.15;
const mostForNames = 0.6;

/** A sentence with names and numbers says more than one without, most of all where they are used later. */
function sentenceNames(sentence: string, reading: PieceReading): number {
  const { found, used } = namesIn(sentence, reading);
  const numbers = sentence.match(/\b\d+\b/g)?.length ?? 0;
  return Math.min(1, used) + Math.min(mostForNames, (found + numbers / 2) * nameShare);
}

const mostCharacters = 24_000;

type LineOf = 'written' | 'result' | 'looked' | 'failed';

/** The lines of what came back or was written. Takes from `reading.left`; empty where nothing is left. */
export function linePieces(whole: string, reading: PieceReading, of: LineOf): Piece[] {
  if (reading.left.characters <= 0 && of !== 'failed') return [];
  reading.left.characters -= Math.min(whole.length, mostCharacters);
  const read =
    whole.length <= mostCharacters
      ? whole
      : `${cutHead(whole, mostCharacters * 0.6)}\n${cutTail(whole, mostCharacters * 0.4)}`;
  const isPrinted = of === 'result' || of === 'failed';
  const plain = of === 'failed' ? read : withoutQuotes(read);
  const numbered = of === 'looked' || of === 'result' ? withoutLineNumbers(plain) : plain;
  const lines = splitLines(numbered).map((line) =>
    isPrinted && line.endsWith('\n') ? `${withoutRulers(line.slice(0, -1))}\n` : line,
  );
  const { pattern, weight } = tellingLines[of];
  const scores = lines.map((line, index) => {
    if (!hasWords(line)) return -1;
    const isLast = index >= lines.length - 2;
    const isFirst = index < 2;
    const edge = isPrinted ? (isLast ? 0.2 : 0) : isFirst ? 0.2 : 0;
    const isTelling = pattern.test(line) && !(of === 'failed' && isFrameLine(line));
    const tells = (isTelling ? weight : 0) + commentTells(line, of);
    const use = (0.02 + namesIn(line, reading).used) / Math.sqrt(1 + line.length / 40);
    return rounded(edge + tells + use);
  });
  return lines.map((text, index) => ({ text, score: withNeighbours(scores, index) }));
}

const namedCharacters = 60;

/**
 * The lines of what came back from a call that failed. The one that names the failure comes first: what was read on the way
 * may speak of errors, too. `error`: how that line begins, where it is known.
 */
export function failedPieces(text: string, error: string, reading: PieceReading): Piece[] {
  const pieces = linePieces(text, reading, 'failed');
  const head = error.slice(0, namedCharacters);
  const told = head === '' ? -1 : pieces.findLastIndex((piece) => piece.text.includes(head));
  const naming = told < 0 ? namingLine(pieces) : told;
  const best = pieces.reduce((most, { score }) => Math.max(most, score), 0);
  return pieces.map((piece, at) => (at === naming ? { text: piece.text, score: rounded(best + 1) } : piece));
}

const comment =
  /^(?:\d{1,7}\W{1,3})?[+-]?\s*(?:\/\/|\/\*|\*\s|#\s|--\s|"""|<!--)[^\p{L}\p{N}]*(?=[\p{L}\p{N}][^\n]{8})/u;
const commentWeight = 0.35;

/** A comment is prose: it says what code is for, and why. */
function commentTells(line: string, of: LineOf): number {
  return (of === 'looked' || of === 'written') && comment.test(line) ? commentWeight : 0;
}

// A line says more beside the lines around it.
const neighbourShare = 0.35;

function withNeighbours(scores: readonly number[], index: number): number {
  const score = scores[index] ?? 0;
  if (score < 0) return score;
  const around = Math.max(0, scores[index - 1] ?? 0) + Math.max(0, scores[index + 1] ?? 0);
  return rounded(score + around * neighbourShare);
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
function namesIn(line: string, { at, after, sums }: PieceReading): { found: number; used: number } {
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
