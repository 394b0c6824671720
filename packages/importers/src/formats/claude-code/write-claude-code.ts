import { editText } from '@throughline/core/codec';
import { writeJson } from '@throughline/core/internal';
import { nearestOriginal } from '../../recording/format.ts';
import { isObject, textOf } from '../../recording/json-value.ts';
import { derivedHex, derivedUuid } from '../../write/derived-id.ts';
import { diffEdits } from '../../write/edit-slice.ts';
import { editsInLine, isBoundary, treeOf } from './session-tree.ts';
import type { WireEdit } from '@throughline/core/codec';
import type { WriteRequest } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type { LinesDocument, Origin, OriginPiece } from '../../recording/recording.ts';
import type { Node, Tree } from './session-tree.ts';

type Request = WriteRequest<LinesDocument>;

/**
 * A Claude Code session that holds the view: a line per message or block as before, linked by `parentUuid`. Lines of
 * unchanged messages keep their bytes, except for the link where their parent is gone. Lines between messages that
 * are still neighbours (hooks, boundaries) stay; titles stay; what the view leaves out is not in the file.
 */
export function writeClaudeCode(request: Request): string[] {
  const writer = new SessionWriter(request);
  for (const [position, item] of request.view.entries()) {
    if (item.type === 'written') writer.compose(item.message, position);
    else writer.copy(item.index, position, item.isEdited ? item.message : undefined);
  }
  return writer.finish();
}

class SessionWriter {
  readonly #request: Request;
  readonly #tree: Tree;
  readonly #nodeByLine: ReadonlyMap<number, Node>;
  readonly #copied = new Set<string>();
  /** Lines that a line may keep as its parent: nothing new was put between them and the end of the chain. */
  #reachable = new Set<string>();
  readonly #texts: string[] = [];
  #lastUuid: string | undefined;
  #lastTime: string | undefined;

  constructor(request: Request) {
    this.#request = request;
    this.#tree = treeOf(request.document);
    this.#nodeByLine = new Map(this.#tree.nodes.map((node) => [node.line, node]));
  }

  copy(index: number, position: number, edited: unknown): void {
    const { session, view } = this.#request;
    const origin = session.origins[index];
    const lines = origin ? linesOf(origin) : [];
    const before = view[position - 1];
    const isNeighbour = index === 0 || (before?.type === 'original' && before.index === index - 1);
    const first = this.#nodeByLine.get(lines[0]?.line ?? -1);
    if (first === undefined) return this.compose(edited ?? session.messages[index], position);
    if (isNeighbour) for (const node of this.#attachedTo(first)) this.#line(node, []);
    const edits = edited === undefined ? [] : diffEdits(session.messages[index], edited);
    for (const [at, piece] of lines.entries()) {
      const node = this.#nodeByLine.get(piece.line);
      const own = lines.length === 1 ? edits : editsOfPiece(edits, lines, at);
      if (node && own !== 'gone') this.#line(node, editsInLine(node, own));
    }
  }

  /** Lines without a message between this line and the message before it, oldest first. */
  #attachedTo(node: Node): Node[] {
    const attached: Node[] = [];
    const { byUuid } = this.#tree;
    let current = node.parent === undefined ? undefined : byUuid.get(node.parent);
    while (current !== undefined && current.message === undefined && !this.#copied.has(current.uuid)) {
      if (attached.includes(current) || attached.length === longestRun) break;
      attached.push(current);
      current = current.parent === undefined ? undefined : byUuid.get(current.parent);
    }
    return attached.toReversed();
  }

