import { HeadTail } from './head-tail.ts';
import type { ToolLimits } from '@throughline/core';

/** Whether a text is within the limits, so that `limitText` would return it as it is. */
export function isWithin(text: string, { maxOutputChars = Infinity, ...lines }: ToolLimits): boolean {
  if (text.length > maxOutputChars) return false;
  const { maxLines = Infinity, maxMatches = Infinity, maxLineLength = Infinity } = lines;
  const most = Math.min(maxLines, maxMatches);
  if (text.length <= Math.min(most, maxLineLength)) return true;
  let count = 0;
  for (let start = 0; start < text.length; count += 1) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    if (end - start > maxLineLength || count >= most) return false;
    start = end + 1;
  }
  return true;
}

/**
 * Cuts a text to the limits of its tool: long lines first, then lines, then characters. Head and tail stay; each gap says
 * what is missing, `hint` what to do about it.
 */
export function limitText(text: string, limits: ToolLimits, hint: string): string {
  if (isWithin(text, limits)) return text;
  const { maxOutputChars = Infinity, maxLineLength = Infinity } = limits;
  const shortLines = maxLineLength === Infinity ? text : cutLines(text, maxLineLength);
  const fewLines = dropLines(
    shortLines,
    Math.min(limits.maxLines ?? Infinity, limits.maxMatches ?? Infinity),
    hint,
  );
  return fewLines.length <= maxOutputChars
    ? fewLines
    : cut(fewLines, maxOutputChars, (chars) => `\n[… ${chars} characters left out${hint} …]\n`);
}

function cutLines(text: string, maxLength: number): string {
  const note = (chars: number): string => `[… ${chars} characters left out …]`;
  return text
    .split('\n')
    .map((line) => (line.length <= maxLength ? line : cut(line, maxLength, note)))
    .join('\n');
}

function dropLines(text: string, maxLines: number, hint: string): string {
  if (maxLines === Infinity) return text;
  const end = text.endsWith('\n') ? '\n' : '';
  const lines = text.slice(0, text.length - end.length).split('\n');
  if (lines.length <= maxLines) return text;
  const head = Math.ceil(maxLines * 0.7);
  const tail = maxLines - head;
  const note = `[… ${lines.length - maxLines} lines left out${hint} …]`;
  return [...lines.slice(0, head), note, ...lines.slice(lines.length - tail)].join('\n') + end;
}

function cut(text: string, maxChars: number, note: (chars: number) => string): string {
  const parts = new HeadTail(maxChars);
  parts.add(text);
  return parts.text(note);
}
