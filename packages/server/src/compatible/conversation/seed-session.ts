import { ContextError } from '@throughline/core';
import type { Agent, AgentSession, UserPart } from '@throughline/agent';
import type { RunWrite } from '@throughline/ports';
import type { Turn } from '../wire/dialect.ts';

const leaseMs = 30_000;

/** Puts what was said before, somewhere else, into a session that is new. */
export async function seedSession(
  { store }: Pick<Agent, 'store'>,
  { id }: Pick<AgentSession, 'id'>,
  turns: readonly Turn[],
): Promise<void> {
  if (turns.length === 0) return;
  const writes: RunWrite[] = [];
  for (const { role, parts } of turns) {
    const kept = await Promise.all(
      parts.map((part) => keptPart(part, (bytes) => store.attachments.keep(id, bytes))),
    );
    writes.push({ type: 'message', message: { id: '', role, parts: kept } });
  }
  const lease = await store.leases.acquire(id, 'earlier turns', leaseMs);
  if (!lease) {
    const message = `Session ${id} is being worked on: what was said before cannot be put into it.`;
    throw new ContextError('lease-lost', message, { sessionId: id, epoch: 0, currentEpoch: null });
  }
  try {
    await store.write(lease, writes);
  } finally {
    await store.leases.release(lease);
  }
}

type StoredPart = Extract<RunWrite, { type: 'message' }>['message']['parts'][number];

async function keptPart(part: UserPart, keep: (bytes: Uint8Array) => Promise<string>): Promise<StoredPart> {
  if (part.type === 'text') return { type: 'text', text: part.text.toWellFormed() };
  const { mediaType, data, filename } = part;
  const url = `@blob:${await keep(Buffer.from(data, 'base64'))}`;
  return {
    type: 'media',
    mediaType,
    source: { type: 'url', url },
    ...(filename === undefined ? {} : { filename }),
  };
}
