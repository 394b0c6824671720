import type { Path } from '../json/json.ts';
import { isObject } from '../json/json.ts';
import type {
  CallId,
  CallPart,
  Entry,
  EntryId,
  OpaquePart,
  Part,
  ResultPart,
  ResultPiece,
  Role,
  TextPart,
} from '../transcript/entry.ts';
import { messageRecallId } from '../transcript/entry.ts';

/** An object out of JSON whose members are not known. */
export type WireObject = Readonly<Record<string, unknown>>;

/** Where most messages hold what they say. One for all: paths are never changed. */
export const contentAt: Path = ['content'];

/** Reads one block or item of a format; `undefined` when a field it needs is missing or of another type. */
export type PartDecoder<Result extends Part = Part> = (block: WireObject, at: Path) => Result | undefined;

/** One short decoder per block type. A map, not an object: hostile type names such as `constructor` find nothing. */
export type DecoderTable<Result extends Part = Part> = ReadonlyMap<string, PartDecoder<Result>>;

/** The roles of a format, by its own names: what has another role is no message of it. */
export type Roles = ReadonlyMap<unknown, Role>;

/** Roles that the format calls as they are called here. */
export function sameRoles(...roles: readonly Role[]): Roles {
  return new Map(roles.map((role) => [role, role]));
}

/** A part for a value that the codec does not edit: it is counted, and sent on as it is. */
export function opaquePart(value: unknown, at: Path): OpaquePart {
  return { type: 'opaque', at, value };
}

/** Decodes one block by its `type`; what the table does not know, or cannot read, becomes an opaque part. */
export function decodeBlock<Result extends Part>(
  block: unknown,
  at: Path,
  table: DecoderTable<Result>,
): Result | OpaquePart {
  const decode = isObject(block) && typeof block['type'] === 'string' ? table.get(block['type']) : undefined;
  return decode?.(block as WireObject, at) ?? opaquePart(block, at);
}

export function decodeText({ text }: WireObject, at: Path): TextPart | undefined {
  return typeof text === 'string' ? { type: 'text', at, text } : undefined;
}

/** What a model refuses stands under a name of its own. */
export function decodeRefusal({ refusal: text }: WireObject, at: Path): TextPart | undefined {
  return decodeText({ text }, at);
}

/**
 * Decodes content that is a text, a list of blocks or missing. An empty text and `null` are no part; anything else
 * of another type is one opaque part.
 */
export function decodeContent<Result extends Part>(
  content: unknown,
  at: Path,
  table: DecoderTable<Result>,
): (Result | OpaquePart | TextPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', at, text: content }];
  if (Array.isArray(content)) return content.map((block, index) => decodeBlock(block, [...at, index], table));
  return content === undefined || content === null ? [] : [opaquePart(content, at)];
}

/** Result content in the same way. An empty text is still a piece: it is what the tool returned. */
export function decodePieces(
  content: unknown,
  at: Path,
  table: DecoderTable<ResultPiece>,
): readonly ResultPiece[] {
  return content === '' ? [{ type: 'text', at, text: '' }] : decodeContent(content, at, table);
}

/** Ids are taken as they are; formats that leave them out are paired by tool name. */
export function readCallId(...candidates: readonly unknown[]): CallId {
  for (const id of candidates) if (typeof id === 'string' && id !== '') return id as CallId;
  return '' as CallId;
}

/** A call that the provider runs itself, or its result. */
export function asProviderExecuted<Own extends CallPart | ResultPart>(
  part: Own | undefined,
): Own | undefined {
  return part && { ...part, isProviderExecuted: true };
}

/** An entry of its own id where the format has one, else of the id its position gives it. */
export function makeEntry(
  message: { readonly wire: unknown; readonly id?: unknown },
  ordinal: number,
  role: Role,
  parts: readonly Part[],
): Entry {
  const { wire, id } = message;
  const ownId = typeof id === 'string' && id !== '' ? id : messageRecallId(ordinal);
  return { id: ownId as EntryId, ordinal, role, wire, parts };
}

/** A message that is none: one opaque part that holds everything. */
export function opaqueEntry(wire: unknown, ordinal: number, role: Role): Entry {
  return makeEntry({ wire }, ordinal, role, [opaquePart(wire, [])]);
}
