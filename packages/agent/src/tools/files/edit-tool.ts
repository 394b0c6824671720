import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { fileTypeOf } from './file-type.ts';
import { pathRefused } from './workspace.ts';
import { requireWritable, writeFileAtomically } from './write-tool.ts';
import type { Tool, ToolReply } from '../tool.ts';
import type { WorkspacePlace, Workspace } from './workspace.ts';

const input = z.strictObject({
  path: z.string(),
  oldText: z.string().min(1),
  newText: z.string(),
  replaceAll: z.boolean().optional(),
});
type Args = z.output<typeof input>;

const maxBytes = 10 * 1024 * 1024;

/** `edit`: replaces one exact piece of a file; line ends, encoding marks and all else stay. */
export function createEditTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces oldText in a file by newText. oldText must stand in the file exactly once, without line numbers (add lines around it to make it unique), unless replaceAll is set.',
    input,
    writes: async ({ path }) => [await workspace.keyOf(path)],
    guardedPart: ({ path }) => workspace.guardedPartOf(path),
    // Where oldText is not found, the lines most like it are shown.
    privatePart: ({ path }) => workspace.privatePartOf(path),
    execute: (args) => edit(workspace, args),
  });
}

async function edit(
  workspace: Workspace,
  { path, oldText, newText, replaceAll = false }: Args,
): Promise<ToolReply> {
  if (oldText === newText) return refusal('oldText and newText are the same; nothing was changed.');
  await using place = await workspace.locate(path);
  if (place.stats) requireWritable(place);
  const text = await readText(place);
  const edited = applyEdit(text, { oldText, newText: newText.toWellFormed(), replaceAll });
  if (edited.type !== 'edited') return refusal(reasonOf(edited, place.shown, text, oldText));
  await writeFileAtomically(place, Buffer.from(edited.text, 'utf8'));
  return `Edited ${place.shown} at ${lineList(edited.lines)}.`;
}

/** Refuses what would not come out again as it went in. */
async function readText(place: WorkspacePlace): Promise<string> {
  await using handle = await place.openFile();
  const { size } = await handle.stat();
  if (size > maxBytes)
    throw pathRefused(place.shown, `is too large to edit (${size} bytes, at most ${maxBytes})`);
  const bytes = await handle.readFile();
  if (fileTypeOf(bytes.subarray(0, 8_192)).type !== 'text') throw pathRefused(place.shown, 'is no text file');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw pathRefused(place.shown, 'is not UTF-8; an edit would damage it');
  }
}

function reasonOf(
  edited: Exclude<Edited, { type: 'edited' }>,
  shown: string,
  text: string,
  oldText: string,
): string {
  if (edited.type === 'ambiguous') {
    return (
      `oldText stands ${edited.count} times in ${shown}, at ${lineList(edited.lines)}; nothing was changed. ` +
      'Add lines around it until it is unique, or set replaceAll.'
    );
  }
  const hint = nearestLines(text, oldText);
  return `oldText is not in ${shown}; nothing was changed.${hint === undefined ? '' : ` ${hint}`}`;
}

function lineList(lines: readonly number[]): string {
  return `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}${lines.length >= 20 ? ' …' : ''}`;
}

function refusal(content: string): ToolReply {
  return { content, isError: true };
}

interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

type Edited =
  | { readonly type: 'edited'; readonly text: string; readonly lines: readonly number[] }
  | { readonly type: 'not-found' }
  | { readonly type: 'ambiguous'; readonly lines: readonly number[]; readonly count: number };

const maxLines = 20;

/**
 * Replaces `oldText` by `newText` where it stands exactly once, or everywhere. Line ends do not matter for the search
 * and are those of the place in what is put there; all else stays byte for byte.
 */
export function applyEdit(text: string, { oldText, newText, replaceAll }: Edit): Edited {
  const plain = text.replaceAll('\r\n', '\n');
  const wanted = oldText.replaceAll('\r\n', '\n');
  const starts = findAll(plain, wanted, replaceAll ? wanted.length : 1);
  if (starts.length === 0) return { type: 'not-found' };
  const lines = linesOf(plain, starts.slice(0, maxLines));
  if (starts.length > 1 && !replaceAll) return { type: 'ambiguous', lines, count: starts.length };
  const spans = originalSpans(text, starts, wanted.length);
  return { type: 'edited', text: splice(text, spans, newText.replaceAll('\r\n', '\n')), lines };
}

