import { isObject } from '@throughline/core/codec';
import { resolve } from 'node:path';
import { cutMiddle } from '@throughline/core/internal';
import type { ContentBlock, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type { Json } from '@throughline/core/codec';
import type { ResultContent } from '@throughline/agent';

/** A call as an editor shows it before it has an answer. */
interface DescribedCall {
  readonly title: string;
  readonly kind: ToolKind;
  /** Files it is about, absolute. */
  readonly locations: ToolCallLocation[];
  /** What it would change. */
  readonly diffs: ToolCallContent[];
}

type Fields = { readonly [name: string]: Json };

interface Shape {
  readonly kind: ToolKind;
  readonly title: (args: Fields) => string;
  /** What becomes of a file: the old piece, if it is known, and the new one. */
  readonly change?: (args: Fields, before: string | undefined) => Change | undefined;
}

interface Change {
  readonly oldText: string | null;
  readonly newText: string;
}

const longestTitle = 120;

const shapes: Readonly<Record<string, Shape>> = {
  bash: { kind: 'execute', title: (args) => `\`${line(args['command'])}\`` },
  read: { kind: 'read', title: (args) => `Read ${line(args['path'])}${linesOf(args)}` },
  write: {
    kind: 'edit',
    title: (args) => `Write ${line(args['path'])}`,
    change: ({ content }, before) =>
      typeof content === 'string'
        ? { oldText: before === content ? null : (before ?? null), newText: content }
        : undefined,
  },
  edit: {
    kind: 'edit',
    title: (args) => `Edit ${line(args['path'])}`,
    change: ({ oldText, newText }) =>
      typeof oldText === 'string' && typeof newText === 'string' ? { oldText, newText } : undefined,
  },
  grep: { kind: 'search', title: (args) => `Search for ${quoted(args['pattern'])}${inPath(args)}` },
  glob: { kind: 'search', title: (args) => `Find ${quoted(args['pattern'])}${inPath(args)}` },
  todo: { kind: 'think', title: () => 'Plan' },
  recall: {
    kind: 'read',
    title: ({ id, query }) => (id === undefined ? `Recall ${quoted(query)}` : `Recall ${line(id)}`),
  },
};

const unknownShape: Shape = { kind: 'other', title: () => '' };

/**
 * What an editor is told of a call.
 *
 * @param before the text of the file that `write` is about to replace, where there is one
 */
export function describeCall(
  { toolName, args }: { readonly toolName: string; readonly args: Json },
  folder: string,
  before?: string,
): DescribedCall {
  const shape = Object.hasOwn(shapes, toolName) ? (shapes[toolName] ?? unknownShape) : unknownShape;
  const fields = fieldsOf(args);
  const path = pathOf(fields, folder);
  const change = path === undefined ? undefined : shape.change?.(fields, before);
  return {
    title: shape.title(fields) || toolName,
    kind: shape.kind,
    locations: path === undefined || shape === unknownShape ? [] : [{ path, ...lineOf(fields) }],
    diffs: path === undefined || !change ? [] : [{ type: 'diff', path, ...change }],
  };
}

/** The file that `write` is about to replace, absolute. */
export function fileToReplace(
  { toolName, args }: { readonly toolName: string; readonly args: Json },
  folder: string,
): string | undefined {
  return toolName === 'write' ? pathOf(fieldsOf(args), folder) : undefined;
}

function fieldsOf(args: Json): Fields {
  return isObject(args) ? args : {};
}

function pathOf({ path }: Fields, folder: string): string | undefined {
  return typeof path === 'string' && path !== '' ? resolve(folder, path) : undefined;
}

function lineOf({ offset }: Fields): { line?: number } {
  return typeof offset === 'number' ? { line: offset } : {};
}

function linesOf({ offset, limit }: Fields): string {
  if (typeof offset !== 'number' && typeof limit !== 'number') return '';
  const first = typeof offset === 'number' ? offset : 1;
  return typeof limit === 'number' ? `, lines ${first}–${first + limit - 1}` : `, from line ${first}`;
}

function inPath(args: Fields): string {
  return typeof args['path'] === 'string' ? ` in ${line(args['path'])}` : '';
}

function quoted(value: Json | undefined): string {
  return `“${line(value)}”`;
}

/** The first line of a text, not too long. */
function line(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  const [first = ''] = text.trim().split(/\r|\n/, 1);
  const isWhole = first.length <= longestTitle && first.length === text.trim().length;
  return isWhole ? first : `${first.slice(0, longestTitle - 1).toWellFormed()}…`;
}

/** Bytes that results refer to, in base64, by the address they are referred to with. */
export type Media = ReadonlyMap<string, string>;

const shownChars = 8_000;

/** What a call has answered, as an editor shows it: texts, and images where their bytes are at hand. */
export function contentOfResult(content: readonly ResultContent[], media: Media): ToolCallContent[] {
  return content.map((piece) => ({ type: 'content', content: blockOf(piece, media) }));
}

/** A piece of text or media as a content block. */
export function blockOf(piece: ResultContent, media: Media): ContentBlock {
  if (piece.type === 'text') return { type: 'text', text: truncated(piece.text) };
  const { source, mediaType, filename } = piece;
  const data = source.type === 'base64' ? source.data : media.get(source.url);
  if (data !== undefined && mediaType.startsWith('image/'))
    return { type: 'image', data, mimeType: mediaType };
  return { type: 'text', text: `[${filename ?? mediaType}]` };
}

/** Head and tail of a long text: the editor shows it, nobody reads it out of there. */
export function truncated(text: string): string {
  return cutMiddle(text, shownChars, (chars) => `[… ${chars} characters …]`);
}

/** Addresses of stored bytes that the pieces refer to. */
export function addressesIn(content: readonly ResultContent[]): readonly string[] {
  return content.flatMap((piece) =>
    piece.type === 'media' && piece.source.type === 'url' && piece.mediaType.startsWith('image/')
      ? [piece.source.url]
      : [],
  );
}
