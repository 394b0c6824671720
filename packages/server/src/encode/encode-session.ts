import type * as wire from '@throughline/protocol/types';
import type { SessionInfo } from '@throughline/ports';

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
