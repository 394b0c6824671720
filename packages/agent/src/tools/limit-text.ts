import type { ToolLimits } from '@throughline/core/types';

/** What all texts of a result have together, where nobody says otherwise. */
export const defaultMaxOutputChars = 120_000;

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

/** What is left of a text of any length: its head and its tail, in memory bounded by `maxChars`. */
export class HeadTail {
  private readonly headChars: number;
  private readonly tailChars: number;
  private head = '';
  private tail = '';
  /** All characters ever added. */
  totalChars = 0;

  /** Head and tail share `maxChars` six to four. */
  constructor(maxChars: number) {
    this.headChars = Math.ceil(maxChars * 0.6);
    this.tailChars = Math.floor(maxChars * 0.4);
  }

  add(text: string): void {
    this.totalChars += text.length;
    const room = this.headChars - this.head.length;
    if (room > 0) this.head += text.slice(0, room);
    if (text.length <= room) return;
    this.tail += text.slice(Math.max(0, room));
    // Cut only now and then: each character is copied a bounded number of times.
    if (this.tail.length > 2 * this.tailChars + 4_096) this.tail = lastChars(this.tail, this.tailChars);
  }

  get isCut(): boolean {
    return this.totalChars > this.headChars + this.tailChars;
  }

  /** The text; where something is missing, what `note` says about that many characters. Ends on code points. */
  text(note: (leftOutChars: number) => string): string {
    if (!this.isCut) return this.head + this.tail;
    const head = /[\ud800-\udbff]$/.test(this.head) ? this.head.slice(0, -1) : this.head;
    const tail = lastChars(this.tail, this.tailChars).replace(/^[\udc00-\udfff]/, '');
    return `${head}${note(this.totalChars - head.length - tail.length)}${tail}`;
  }
}

function lastChars(text: string, count: number): string {
  return count === 0 ? '' : text.slice(-count);
}

/** A text that every format and every database takes: no lone surrogates, NUL shown as `␀`. */
export function sanitiseText(text: string): string {
  const plain = text.includes('\0') ? text.replaceAll('\0', '␀') : text;
  return plain.toWellFormed();
}