function findAll(text: string, wanted: string, step: number): number[] {
  const starts: number[] = [];
  if (wanted === '') return starts;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) starts.push(at);
  return starts;
}

/** Numbers of the lines in which ascending positions lie. */
function linesOf(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let seen = 0;
  return positions.map((position) => {
    for (let at = text.indexOf('\n', seen); at >= 0 && at < position; at = text.indexOf('\n', seen)) {
      line += 1;
      seen = at + 1;
    }
    return line;
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where spans of the text without carriage returns lie in the text that has them. */
function originalSpans(text: string, starts: readonly number[], length: number): Span[] {
  if (!text.includes('\r\n')) return starts.map((start) => ({ start, end: start + length }));
  let next = text.indexOf('\r\n');
  let dropped = 0;
  // Positions come in ascending order: each line break is passed once.
  const original = (position: number): number => {
    while (next >= 0 && next - dropped < position) {
      dropped += 1;
      next = text.indexOf('\r\n', next + 2);
    }
    return position + dropped;
  };
  return starts.map((start) => ({ start: original(start), end: original(start + length) }));
}

function splice(text: string, spans: readonly Span[], newText: string): string {
  const crlf = newText.replaceAll('\n', '\r\n');
  const fileHasCrlf = text.includes('\r\n');
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of spans) {
    const replaced = text.slice(start, end);
    const isCrlf = replaced.includes('\n') ? replaced.includes('\r\n') : fileHasCrlf;
    pieces.push(text.slice(done, start), isCrlf ? crlf : newText);
    done = end;
  }
  return [...pieces, text.slice(done)].join('');
}

const maxFileLines = 10_000;
const maxCompared = 120;
const shownLines = 6;

/**
 * What a model needs to see when its text is not in the file: whether only white space differs, or the lines most like
 * its first line. `undefined` when nothing is alike. Work is linear in the file.
 */
function nearestLines(text: string, wanted: string): string | undefined {
  const lines = text.split('\n', maxFileLines).map((line) => line.replace(/\r$/, ''));
  const wantedLines = wanted.split('\n').map((line) => line.trim());
  const sameBut = findTrimmed(lines, wantedLines);
  if (sameBut !== undefined) {
    return `Lines that differ only in white space begin at line ${sameBut + 1}:\n${show(lines, sameBut, wantedLines.length)}`;
  }
  const first = wantedLines.find((line) => line !== '');
  if (first === undefined) return undefined;
  const nearest = mostLike(lines, first.slice(0, maxCompared));
  return nearest === undefined
    ? undefined
    : `The nearest lines begin at line ${nearest + 1}:\n${show(lines, nearest, shownLines)}`;
}

/** Looks at most at a million pairs of lines: repeats could make it quadratic. */
function findTrimmed(lines: readonly string[], wanted: readonly string[]): number | undefined {
  let budget = 1_000_000;
  const trimmed = lines.map((line) => line.trim());
  for (let start = 0; start + wanted.length <= trimmed.length && budget > 0; start += 1) {
    let index = 0;
    while (index < wanted.length && trimmed[start + index] === wanted[index]) index += 1;
    budget -= index + 1;
    if (index === wanted.length && wanted.some((line) => line !== '')) return start;
  }
  return undefined;
}

function mostLike(lines: readonly string[], wanted: string): number | undefined {
  const pairs = pairsOf(wanted);
  let best: number | undefined;
  let bestShare = 0.5;
  for (const [index, line] of lines.entries()) {
    const own = pairsOf(line.trim().slice(0, maxCompared));
    if (Math.min(own.size, pairs.size) < bestShare * 0.5 * Math.max(own.size, pairs.size)) continue;
    const common = [...own].filter((pair) => pairs.has(pair)).length;
    const share = (2 * common) / (own.size + pairs.size || 1);
    if (share > bestShare) [best, bestShare] = [index, share];
  }
  return best;
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index += 1) pairs.add(text.slice(index, index + 2));
  return pairs;
}

function show(lines: readonly string[], start: number, count: number): string {
  return lines
    .slice(start, start + Math.min(count, shownLines))
    .map(
      (line, index) =>
        `${String(start + index + 1).padStart(6)}\t${line.slice(0, maxCompared).toWellFormed()}`,
    )
    .join('\n');
}
