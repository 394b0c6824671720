import { join, relative } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { pathRefused } from '../files/workspace.ts';
import { isInside } from '../guard/guarded-names.ts';
import { defaultMaxOutputChars } from '../output-text.ts';
import { runSearch } from './run-search.ts';
import type { WorkspacePlace, Workspace } from '../files/workspace.ts';
import type { Tool, ToolContext, ToolReply } from '../tool.ts';
import type { SearchJob, SearchResult } from './run-search.ts';

const grepInput = z.strictObject({
  pattern: z.string().min(1).max(10_000),
  path: z.string().optional().describe('File or folder'),
  glob: z.string().max(1_000).optional().describe('Only such files: *.ts'),
  ignoreCase: z.boolean().optional(),
  context: z.int().min(0).max(20).optional().describe('Lines around a match'),
  filesOnly: z.boolean().optional(),
  includeIgnored: z.boolean().optional(),
});

/** `grep`: lines that match a regular expression. */
export function createGrepTool(workspace: Workspace, timeoutMs: number): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches text files for a regular expression (JavaScript), line by line: path:line:text. Leaves out .git and node_modules.',
    input: grepInput,
    limits: { maxMatches: 1_000 },
    reads: async ({ path = '.' }) => [await workspace.keyOf(path)],
    privatePart: ({ path = '.' }) => workspace.privatePartOf(path),
    execute: (
      { pattern, path = '.', glob, ignoreCase, context: lines, filesOnly, includeIgnored = false },
      context,
    ) =>
      searchPlace(
        { workspace, path, timeoutMs },
        {
          type: 'grep',
          pattern,
          includeIgnored,
          ignoreCase: ignoreCase ?? false,
          contextLines: lines ?? 0,
          filesOnly: filesOnly ?? false,
          ...(glob === undefined ? {} : { fileGlob: glob }),
        },
        context,
      ),
  });
}

const globInput = z.strictObject({
  pattern: z.string().min(1).max(1_000),
  path: z.string().optional().describe('Folder'),
  includeIgnored: z.boolean().optional(),
});

/** `glob`: paths of files, sorted. */
export function createGlobTool(workspace: Workspace, timeoutMs: number): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Lists files whose path matches a pattern such as **/*.ts; without a slash it is about the name. Leaves out .git and node_modules.',
    input: globInput,
    limits: { maxMatches: 1_000 },
    reads: async ({ path = '.' }) => [await workspace.keyOf(path)],
    execute: ({ pattern, path = '.', includeIgnored = false }, context) =>
      searchPlace({ workspace, path, timeoutMs }, { type: 'glob', pattern, includeIgnored }, context),
  });
}

type Asked = Omit<
  SearchJob,
  'base' | 'byHandle' | 'fileName' | 'secrets' | 'privateFiles' | 'maxMatches' | 'maxLineLength'
>;

interface SearchAt {
  readonly workspace: Workspace;
  readonly path: string;
  readonly timeoutMs: number;
}

const defaultMaxMatches = 1_000;
const maxLineLength = 500;

/** Searches below a path of the workspace and says what was found, and what was not looked at. */
async function searchPlace(at: SearchAt, asked: Asked, context: ToolContext): Promise<ToolReply> {
  await using place = await at.workspace.locate(at.path);
  if (!place.stats) throw pathRefused(at.path, 'does not exist');
  const isFile = place.stats.isFile();
  if (!isFile && !place.stats.isDirectory()) throw pathRefused(at.path, 'is no regular file and no folder');
  // The folder stays open while the thread looks: what it was cannot be swapped for a link.
  await using folder = isFile ? undefined : await openIn(place);
  const { maxMatches = defaultMaxMatches, maxOutputChars = defaultMaxOutputChars } = context.limits;
  const found = await runSearch(
    {
      ...asked,
      base: folder?.base ?? place.path,
      byHandle: (folder ?? place.folder).base.startsWith('/proc/self/fd/'),
      ...(isFile ? { fileName: place.shown } : {}),
      secrets: secretsBelow(at.workspace, place),
      privateFiles: at.workspace.guard.privateFiles,
      maxMatches,
      maxLineLength: Math.min(maxLineLength, context.limits.maxLineLength ?? maxLineLength),
    },
    { timeoutMs: at.timeoutMs, maxChars: Math.max(0, maxOutputChars - 2_000), signal: context.signal },
  );
  return replyOf(found, asked.type, isFile || place.shown === '.' ? '' : `${place.shown}/`, at.timeoutMs);
}

function secretsBelow({ guard }: Workspace, { folder, name }: WorkspacePlace): string[] {
  const base = join(folder.path, name);
  return guard.secrets.filter((path) => isInside(path, base)).map((path) => relative(base, path));
}

async function openIn(
  place: Awaited<ReturnType<Workspace['locate']>>,
): Promise<AsyncDisposable & { base: string }> {
  if (place.name === '.') return { base: place.folder.base, [Symbol.asyncDispose]: () => Promise.resolve() };
  return await place.folder.open(place.name);
}

function replyOf(found: SearchResult, type: SearchJob['type'], prefix: string, timeoutMs: number): ToolReply {
  const { lines, failure } = found;
  const notes = notesOf(found, prefix, timeoutMs);
  if (typeof failure === 'object') {
    return { content: `The search failed: ${failure.message}`, isError: true };
  }
  const shown = lines.map((line) => (line === '--' ? line : `${prefix}${line}`));
  const nothing = failure ? 'Nothing found so far.' : type === 'grep' ? 'No matches.' : 'No files.';
  const content = [...(shown.length > 0 ? shown : [nothing]), ...notes].join('\n');
  return {
    content,
    isError: failure === 'timed-out' || failure === 'cancelled',
    isCancelled: failure === 'cancelled',
  };
}

function notesOf({ end, failure, matches }: SearchResult, prefix: string, timeoutMs: number): string[] {
  const notes: string[] = [];
  if (failure === 'timed-out')
    notes.push(`stopped after ${timeoutMs} ms; use a simpler pattern or a narrower path`);
  if (failure === 'cancelled') notes.push('cancelled before it finished');
  if (failure === 'too-much')
    notes.push(`stopped after ${matches} matches: too long; use a narrower pattern or path`);
  if (end?.stopped === 'matches')
    notes.push(`stopped after ${end.matches} matches; use a narrower pattern or path`);
  if (end?.stopped === 'entries') notes.push('stopped: too many files; use a narrower path');
  if (end && end.skippedLarge > 0) notes.push(`${end.skippedLarge} files too large to search were skipped`);
  if (end && end.skippedPrivate.length > 0) {
    const paths = end.skippedPrivate.map((path) => `${prefix}${path}`).join(', ');
    notes.push(`passed over, as it may hold secrets: ${paths}; naming one as path asks the user`);
  }
  return notes.map((note) => `[${note}]`);
}
