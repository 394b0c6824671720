import type { ToolLimits } from './stage-input.ts';

/** Default limits on tool output before its first send (`spec.md` E9). */
export const defaultToolLimits: {
  readonly default: ToolLimits;
  readonly byTool: ReadonlyMap<string, ToolLimits>;
} = {
  default: { maxOutputChars: 120_000 },
  byTool: new Map([
    ['bash', { maxOutputChars: 30_000 }],
    ['shell', { maxOutputChars: 30_000 }],
    ['read', { maxOutputChars: 120_000, maxLines: 2_000, maxLineLength: 2_000 }],
    ['grep', { maxOutputChars: 120_000, maxMatches: 1_000 }],
  ]),
};

/** The limits of a tool by name, whatever its case. */
export function defaultLimitsOf(toolName: string | undefined): ToolLimits {
  return defaultToolLimits.byTool.get((toolName ?? '').toLowerCase()) ?? defaultToolLimits.default;
}

/**
 * Cuts a text to the limits of its tool: long lines first, then lines or matches, then characters. Head and tail of
 * what is too long stay, cut on code points; what was left out is said in place. Within the limits: the same text.
 */
export function truncateOutput(text: string, limits: ToolLimits): string {
  const { maxOutputChars = Infinity, maxLineLength = Infinity } = limits;
  const maxLines = Math.min(limits.maxLines ?? Infinity, limits.maxMatches ?? Infinity);
  if (
    text.length <= Math.min(maxOutputChars, maxLineLength) &&
    (maxLines === Infinity || text.length <= maxLines)
  ) {
    return text;
  }
  const shortLines = maxLineLength === Infinity ? text : cutLines(text, maxLineLength);
  const fewLines = maxLines === Infinity ? shortLines : dropLines(shortLines, maxLines);
  return fewLines.length <= maxOutputChars ? fewLines : cutMiddle(fewLines, maxOutputChars);
}

function cutLines(text: string, maxLength: number): string {
  if (!hasLongLine(text, maxLength)) return text;
  return text
    .split('\n')
    .map((line) => (line.length <= maxLength ? line : cutMiddle(line, maxLength)))
    .join('\n');
}

function hasLongLine(text: string, maxLength: number): boolean {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    if ((end < 0 ? text.length : end) - start > maxLength) return true;
    if (end < 0) return false;
    start = end + 1;
  }
  return false;
}

function hasMoreBreaks(text: string, most: number): boolean {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0 && breaks <= most; at = text.indexOf('\n', at + 1)) breaks += 1;
  return breaks > most;
}

function dropLines(text: string, maxLines: number): string {
  if (!hasMoreBreaks(text, maxLines - 1)) return text;
  // The line break at the end closes the last line and opens none.
  const end = text.endsWith('\n') ? '\n' : '';
  const lines = text.slice(0, text.length - end.length).split('\n');
  if (lines.length <= maxLines) return text;
  const head = Math.ceil(maxLines * 0.7);
  const tail = maxLines - head;
  const left = lines.length - head - tail;
  const kept = [
    ...lines.slice(0, head),
    `[… ${left} lines left out …]`,
    ...(tail > 0 ? lines.slice(-tail) : []),
  ];
  return kept.join('\n') + end;
}

function cutMiddle(text: string, maxLength: number): string {
  const head = cutBefore(text, Math.ceil(maxLength * 0.6));
  const tail = cutAfter(text, text.length - Math.floor(maxLength * 0.4));
  return `${text.slice(0, head)}[… ${tail - head} characters left out …]${text.slice(tail)}`;
}

/** The nearest border between code points at or before `index`. */
function cutBefore(text: string, index: number): number {
  return isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index;
}

function cutAfter(text: string, index: number): number {
  return isLowSurrogate(text.charCodeAt(index)) ? index + 1 : index;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