  #line(node: Node, edits: readonly WireEdit[]): void {
    // A boundary cuts off what is before it; in the middle of one conversation it must not.
    if (isBoundary(node) && this.#lastUuid !== undefined) return;
    const text = this.#request.document.lines[node.line]?.text ?? '';
    const isLinked =
      node.parent === undefined ? this.#lastUuid === undefined : this.#reachable.has(node.parent);
    // A line whose parent was never written down names one that is not there.
    const isSound = isLinked && node.lostParent === undefined;
    const needsLink = !isSound && node.value['uuid'] !== undefined;
    const link: WireEdit[] = needsLink ? [{ at: ['parentUuid'], set: this.#lastUuid ?? null }] : [];
    this.#texts.push(editText(text, [...edits, ...link]) ?? text);
    if (needsLink) this.#reachable = new Set();
    this.#reachable.add(node.uuid);
    this.#copied.add(node.uuid);
    this.#lastUuid = node.uuid;
    this.#lastTime = textOf(node.value['timestamp']) ?? this.#lastTime;
  }

  compose(message: unknown, position: number): void {
    const template = this.#templateAt(position);
    const role = isObject(message) && message['role'] === 'assistant' ? 'assistant' : 'user';
    const seed = `${this.#lastUuid ?? ''} ${this.#texts.length} ${writeJson(message)}`;
    const uuid = derivedUuid(seed);
    const hasUuids = template['uuid'] !== undefined;
    const copied = copiedKeys.flatMap((key) =>
      template[key] === undefined ? [] : [[key, template[key]] as const],
    );
    const line = {
      ...(hasUuids ? { parentUuid: this.#lastUuid ?? null } : {}),
      isSidechain: false,
      ...Object.fromEntries(copied),
      type: role,
      message: role === 'assistant' ? answer(message, seed, this.#modelAt(position)) : message,
      ...(hasUuids ? { uuid } : {}),
      timestamp: this.#lastTime ?? template['timestamp'],
    };
    this.#texts.push(writeJson(line));
    this.#reachable = new Set([uuid]);
    this.#lastUuid = uuid;
  }

  #templateAt(position: number): WireObject {
    const { session, view } = this.#request;
    const index = nearestOriginal(view, position) ?? 0;
    const origin = session.origins[index];
    const line = origin ? linesOf(origin)[0]?.line : undefined;
    const value = this.#request.document.lines[line ?? -1]?.value;
    return isObject(value) ? value : {};
  }

  #modelAt(position: number): string {
    const { session, view } = this.#request;
    const index = nearestOriginal(view, position) ?? 0;
    const at = session.messages
      .slice(0, index + 1)
      .findLast((message) => isObject(message) && textOf(message['model']));
    return (isObject(at) ? textOf(at['model']) : undefined) ?? session.model ?? 'unknown';
  }

  finish(): string[] {
    for (const { text, value } of this.#request.document.lines) {
      if (isObject(value) && titleTypes.has(value['type'])) this.#texts.push(text);
    }
    return this.#texts;
  }
}

/** Longest run of lines without a message that is carried along. */
const longestRun = 1_000;

const copiedKeys = ['isSidechain', 'userType', 'cwd', 'sessionId', 'version', 'gitBranch', 'agentId', 'slug'];
const titleTypes: ReadonlySet<unknown> = new Set([
  'summary',
  'custom-title',
  'ai-title',
  'tag',
  'agent-name',
  'agent-color',
]);

function linesOf(origin: Origin): readonly OriginPiece[] {
  if (origin.type === 'lines') return origin.pieces;
  return origin.type === 'line' ? [{ line: origin.line, blocks: 1 }] : [];
}

/**
 * The edits of a joined message that lie in one of its lines, in that line's own positions. An edit of the message
 * as a whole cannot be shared out: then the first line carries the new content and the others go.
 */
function editsOfPiece(
  edits: readonly WireEdit[],
  pieces: readonly OriginPiece[],
  at: number,
): readonly WireEdit[] | 'gone' {
  const whole = edits.find((edit) => edit.at[0] === 'content' && edit.at.length === 1);
  if (whole) return at === 0 ? edits : 'gone';
  const start = pieces.slice(0, at).reduce((sum, { blocks }) => sum + blocks, 0);
  const blocks = pieces[at]?.blocks ?? 0;
  const own = edits.flatMap((edit): WireEdit[] => {
    const [key, block, ...rest] = edit.at;
    if (key !== 'content' || typeof block !== 'number') return at === 0 ? [edit] : [];
    const isHere = block >= start && block < start + blocks;
    return isHere ? [{ ...edit, at: ['content', block - start, ...rest] }] : [];
  });
  const removed = own.filter((edit) => 'remove' in edit && edit.at.length === 2).length;
  return blocks > 0 && removed === blocks ? 'gone' : own;
}

/** An answer as the API gives it; of a new one nothing was counted. One that was given so before stays as it is. */
function answer(message: unknown, seed: string, model: string): WireObject {
  if (isObject(message) && textOf(message['id']) !== undefined) return message;
  const { content } = isObject(message) ? message : { content: message };
  return {
    model,
    id: `msg_${derivedHex(seed).slice(0, 24)}`,
    type: 'message',
    role: 'assistant',
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
  };
}
