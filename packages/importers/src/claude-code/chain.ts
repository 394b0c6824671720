import { answeredCallsOf, isBoundary, messageIdOf } from './nodes.ts';
import { arrayOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { Node, Tree } from './nodes.ts';

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
    const parent: string | undefined = parents.get(current.uuid) ?? current.parent;
    current = parent === undefined ? undefined : tree.byUuid.get(parent);
  }
  return nodes.toReversed();
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
  return arrayOf(node.message['content']).flatMap((block) => {
    const id = isObject(block) && block['type'] === 'tool_use' ? textOf(block['id']) : undefined;
    return id === undefined ? [] : [id];
  });
}
