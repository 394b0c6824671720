import { isObject, listOf, objectOf, textOf, timeOf } from '../../recording/json-value.ts';
import type { Path, WireEdit } from '@throughline/core/codec';
import type { WireObject } from '../../recording/json-value.ts';
import type { LinesDocument } from '../../recording/recording.ts';

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
  readonly value: WireObject;
  /** The message of the line that is sent to the model. */
  readonly message: WireObject | undefined;
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
function threadOf(value: WireObject): string {
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

function nodeOf(value: WireObject, line: number, around: Around): Node | undefined {
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
function parentOf(value: WireObject, { before, named }: Around): Pick<Node, 'parent' | 'lostParent'> {
  const parent = textOf(value['parentUuid']);
  if (parent !== undefined && named.has(parent)) return { parent, lostParent: undefined };
  const isRoot = value['parentUuid'] === null && value['uuid'] !== undefined;
  return { parent: isRoot ? undefined : before?.uuid, lostParent: parent };
}

/**
 * What the user typed while the agent worked. It never becomes a line of type `user`: Claude Code logs it as an
 * attachment, in its place in the chain, and sends it as a message of the user.
 */
function queuedMessage({ attachment }: WireObject): WireObject | undefined {
  const { type, prompt } = objectOf(attachment);
  if (type !== 'queued_command') return undefined;
  const isSaid = listOf(prompt).length > 0 || textOf(prompt) !== undefined;
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
function isSent(value: WireObject): boolean {
  if (value['isApiErrorMessage'] === true || !isObject(value['message'])) return false;
  return value['isVisibleInTranscriptOnly'] !== true || value['isCompactSummary'] === true;
}

function messageIdOf(node: Node): string | undefined {
  return node.type === 'assistant' && node.message ? textOf(node.message['id']) : undefined;
}

function answeredCallsOf(node: Node): string[] {
  if (node.type !== 'user' || !node.message) return [];
  return listOf(node.message['content']).flatMap((block) => {
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

const bookkeeping: ReadonlySet<unknown> = new Set([
  'file-history-snapshot',
  'queue-operation',
  'custom-title',
  'ai-title',
]);

/** Whether a line can only come from a Claude Code session. */
export function ownsClaudeCodeLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type } = value;
  if (bookkeeping.has(type)) return true;
  if (type === 'summary') return textOf(value['leafUuid']) !== undefined;
  const isTalk = type === 'user' || type === 'assistant';
  if (isTalk && isObject(value['message'])) {
    // Some exports keep nothing but the message and its time.
    const isBare = !('session_id' in value) && 'timestamp' in value && value['message']['role'] === type;
    return 'parentUuid' in value || 'sessionId' in value || isBare;
  }
  return 'uuid' in value && 'parentUuid' in value && 'sessionId' in value;
}

/**
 * The lines from the leaf back to the start of the conversation or to the last compaction, oldest first. The first one
 * may be the boundary of that compaction.
 */
export function chainTo(leaf: Node, tree: Tree, parents: ReadonlyMap<string, string>): readonly Node[] {
  const nodes: Node[] = [];
  const seen = new Set<Node>();
  let current: Node | undefined = leaf;
  while (current !== undefined && !seen.has(current)) {
    seen.add(current);
    nodes.push(current);
    if (isBoundary(current)) break;
    current = parentIn(tree, current, parents);
  }
  return nodes.toReversed();
}

/** The messages that no message follows. Not by their times: a clock that was set back makes a later line an older one. */
export function leavesOf(
  talk: readonly Node[],
  tree: Tree,
  parents: ReadonlyMap<string, string>,
): readonly Node[] {
  const followed = new Set<Node>();
  for (const node of talk) {
    let parent = parentIn(tree, node, parents);
    while (parent !== undefined && !followed.has(parent)) {
      followed.add(parent);
      parent = parentIn(tree, parent, parents);
    }
  }
  return talk.filter((node) => !followed.has(node));
}

function parentIn(tree: Tree, node: Node, parents: ReadonlyMap<string, string>): Node | undefined {
  const parent = parents.get(node.uuid) ?? node.parent;
  return parent === undefined ? undefined : tree.byUuid.get(parent);
}

/**
 * Parents that a partial compaction has moved: the lines it kept hang on its summary, and what followed the summary
 * hangs on the last kept line.
 */
export function movedParents(tree: Tree): ReadonlyMap<string, string> {
  const heads = new Map<string, string>();
  const tails = new Map<string, string>();
  for (const node of tree.nodes) {
    if (!isBoundary(node)) continue;
    const segment = objectOf(objectOf(node.value['compactMetadata'])['preservedSegment']);
    const [head, anchor, tail] = ['headUuid', 'anchorUuid', 'tailUuid'].map((key) => textOf(segment[key]));
    if (head === undefined || anchor === undefined || tail === undefined) continue;
    if (!tree.byUuid.has(head) || !tree.byUuid.has(tail) || !tree.byUuid.has(anchor)) continue;
    heads.set(head, anchor);
    tails.set(anchor, tail);
  }
  const parents = new Map<string, string>();
  if (heads.size === 0) return parents;
  for (const { uuid, parent } of tree.nodes) {
    const moved = heads.get(uuid) ?? (parent === undefined ? undefined : tails.get(parent));
    if (moved !== undefined) parents.set(uuid, moved);
  }
  return parents;
}

/**
 * The lines of the chain that carry messages, and with them what hangs beside the chain but belongs to it: parallel
 * calls are lines of one message that follow each other, while each result hangs on the line of its own call.
 */
export function withParallelLines(chain: readonly Node[], tree: Tree): readonly Node[] {
  const inChain = new Set(chain);
  const added = new Set<Node>();
  const result: Node[] = [];
  const add = (node: Node): void => {
    if (node.message === undefined || added.has(node)) return;
    added.add(node);
    result.push(node);
  };
  for (const node of chain) {
    if (added.has(node)) continue;
    const message = linesOfMessage(node, inChain, tree);
    for (const line of message) add(line);
    const uuids = new Set(message.map(({ uuid }) => uuid));
    for (const callId of message.flatMap(callsOf)) {
      const results = tree.byCallId.get(callId) ?? [];
      if (results.some((candidate) => inChain.has(candidate))) continue;
      const own = results.find((candidate) => hangsOn(candidate, uuids, tree));
      if (own) add(own);
    }
  }
  return result;
}

/** All lines of the message that `node` is a part of. A resumed session repeats messages: those copies are others. */
function linesOfMessage(node: Node, inChain: ReadonlySet<Node>, tree: Tree): readonly Node[] {
  const id = messageIdOf(node);
  const candidates = id === undefined ? [node] : (tree.byMessageId.get(id) ?? [node]);
  if (candidates.length === 1) return candidates;
  const lines: Node[] = [];
  const uuids = new Set<string>();
  for (const candidate of candidates) {
    if (!inChain.has(candidate) && !hangsOn(candidate, uuids, tree)) continue;
    lines.push(candidate);
    uuids.add(candidate.uuid);
  }
  return lines;
}

/** Lines without a message that may lie between a line and the one it belongs to. */
const longestGap = 50;

/** Whether a line is a child of one of others, over lines that carry no message or only results. */
function hangsOn(node: Node, ancestors: ReadonlySet<string>, tree: Tree): boolean {
  const source = textOf(node.value['sourceToolAssistantUUID']);
  if (source !== undefined && ancestors.has(source)) return true;
  let current: Node | undefined = node;
  for (let step = 0; step < longestGap && current?.parent !== undefined; step += 1) {
    if (ancestors.has(current.parent)) return true;
    current = tree.byUuid.get(current.parent);
    if (current?.message !== undefined && answeredCallsOf(current).length === 0) return false;
  }
  return false;
}

function callsOf(node: Node): string[] {
  if (node.type !== 'assistant' || !node.message) return [];
  return listOf(node.message['content']).flatMap((block) => {
    const id = isObject(block) && block['type'] === 'tool_use' ? textOf(block['id']) : undefined;
    return id === undefined ? [] : [id];
  });
}
