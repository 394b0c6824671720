import { callInputText, callInputValue, isObject, jsonText } from '@throughline/core/codec';
import type { CallPart } from '@throughline/core/codec';

const pathKeys = new Set('path file_path filePath filepath file filename notebook_path'.split(' '));
/** Names under which tools are given what they work on, the most telling first. */
const targetKeys = [...pathKeys, ...'command cmd pattern query url description prompt'.split(' ')];
const longestShown = 400;

/** What a call is about, in one line: the file, the command, the pattern; else the start of its arguments. */
export function describeCall(call: CallPart): string {
  return (targetOf(callInputValue(call)) ?? callInputText(call)).slice(0, longestShown);
}

/** The file, the command, the pattern among the arguments; `undefined` where there is none. */
export function targetOf(input: unknown): string | undefined {
  if (!isObject(input)) return undefined;
  for (const key of targetKeys) {
    const text = asText(input[key]);
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * What two calls have in common when they ask for the same thing: the same tool with the same arguments, or a path
 * with nothing but numbers and switches beside it (another part of the same file).
 */
export function sameThingKey(call: CallPart): string {
  const input = callInputValue(call);
  if (!isObject(input)) return `${call.name} ${callInputText(call)}`;
  const entries = Object.entries(input);
  const path = entries.find(([key, value]) => pathKeys.has(key) && typeof value === 'string');
  const isOnlyPath = entries.every(([key, value]) => key === path?.[0] || isSetting(value));
  if (path && isOnlyPath) return `${call.name} ${String(path[1])}`;
  return `${call.name} ${jsonText(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;
}

function isSetting(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((item) => typeof item === 'string') ? value.join(' ') : undefined;
}
