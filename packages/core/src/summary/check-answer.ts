import { cleanProse, headingKey, proseSections } from './clean-prose.ts';
import { hasWords } from '../text/cut-text.ts';
import { inventedNames, knownNames } from '../text/names.ts';
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

/** The prose without the lines that name a path, a number or an id that is neither in the history nor made of what is. */
function withoutInvented(
  prose: string,
  { input, known = () => [] }: CheckInput,
): { prose: string; invented: number } {
  let isKnown = knownNames([input], input);
  if (inventedNames(prose, isKnown).length > 0) isKnown = knownNames([input, ...known()], input);
  const lines = prose.split('\n');
  const kept = lines.filter((line) => inventedNames(line, isKnown).length === 0);
  return { prose: kept.join('\n').trim(), invented: lines.length - kept.length };
}

/** One percent of the input, at most 80 tokens; short inputs may have short summaries. */
function leastTokens(inputTokens: number): number {
  return inputTokens < 500 ? 4 : Math.min(80, Math.max(12, inputTokens * 0.01));
}

const callTags = '<tool_call <function_call <invoke <|tool <tool_use <antml <|python_tag|>'.split(' ');
const callMarks = [...callTags, '[tool_calls]', 'to=functions.'];
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

type Script = 'latin' | 'han' | 'kana' | 'hangul' | 'cyrillic' | 'other';

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

/**
 * Share of each script among the letters of a text; all 0 when there are none. Reads its first 40 000 characters; code and
 * identifiers count as Latin.
 */
function scriptShares(text: string): Readonly<Record<Script, number>> {
  const shares = { latin: 0, han: 0, kana: 0, hangul: 0, cyrillic: 0, other: 0 };
  const length = Math.min(text.length, maxChars);
  let letters = 0;
  for (let index = 0; index < length; index++) {
    const script = scripts[scriptOfUnit[text.charCodeAt(index)] ?? 0];
    if (script === undefined) continue;
    shares[script]++;
    letters++;
  }
  for (const script of Object.keys(shares) as Script[]) shares[script] /= Math.max(1, letters);
  return shares;
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
