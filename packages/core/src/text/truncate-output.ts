import { cutHead, cutTail } from './cut-text.ts';

/** Limits on one tool's output before its first send. Characters and lines; absent means no limit of that kind. */
export interface ToolLimits {
  readonly maxOutputChars?: number;
  readonly maxLines?: number;
  readonly maxLineLength?: number;
  readonly maxMatches?: number;
}

/** How what is left out is said. */
interface OutputNotes {
  /** What to do about it, behind the number. @default nothing */
  readonly hint?: string;
  /** The note about characters of the whole stands on a line of its own. @default false */
  readonly isOnOwnLine?: boolean;
}

/** Whether a text is within the limits, so that {@link truncateOutput} returns it as it is. */
export function isWithinLimits(text: string, { maxOutputChars = Infinity, ...lines }: ToolLimits): boolean {
  if (text.length > maxOutputChars) return false;
  const { maxLineLength = Infinity } = lines;
  const most = mostLines(lines);
  if (text.length <= Math.min(most, maxLineLength)) return true;
  if (most === Infinity && maxLineLength === Infinity) return true;
  let count = 0;
  // The line break at the end closes the last line and opens none.
  for (let start = 0; start < text.length; count += 1) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    if (end - start > maxLineLength || count >= most) return false;
    start = end + 1;
  }
  return true;
}

/**
 * Cuts a text to the limits of its tool: long lines first, then lines or matches, then characters. Head and tail of
 * what is too long stay, cut on code points; what was left out is said in place. Within the limits: the same text.
 */
export function truncateOutput(text: string, limits: ToolLimits, notes: OutputNotes = {}): string {
  if (isWithinLimits(text, limits)) return text;
  const { maxOutputChars = Infinity, maxLineLength = Infinity } = limits;
  const { hint = '', isOnOwnLine = false } = notes;
  const shortLines = maxLineLength === Infinity ? text : cutLines(text, maxLineLength);
  const fewLines = dropLines(shortLines, mostLines(limits), hint);
  if (fewLines.length <= maxOutputChars) return fewLines;
  const end = isOnOwnLine ? '\n' : '';
  return cutOut(fewLines, maxOutputChars, (chars) => `${end}${charactersNote(chars, hint)}${end}`);
}

function mostLines({ maxLines = Infinity, maxMatches = Infinity }: ToolLimits): number {
  return Math.min(maxLines, maxMatches);
}

function cutLines(text: string, maxLength: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= maxLength ? line : cutOut(line, maxLength, charactersNote)))
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

/** Head and tail share the characters six to four. */
function cutOut(text: string, maxLength: number, note: (leftOutChars: number) => string): string {
  const head = cutHead(text, Math.ceil(maxLength * 0.6));
  const tail = cutTail(text, Math.floor(maxLength * 0.4));
  return `${head}${note(text.length - head.length - tail.length)}${tail}`;
}

function charactersNote(chars: number, hint = ''): string {
  return `[… ${chars} characters left out${hint} …]`;
}
