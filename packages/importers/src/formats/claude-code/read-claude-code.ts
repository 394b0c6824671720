import { anthropicCodec } from '@throughline/core';
import { countOf, isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import { joinTalk } from './join-talk.ts';
import {
  chainTo,
  isBoundary,
  leavesOf,
  messagePlace,
  movedParents,
  treeOf,
  withParallelLines,
} from './session-tree.ts';
import type { FormatReading, ReadOptions } from '../../recording/format.ts';
import type {
  LinesDocument,
  RecordedSession,
  RecordedUsage,
  RecordingNote,
} from '../../recording/recording.ts';
import type { Talk } from './join-talk.ts';
import type { Node, Tree } from './session-tree.ts';

const maxArchived = 50;
const maxBranches = 20;

interface Shared {
  readonly document: LinesDocument;
  readonly tree: Tree;
  readonly id: string;
  readonly title: string | undefined;
}

/**
 * Reads a Claude Code session. Active is what Claude Code would send next: from the newest leaf back along
 * `parentUuid` to the last compaction, its summary included. What lies before a compaction, other leaves, and
 * subagents are sessions of their own (at most 20 branches, newest first).
 */
export function readClaudeCode(document: LinesDocument, options: ReadOptions): FormatReading {
  const tree = treeOf(document);
  const shared = { document, tree, id: sessionIdOf(tree), title: titleOf(document) };
  const talk = tree.nodes.filter(({ message }) => message !== undefined);
  const mainTalk = talk.filter(({ isSidechain }) => !isSidechain);
  // A file of one subagent is sidechain throughout: then it is the conversation.
  const main = mainTalk.length > 0 ? mainTalk : talk;
  const subagents = mainTalk.length > 0 ? subagentsOf(talk, shared) : [];
  if (options.isWhole) {
    const sessions = main.length > 0 ? [sessionOf(main, 'active', shared.id, shared)] : [];
    return { sessions: [...sessions, ...subagents], notes: unknownLines(shared) };
  }
  const threads = threadsOf(main, shared);
  return {
    sessions: [...threads.sessions, ...subagents],
    notes: [...threads.notes, ...unknownLines(shared)],
  };
}

function threadsOf(main: readonly Node[], shared: Shared): FormatReading {
  const { tree, id } = shared;
  const parents = movedParents(tree);
  const leaves = leavesOf(main, tree, parents);
  // In a loop of parents every message is followed by another one.
  const leaf = newestOf(leaves) ?? newestOf(main);
  if (leaf === undefined) return { sessions: [], notes: [] };
  const sessions: RecordedSession[] = [];
  const notes: RecordingNote[] = [];
  const lost = new Set<Node>();
  const seen = new Set<Node>();
  const addThread = (end: Node, kind: RecordedSession['kind'], threadId: string): readonly Node[] => {
    const chain = chainTo(end, tree, parents);
    const nodes = withParallelLines(chain, tree);
    for (const node of nodes) seen.add(node);
    sessions.push(sessionOf(nodes, kind, threadId, shared));
    for (const node of chain) if (node.lostParent !== undefined) lost.add(node);
    return chain;
  };

  let chain = addThread(leaf, 'active', id);
  notes.push(...chain.flatMap((node) => clearedNote(node, shared)));
  for (let count = 1; count <= maxArchived; count += 1) {
    const end = endBefore(chain, main, tree);
    if (end === undefined || seen.has(end)) break;
    chain = addThread(end, 'archived', `${id}#archived-${count}`);
  }
  const newestFirst = leaves.filter((node) => !seen.has(node)).toSorted((a, b) => compareNodes(b, a));
  let branches = 0;
  for (const other of newestFirst) {
    if (seen.has(other)) continue;
    branches += 1;
    if (branches <= maxBranches) addThread(other, 'branch', `${id}#branch-${branches}`);
  }
  if (branches > maxBranches) notes.push({ note: `${branches - maxBranches} older branches are not listed` });
  return { sessions, notes: [...lostNotes([...lost], shared), ...notes] };
}

function newestOf(nodes: readonly Node[]): Node | undefined {
  return nodes.reduce<Node | undefined>(
    (newest, node) => (newest === undefined || compareNodes(node, newest) > 0 ? node : newest),
    undefined,
  );
}

/** By time; at the same time the later line is newer. */
function compareNodes(a: Node, b: Node): number {
  return a.time === b.time ? a.line - b.line : a.time - b.time;
}

/** The last message before the compaction that a chain starts at. */
function endBefore(chain: readonly Node[], main: readonly Node[], tree: Tree): Node | undefined {
  const [boundary] = chain;
  if (boundary === undefined || !isBoundary(boundary)) return undefined;
  const named = textOf(boundary.value['logicalParentUuid']) ?? boundary.parent;
  const node = named === undefined ? undefined : tree.byUuid.get(named);
  if (node !== undefined) return node;
  return main.findLast(({ line }) => line < boundary.line);
}

function subagentsOf(talk: readonly Node[], shared: Shared): RecordedSession[] {
  const threads = new Map<string, Node[]>();
  const threadByUuid = new Map<string, string>();
  for (const node of shared.tree.nodes) {
    if (!node.isSidechain) continue;
    const parentThread = node.parent === undefined ? undefined : threadByUuid.get(node.parent);
    threadByUuid.set(node.uuid, textOf(node.value['agentId']) ?? parentThread ?? node.uuid);
  }
  for (const node of talk) {
    const thread = node.isSidechain ? threadByUuid.get(node.uuid) : undefined;
    if (thread === undefined) continue;
    const nodes = threads.get(thread);
    if (nodes) nodes.push(node);
    else threads.set(thread, [node]);
  }
  return [...threads].map(([thread, nodes]) =>
    sessionOf(nodes, 'subagent', `${shared.id}#${thread}`, shared),
  );
}

function sessionOf(
  nodes: readonly Node[],
  kind: RecordedSession['kind'],
  id: string,
  { title, tree }: Shared,
): RecordedSession {
  const talk = nodes.flatMap(talkOf);
  const joined = joinTalk(talk);
  const firstMeasured = firstLineAfterCompaction(nodes, tree, kind);
  const usage = joined.usage.filter(({ messageIndex }) => {
    const origin = joined.origins[messageIndex];
    return origin !== undefined && lineOf(origin) >= firstMeasured;
  });
  const model = nodes.findLast((node) => isRealModel(node.message?.['model']))?.message?.['model'];
  return {
    id,
    kind,
    codec: anthropicCodec,
    ...joined,
    usage,
    holdsWholePrompt: false,
    ...(kind === 'active' && title !== undefined ? { title } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...windowOf(tree, usage),
  };
}

/** The windows that Claude Code works with. */
const windows = [200_000, 1_000_000];

/**
 * Claude Code compacts by itself shortly before its window is full: the smallest window that holds what it had then is
 * the one it went by, unless a later prompt was larger.
 */
function windowOf({ nodes }: Tree, usage: readonly RecordedUsage[]): { readonly windowTokens?: number } {
  const compacted = nodes.flatMap(({ value }) => {
    const { trigger, preTokens } = objectOf(value['compactMetadata']);
    return trigger === 'auto' ? [countOf(preTokens)] : [];
  });
  const newest = compacted.findLast((tokens) => tokens > 0);
  if (newest === undefined) return {};
  const most = usage.reduce((tokens, { inputTokens }) => Math.max(tokens, inputTokens), newest);
  const windowTokens = windows.find((tokens) => most <= tokens);
  return windowTokens === undefined ? {} : { windowTokens };
}

function talkOf(node: Node): Talk[] {
  const { line, type, message } = node;
  if (message === undefined) return [];
  return [{ line, role: type === 'assistant' ? 'assistant' : 'user', message, at: messagePlace(node) }];
}

/** Lines that a partial compaction kept were measured behind a longer prompt; their counts say nothing about this one. */
function firstLineAfterCompaction(nodes: readonly Node[], tree: Tree, kind: RecordedSession['kind']): number {
  const [first] = nodes;
  if (kind !== 'active' || first?.value['isCompactSummary'] !== true) return 0;
  return tree.byUuid.get(first.parent ?? '')?.line ?? first.line;
}

function lineOf(origin: RecordedSession['origins'][number]): number {
  if (origin.type === 'line') return origin.line;
  return origin.type === 'lines' ? (origin.pieces[0]?.line ?? 0) : 0;
}

function isRealModel(model: unknown): boolean {
  return typeof model === 'string' && model !== '' && !model.startsWith('<');
}

function sessionIdOf(tree: Tree): string {
  const node = tree.nodes.findLast(({ value }) => textOf(value['sessionId']) !== undefined);
  return textOf(node?.value['sessionId']) ?? 'session';
}

function titleOf(document: LinesDocument): string | undefined {
  for (const key of ['customTitle', 'aiTitle', 'summary']) {
    const line = document.lines.findLast(
      ({ value }) => isObject(value) && value['type'] !== 'user' && textOf(value[key]),
    );
    if (line && isObject(line.value)) return textOf(line.value[key]);
  }
  return undefined;
}

const maxLostNotes = 20;

function lostNotes(lost: readonly Node[], { document }: Shared): RecordingNote[] {
  const notes = lost.slice(0, maxLostNotes).map((node): RecordingNote => {
    const line = document.lines[node.line]?.number;
    const how =
      node.parent === undefined
        ? 'the conversation is read from here on'
        : 'it is read as what follows the line before it';
    const note = `its parent ${node.lostParent ?? ''} is not in the file; ${how}`;
    return line === undefined ? { note } : { line, note };
  });
  const more = lost.length - notes.length;
  return more > 0 ? [...notes, { note: `the parents of ${more} more lines are not in the file` }] : notes;
}

/** Results that Claude Code took out of its own memory are still in the file: the counts that it recorded lack them. */
function clearedNote({ line, value }: Node, { document }: Shared): RecordingNote[] {
  if (value['subtype'] !== 'microcompact_boundary') return [];
  const count = listOf(objectOf(value['microcompactMetadata'])['compactedToolIds']).length;
  const results = `${count} earlier result${count === 1 ? '' : 's'}`;
  const note = `from here on Claude Code sent ${results} no more; the file holds them, and they are read`;
  const number = document.lines[line]?.number;
  return [number === undefined ? { note } : { line: number, note }];
}

const talkTypes: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'progress']);

