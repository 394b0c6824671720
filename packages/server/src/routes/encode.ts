import { definedIn } from '@throughline/core/internal';
import type * as wire from '@throughline/protocol/types';
import type { Page, SessionInfo, StoredMessage, WaitingItem } from '@throughline/ports';
import type { CheckpointNode, CheckpointTree, Sent, SessionSetup } from '@throughline/agent';

/** A session for whoever it belongs to: the owner knows who he is. */
export function encodeSession(info: SessionInfo): wire.Session {
  return {
    id: info.id,
    title: info.title,
    folder: info.folder,
    model: info.model,
    status: info.status,
    createdAtMs: info.createdAtMs,
    updatedAtMs: info.updatedAtMs,
    messageCount: info.messageCount,
    lastEventSeq: info.lastEventSeq,
    compactionCount: info.compactionCount,
    lastCompactionAtMs: info.lastCompactionAtMs,
    parentSessionId: info.parentSessionId,
    forkedAt: info.forkedAt,
    family: info.family,
  };
}

type StoredPart = StoredMessage['message']['parts'][number];

const scheme = '@blob:';

/** Where the bytes of a session are served. */
function addressOf(url: string, sessionId: string): string {
  if (!url.startsWith(scheme)) return url;
  return `/api/sessions/${encodeURIComponent(sessionId)}/blobs/${url.slice(scheme.length)}`;
}

/** A message of the history. */
export function encodeMessage(stored: StoredMessage, sessionId: string): wire.HistoryMessage {
  const { ordinal, message, isOpen, createdAtMs, marks, model, error } = stored;
  const { id, role, parts, finishReason, usage, meta } = message;
  return {
    ordinal,
    id,
    role,
    parts: parts.map((part) => encodePart(part, sessionId)),
    marks,
    isOpen,
    createdAtMs,
    ...(model !== undefined && { model }),
    ...(error !== undefined && { error }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
    ...(meta !== undefined && { meta: definedIn(meta) as Readonly<Record<string, wire.Json>> }),
  };
}

/** As it is stored, with addresses in the place of references to bytes. */
function encodePart(part: StoredPart, sessionId: string): wire.MessagePart {
  if (part.type === 'media') return withAddress(part, sessionId);
  if (part.type !== 'result') return part;
  const content = part.content.map((one) => (one.type === 'media' ? withAddress(one, sessionId) : one));
  return { ...part, content };
}

function withAddress<Media extends wire.MediaPart>(media: Media, sessionId: string): Media {
  const { source } = media;
  if (source.type !== 'url') return media;
  return { ...media, source: { ...source, url: addressOf(source.url, sessionId) } };
}

/** A message that waits. Its content is what the agent made of what was sent. */
export function encodeWaiting(item: WaitingItem, sessionId: string): wire.WaitingMessage {
  const { id, position, acceptedAtMs, updatedAtMs } = item;
  const { parts } = item.content as unknown as {
    readonly parts: readonly (wire.MediaPart | wire.WaitingPart)[];
  };
  return {
    id,
    position,
    acceptedAtMs,
    updatedAtMs,
    parts: parts.map((part) => {
      if (part.type === 'text' || !('source' in part)) return part;
      const { type, mediaType, source, filename } = part;
      const url = source.type === 'url' ? addressOf(source.url, sessionId) : '';
      return { type, mediaType, url, ...(filename !== undefined && { filename }) };
    }),
  };
}

/** What became of a message. */
export function encodeSent(sent: Sent, sessionId: string): wire.SendMessageAnswer {
  const shared = { ok: true, sessionId, messageId: sent.id } as const;
  if (!sent.isQueued) return { ...shared, queued: false, runId: sent.runId };
  const { position } = sent;
  const place = position === 1 ? 'next' : `number ${position}`;
  return {
    ...shared,
    queued: true,
    position,
    message: `The session is busy: the message waits, and is ${place}.`,
  };
}

/** The compactions of a session, without the changes that each made. */
export function encodeCompactions({ checkpoints }: CheckpointTree): readonly wire.Compaction[] {
  return checkpoints.map(encodeCompaction);
}

function encodeCompaction(node: CheckpointNode): wire.Compaction {
  const { checkpoint, round, summary, range, cost, createdAtMs, ...more } = node;
  return {
    id: checkpoint.id,
    parent: checkpoint.parent,
    reason: checkpoint.reason,
    strategy: checkpoint.strategy,
    tokensBefore: checkpoint.tokensBefore,
    tokensAfter: checkpoint.tokensAfter,
    round,
    summary,
    range,
    cost,
    createdAtMs,
    isInForce: more.isInForce,
    canUndo: more.canUndo,
    canRedo: more.canRedo,
  };
}

/** With all that is stored of it. The engine's own records are plain JSON. */
export function encodeRecord(node: CheckpointNode): wire.CompactionRecord {
  return { ...encodeCompaction(node), checkpoint: node.checkpoint as unknown as wire.Json };
}

export function encodeSetup({ state, budget, ...rest }: SessionSetup): wire.SessionSetup {
  return {
    ...rest,
    budget: { windowTokens: budget.windowTokens, ...definedIn(budget) },
    state: state as unknown as wire.Json,
  };
}

/** A page, each item in the form of the contract. */
export function encodePage<Item, Encoded>(page: Page<Item>, encode: (item: Item) => Encoded): Page<Encoded> {
  return { items: page.items.map(encode), next: page.next };
}
