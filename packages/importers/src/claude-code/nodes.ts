import { arrayOf, isObject, objectOf, textOf, timeOf } from '../json-value.ts';
import type { Path, WireEdit } from '@throughline/core';
import type { JsonObject } from '../json-value.ts';
import type { LinesDocument } from '../source/document.ts';

/** One line of a session that is part of its tree. */
export interface Node {
  /** Index into the document's lines. */
  readonly line: number;
  readonly uuid: string;
  /** What the line follows: the line that it names, else the one before it. */
  readonly parent: string | undefined;
  /** The parent that the line names, where that is not in the file. */
  readonly lostParent: string | undefined;
  readonly type: string;
  readonly isSidechain: boolean;
  readonly time: number;
  readonly value: JsonObject;
  /** The message of the line that is sent to the model. */
  readonly message: JsonObject | undefined;
}

export interface Tree {
  /** In file order; a uuid that is there twice counts once. */
  readonly nodes: readonly Node[];
  readonly byUuid: ReadonlyMap<string, Node>;
  /** Assistant lines of one message, by message id. */
  readonly byMessageId: ReadonlyMap<string, readonly Node[]>;
  /** Lines that hold the result of a call, by call id. */
  readonly byCallId: ReadonlyMap<string, readonly Node[]>;
}

export function treeOf(document: LinesDocument): Tree {
  const nodes: Node[] = [];
  const byUuid = new Map<string, Node>();
  const byMessageId = new Map<string, Node[]>();
  const byCallId = new Map<string, Node[]>();
  const named = new Set(
    document.lines.flatMap(({ value }) => (isObject(value) ? (value['uuid'] ?? []) : [])),
  );
  const newest = new Map<string, Node>();
  for (const [line, { value }] of document.lines.entries()) {
    if (!isObject(value)) continue;
    const thread = threadOf(value);
    const node = nodeOf(value, line, { last: nodes.at(-1), before: newest.get(thread), named });
    if (node === undefined || byUuid.has(node.uuid)) continue;
    nodes.push(node);
    newest.set(thread, node);
    byUuid.set(node.uuid, node);
    const id = messageIdOf(node);
    if (id !== undefined) push(byMessageId, id, node);
    for (const callId of answeredCallsOf(node)) push(byCallId, callId, node);
  }
  return { nodes, byUuid, byMessageId, byCallId };
}

/** The conversation, or the subagent, that a line belongs to. */
function threadOf(value: JsonObject): string {
  return value['isSidechain'] === true ? `agent ${textOf(value['agentId']) ?? ''}` : '';
}

interface Around {
  /** The line before. */
  readonly last: Node | undefined;
  /** The line before of the same thread. */
  readonly before: Node | undefined;
  /** All ids of the file. */
  readonly named: ReadonlySet<unknown>;
}

function nodeOf(value: JsonObject, line: number, around: Around): Node | undefined {
  const type = textOf(value['type']);
  const isTalk = type === 'user' || type === 'assistant';
  const queued = type === 'attachment' ? queuedMessage(value) : undefined;
  // Very old or hand-made logs have no uuid: their lines follow each other.
  const mayFollow =
    (isTalk && isObject(value['message'])) ||
    (queued !== undefined && around.last?.value['uuid'] === undefined);
  const uuid = textOf(value['uuid']) ?? (mayFollow ? `line-${line}` : undefined);
  if (type === undefined || uuid === undefined) return undefined;
  return {
    line,
    uuid,
    ...parentOf(value, around),
    type,
    isSidechain: value['isSidechain'] === true,
    time: timeOf(value['timestamp']) ?? Number.NEGATIVE_INFINITY,
    value,
    message: isTalk && isSent(value) ? objectOf(value['message']) : queued,
  };
}

/** A line that names no parent, or one that was never written down, follows the line before it. */
function parentOf(value: JsonObject, { before, named }: Around): Pick<Node, 'parent' | 'lostParent'> {
  const parent = textOf(value['parentUuid']);
  if (parent !== undefined && named.has(parent)) return { parent, lostParent: undefined };
  const isRoot = value['parentUuid'] === null && value['uuid'] !== undefined;
  return { parent: isRoot ? undefined : before?.uuid, lostParent: parent };
}

/**
 * What the user typed while the agent worked. It never becomes a line of type `user`: Claude Code logs it as an
 * attachment, in its place in the chain, and sends it as a message of the user.
 */
function queuedMessage({ attachment }: JsonObject): JsonObject | undefined {
  const { type, prompt } = objectOf(attachment);
  if (type !== 'queued_command') return undefined;
  const isSaid = arrayOf(prompt).length > 0 || textOf(prompt) !== undefined;
  return isSaid ? { role: 'user', content: prompt } : undefined;
}

/** Where a line holds its message. Of a queued one only the content is in the line: its `prompt`. */
export function messagePlace({ type }: Node): Path {
  return type === 'attachment' ? ['attachment'] : ['message'];
}

/** Edits of a message as edits of the line it stands in. */
export function editsInLine(node: Node, edits: readonly WireEdit[]): WireEdit[] {
  const place = messagePlace(node);
  return edits.map((edit) => {
    const [key, ...rest] = edit.at;
    const isPrompt = node.type === 'attachment' && key === 'content';
    return { ...edit, at: isPrompt ? [...place, 'prompt', ...rest] : [...place, ...edit.at] };
  });
}

/** Lines that Claude Code shows but does not send: its own error notices, and what is only for the transcript view. */
function isSent(value: JsonObject): boolean {
  if (value['isApiErrorMessage'] === true || !isObject(value['message'])) return false;
  return value['isVisibleInTranscriptOnly'] !== true || value['isCompactSummary'] === true;
}

export function messageIdOf(node: Node): string | undefined {
  return node.type === 'assistant' && node.message ? textOf(node.message['id']) : undefined;
}

export function answeredCallsOf(node: Node): string[] {
  if (node.type !== 'user' || !node.message) return [];
  return arrayOf(node.message['content']).flatMap((block) => {
    const id = isObject(block) && block['type'] === 'tool_result' ? textOf(block['tool_use_id']) : undefined;
    return id === undefined ? [] : [id];
  });
}

export function isBoundary(node: Node): boolean {
  return node.type === 'system' && node.value['subtype'] === 'compact_boundary';
}

function push(map: Map<string, Node[]>, key: string, node: Node): void {
  const list = map.get(key);
  if (list) list.push(node);
  else map.set(key, [node]);
}
