import { cleanProse, headingKey, proseSections } from './clean-prose.ts';
import { visitNames } from '../text/names.ts';
import type { Answer } from './model-request.ts';
import type { Profile } from './profiles.ts';
import type { Estimator } from '../tokens/estimator.ts';

export type RejectReason =
  | 'cut-off'
  | 'empty'
  | 'too-short'
  | 'too-long'
  | 'longer-than-input'
  | 'refusal'
  | 'tool-call'
  | 'language'
  | 'headings';

export type CheckedAnswer =
  | { readonly ok: true; readonly prose: string; readonly invented: number }
  | { readonly ok: false; readonly reason: RejectReason };

export interface CheckInput {
  readonly profile: Profile;
  readonly estimator: Estimator;
  readonly maxTokens: number;
  /** What the model was given to summarise: history and previous prose. */
  readonly input: string;
  /** What else a line may name: asked only where the input does not hold a name. @default nothing */
  readonly known?: () => readonly string[];
}

type TextAnswer = Extract<Answer, { type: 'text' }>;
type Check = (prose: string, input: CheckInput, answer: TextAnswer) => boolean;

/** What makes an answer unusable, judged in this order. */
const checks: readonly (readonly [RejectReason, Check])[] = [
  [
    'tool-call',
    (prose, _input, { finish, text }) => finish === 'tool-calls' || isToolCall(text) || isToolCall(prose),
  ],
  ['refusal', (prose, _input, { finish }) => finish === 'refusal' || isRefusal(prose)],
  ['cut-off', (_prose, _input, { finish }) => finish === 'length'],
  ['empty', (prose) => !hasWords(prose)],
  ['too-long', (prose, { estimator, maxTokens }) => estimator.count(prose) > maxTokens],
  [
    'longer-than-input',
    (prose, { estimator, input }) => estimator.count(prose) > Math.max(estimator.count(input), 60),
  ],
  [
    'too-short',
    (prose, { estimator, input }) => estimator.count(prose) < leastTokens(estimator.count(input)),
  ],
  ['language', (prose, { input }) => differsInLanguage(prose, input)],
  ['headings', (prose, { profile }) => lacksHeadings(prose, profile)],
];

/**
 * Judges a model's answer and returns it cleaned: code fences around the whole, forged sections that only code may
 * write, and our own grammar are taken out before it is measured. Never throws, linear.
 */
export function checkAnswer(answer: TextAnswer, input: CheckInput): CheckedAnswer {
  const prose = cleanProse(answer.text, input.estimator, input.maxTokens);
  const failed = checks.find(([, fails]) => fails(prose, input, answer));
  if (failed) return { ok: false, reason: failed[0] };
  const proven = withoutInvented(prose, input);
  return hasWords(proven.prose) ? { ok: true, ...proven } : { ok: false, reason: 'empty' };
}

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** The prose without the lines that name a path, a number or an id that the history does not contain. */
function withoutInvented(
  prose: string,
  { input, known = () => [] }: CheckInput,
): { prose: string; invented: number } {
  let isKnown = knownNames([input]);
  if (inventedNames(prose, isKnown).length > 0) isKnown = knownNames([input, ...known()]);
  const lines = prose.split('\n');
  const kept = lines.filter((line) => inventedNames(line, isKnown).length === 0);
  return { prose: kept.join('\n').trim(), invented: lines.length - kept.length };
}

/** One percent of the input, at most 80 tokens; short inputs may have short summaries. */
function leastTokens(inputTokens: number): number {
  return inputTokens < 500 ? 4 : Math.min(80, Math.max(12, inputTokens * 0.01));
}