/** Lines that are not part of the conversation, and known to be none. */
const otherTypes: ReadonlySet<unknown> = new Set([
  'summary',
  'custom-title',
  'ai-title',
  'tag',
  'agent-name',
  'agent-color',
  'agent-setting',
  'file-history-snapshot',
  'queue-operation',
  'pr-link',
  'last-prompt',
  'mode',
  'permission-mode',
  'worktree-state',
  'content-replacement',
  'attribution-snapshot',
  'speculation-accept',
]);

function unknownLines({ document, tree }: Shared): RecordingNote[] {
  const unknown = new Map<string, { readonly line: number; count: number }>();
  const read = new Set(tree.nodes.flatMap(({ line, message }) => (message === undefined ? [] : [line])));
  for (const [line, { number, value }] of document.lines.entries()) {
    const type = isObject(value) ? value['type'] : undefined;
    if (talkTypes.has(type) || otherTypes.has(type) || read.has(line)) continue;
    const name = typeof type === 'string' ? `of type ${type}` : 'without a type';
    const seen = unknown.get(name);
    if (seen) seen.count += 1;
    else unknown.set(name, { line: number, count: 1 });
  }
  return [...unknown].map(([name, { line, count }]) => ({
    line,
    note:
      count === 1 ? `a line ${name} is not read` : `${count} lines ${name} are not read; this is the first`,
  }));
}
