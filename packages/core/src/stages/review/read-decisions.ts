import { isRefusal, isToolCall } from '../../summary/check-answer.ts';
import { parseJson } from '../../json/json.ts';
import { skipValue } from '../../json/scan-json.ts';
import { withoutThinking } from '../../summary/clean-prose.ts';
import type { Answer } from '../../summary/model-request.ts';

/** What is to become of one message. `index` counts from 1, in the order of the request. */
export type Decision =
  | { readonly index: number; readonly action: 'keep' | 'drop' }
  | { readonly index: number; readonly action: 'replace'; readonly text: string };

export type ReviewFault =
  | 'cut-off'
  | 'empty'
  | 'refusal'
  | 'tool-call'
  | 'too-long'
  | 'no-array'
  | 'several-arrays'
  | 'not-json'
  | 'no-decision'
  | 'unknown-index'
  | 'repeated-index'
  | 'unknown-action'
  | 'no-text';

type ReadDecisions =
  | { readonly ok: true; readonly decisions: readonly Decision[] }
  | { readonly ok: false; readonly fault: ReviewFault };

type TextAnswer = Extract<Answer, { type: 'text' }>;

/** In UTF-16 code units: more than any list of decisions that was asked for. */
const maxAnswerLength = 400_000;

/**
 * Reads a reviewer's answer about messages numbered 1 to `count`: one JSON array of decisions, with a code fence, prose
 * or thinking around it, and nothing else. One fault makes the whole answer invalid: who numbers wrongly once may have
 * done so everywhere. A message it does not name is kept. Never throws, linear.
 */
export function readDecisions({ text, finish }: TextAnswer, count: number): ReadDecisions {
  if (finish === 'tool-calls') return invalid('tool-call');
  if (finish === 'refusal') return invalid('refusal');
  if (finish === 'length') return invalid('cut-off');
  if (text.length > maxAnswerLength) return invalid('too-long');
  const said = withoutThinking(text);
  if (said === '') return invalid('empty');
  if (isToolCall(said)) return invalid('tool-call');
  const array = arrayIn(said);
  if (typeof array === 'string') return invalid(array === 'no-array' && isRefusal(said) ? 'refusal' : array);
  return decisionsOf(array, count);
}

function invalid(fault: ReviewFault): ReadDecisions {
  return { ok: false, fault };
}

const arrayStart = /\[[ \t\r\n]*\{/g;
const emptyArray = /^(?:```\w{0,20}\s*)?\[\s*\](?:\s*```)?$/;

/** The one array of objects in a text, or why there is none. */
function arrayIn(text: string): readonly unknown[] | 'no-array' | 'several-arrays' | 'not-json' {
  if (emptyArray.test(text)) return [];
  const [start, ...more] = arrayStarts(text);
  if (start === undefined) return 'no-array';
  const end = skipValue(text, start);
  if (end < 0) return 'not-json';
  if (more.some((other) => other >= end)) return 'several-arrays';
  const value = parseJson(text.slice(start, end));
  return Array.isArray(value) ? value : 'not-json';
}

function arrayStarts(text: string): number[] {
  return [...text.matchAll(arrayStart)].map(({ index }) => index);
}

function decisionsOf(array: readonly unknown[], count: number): ReadDecisions {
  const decisions: Decision[] = [];
  const seen = new Set<number>();
  for (const value of array) {
    const decision = decisionOf(value);
    if (typeof decision === 'string') return invalid(decision);
    const { index } = decision;
    if (!Number.isInteger(index) || index < 1 || index > count) return invalid('unknown-index');
    if (seen.has(index)) return invalid('repeated-index');
    seen.add(index);
    decisions.push(decision);
  }
  return { ok: true, decisions };
}

function decisionOf(value: unknown): Decision | ReviewFault {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'no-decision';
  const { index, action, text } = value as { index?: unknown; action?: unknown; text?: unknown };
  if (typeof index !== 'number') return 'no-decision';
  if (action === 'keep' || action === 'drop') return { index, action };
  if (action !== 'replace') return action === undefined ? 'no-decision' : 'unknown-action';
  return typeof text === 'string' ? { index, action, text } : 'no-text';
}