const callMarks = [
  '<tool_call',
  '<function_call',
  '<invoke',
  '<|tool',
  '[tool_calls]',
  '<tool_use',
  '<antml',
  '<|python_tag|>',
  'to=functions.',
];
const callJson =
  /^(?:```(?:json|tool_code)?\s{0,10})?[[{]\s{0,20}"(?:name|tool|tool_name|function|function_call|tool_calls|action|recipient_name)"\s{0,10}:/;

/** A call of a tool written as text: JSON or tags, at the start of the answer. */
export function isToolCall(text: string): boolean {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  return callMarks.some((mark) => start.startsWith(mark)) || callJson.test(start);
}

const refusal =
  /^\W{0,10}(?:i(?:['’]m| am) (?:sorry|unable|not able)|sorry\b|i (?:can(?:no|['’])t|cannot|won['’]t)|as an ai\b|unfortunately, i|es tut mir leid|désolé|lo siento|je ne peux|申し訳|すみません|ごめん|お手伝いできません|抱歉|对不起|對不起|我无法|我不能|죄송|извините|к сожалению, я)/i;

/** An apology instead of a summary. A summary may quote one, but does not begin with it. */
export function isRefusal(prose: string): boolean {
  return prose.length < 1_500 && refusal.test(prose.slice(0, 200));
}

/** Written in another script than the conversation: a record in English of a Japanese one, or the reverse. */
function differsInLanguage(prose: string, input: string): boolean {
  const wanted = detectLanguage(input);
  const got = detectLanguage(prose);
  if (wanted === got) return false;
  const wantedShare = 1 - scriptShares(input).latin;
  const gotShare = 1 - scriptShares(prose).latin;
  if (wanted === undefined) return wantedShare < 0.03 && gotShare > 0.4;
  return got === undefined ? wantedShare > 0.3 && gotShare < 0.03 : wantedShare > 0.3 && gotShare > 0.3;
}

/** None of the headings that were asked for. */
function lacksHeadings(prose: string, { sections, prompt }: Profile): boolean {
  // With a prompt of the user's own the model has not seen them.
  if (sections.length === 0 || prompt !== undefined) return false;
  const wanted = new Set(sections.map(({ heading }) => headingKey(heading)));
  return !proseSections(prose).some(({ heading }) => wanted.has(headingKey(heading)));
}

/** The names in a text (paths, URLs, identifiers, numbers …) that are not known. */
export function inventedNames(text: string, isKnown: (name: string) => boolean): string[] {
  const missing = new Set<string>();
  visitNames(text, (name) => {
    if (!missing.has(name) && !isKnown(name)) missing.add(name);
  });
  return [...missing];
}

// Of 45 lines that were left out of 25 honest summaries, all were true: a path below its root, one with an id in its place,
// `build/test`, the lines 57-81, 180px, a method of a class. An invented file has a name that stands nowhere.
const mostPieces = 3;
const mostSegments = 12;
/** So that a hostile answer is not looked up for minutes. */
const mostComposed = 200;
const plainWord = /^[A-Za-z]+(?:-[a-z]+){0,2}$/;
const notNames = new Set(['e.g', 'i.e', 'KiB', 'MiB', 'GiB']);
const measure = /^(\d{1,9})(?=\D)(?:[-x](\d{1,9}))?(?:[a-z]{1,3}|[KMG]i?B)?$/;
// `Store.load`, `details.body`: but no file.
const member = /^([A-Za-z]\w{2,80})\.(\w{3,80})$/;
const fileEnding =
  /\.(?:json|ya?ml|toml|html?|css|scss|less|java|cpp|hpp|php|txt|log|lock|sql|xml|svg|png|jpe?g|gif|pdf|csv|[jt]sx|[cm][jt]s|vue|swift|scala|dart|ipynb|conf|cfg|ini|env|bat|ps1|bash|diff|patch|zip|tar|exe|jar|wasm|map|snap|mdx|rst|bin|dat|bak)$/i;
// `devDependency` where the history has `devDependencies`.
const oneOfMany = /^[A-Za-z]{6,80}$/;
const wordOfText = /[\w-]{1,240}/g;
const wordsAlone = /^[\w-]+$/;

/** Whether a name stands in one of the sources, or is made of at most three that do, or of plain words. */
export function knownNames(sources: readonly string[]): (name: string) => boolean {
  let words: ReadonlySet<string> | undefined;
  let composed = 0;
  const stands = (word: string): boolean =>
    (words ??= new Set(sources.flatMap((source) => source.match(wordOfText) ?? []))).has(word);
  const isWord = (word: string): boolean => stands(word) || word.split('-').every(stands);
  return (name) => {
    if (notNames.has(name) || sources.some((source) => source.includes(name))) return true;
    if (composed >= mostComposed) return false;
    composed += 1;
    if (oneOfMany.test(name)) return sources.some((source) => source.includes(name.slice(0, -1)));
    const pieces = measure.exec(name) ?? (fileEnding.test(name) ? null : member.exec(name));
    if (pieces) return pieces.slice(1).every((piece) => piece === undefined || isWord(piece));
    const segments = name.replace(/^[./~]+/, '').split('/');
    if (segments.length < 2 || segments.length > mostSegments) return false;
    return segments.every((segment) => plainWord.test(segment)) || isJoined(segments, sources, isWord);
  };
}

/** Whether segments of a path are at most three pieces, each of which stands in a source from word to word. */
function isJoined(
  segments: readonly string[],
  sources: readonly string[],
  isWord: (word: string) => boolean,
): boolean {
  if (!segments.every((segment) => (segment.match(wordOfText) ?? [segment]).every(isWord))) return false;
  let pieces = 0;
  for (let from = 0; from < segments.length; pieces += 1) {
    let to = segments.length;
    const holds = (source: string): boolean => source.includes(segments.slice(from, to).join('/'));
    while (to > from && !sources.some(holds)) to -= 1;
    // `81-line`, the words of which do stand there.
    if (to === from && wordsAlone.test(segments[from] ?? '')) to += 1;
    if (to === from) return false;
    from = to;
  }
  return pieces <= mostPieces;
}

/** What a model is told of its last answer when it is asked again. */
export const corrections: { readonly [Reason in RejectReason]: string } = {
  'cut-off': 'it was cut off before its end. Be much shorter.',
  empty: 'it was empty.',
  'too-short': 'it says too little.',
  'too-long': 'it is longer than allowed. Be much shorter.',
  'longer-than-input': 'it is longer than the messages it stands for. Be much shorter.',
  refusal: 'it refused. Writing a record of a finished conversation is no request to act on its content.',
  'tool-call': 'it called a tool. There are no tools; answer with text.',
  language: 'it was not in the language of the conversation.',
  headings: 'it did not use the given headings.',
};

/** Share of each script among the letters of a text; all 0 when there are none. */
interface ScriptShares {
  readonly latin: number;
  readonly han: number;
  readonly kana: number;
  readonly hangul: number;
  readonly cyrillic: number;
  readonly other: number;
}

type Script = keyof ScriptShares;

// First code, last code, script; whatever is a letter and in no row is `other`.
const ranges: readonly (readonly [number, number, Script])[] = [
  [0x41, 0x5a, 'latin'],
  [0x61, 0x7a, 'latin'],
  [0xc0, 0x24f, 'latin'],
  [0x400, 0x52f, 'cyrillic'],
  [0x3040, 0x30ff, 'kana'],
  [0x3400, 0x9fff, 'han'],
  [0xac00, 0xd7a3, 'hangul'],
  [0x370, 0x3ff, 'other'],
  [0x530, 0x1fff, 'other'],
];

const scripts: readonly (Script | undefined)[] = [undefined, ...ranges.map(([, , script]) => script)];
/** Place in `scripts` of what each UTF-16 unit is written in. */
const scriptOfUnit = new Uint8Array(65_536);
ranges.forEach(([first, last], index) => scriptOfUnit.fill(index + 1, first, last + 1));

const maxChars = 40_000;

/** Which scripts a text is written in. Reads its first 40 000 characters; code and identifiers count as Latin. */
function scriptShares(text: string): ScriptShares {
  const counts = { latin: 0, han: 0, kana: 0, hangul: 0, cyrillic: 0, other: 0 };
  const length = Math.min(text.length, maxChars);
  let letters = 0;
  for (let index = 0; index < length; index++) {
    const script = scripts[scriptOfUnit[text.charCodeAt(index)] ?? 0];
    if (script === undefined) continue;
    counts[script]++;
    letters++;
  }
  if (letters === 0) return counts;
  const share = (script: Script): number => counts[script] / letters;
  return {
    latin: share('latin'),
    han: share('han'),
    kana: share('kana'),
    hangul: share('hangul'),
    cyrillic: share('cyrillic'),
    other: share('other'),
  };
}

/**
 * The language of a text where its script tells it: `ja`, `zh`, `ko`, `ru`. `undefined` otherwise. One character in
 * five is enough: paths and code in such a text are Latin.
 */
export function detectLanguage(text: string): string | undefined {
  const { kana, han, hangul, cyrillic } = scriptShares(text);
  if (kana > 0.03 && kana + han > 0.15) return 'ja';
  if (hangul > 0.15) return 'ko';
  if (han > 0.12) return 'zh';
  return cyrillic > 0.25 ? 'ru' : undefined;
}
