import { createHash } from 'node:crypto';
import { ContextError } from '@throughline/core';
import type { SessionInfo, SessionStore } from '@throughline/ports';

/** What became of one session. */
export type Outcome =
  /** It is there now, and comes out of there as it came out of here. */
  | 'copied'
  /** It was there already, the same. */
  | 'present'
  /** Another of its id is there, and stays as it is. */
  | 'different'
  /** It is there now, and does not come out as it came out of here. */
  | 'altered'
  /** It was deleted here meanwhile. */
  | 'gone'
  /** It cannot be read here. */
  | 'unreadable';

export interface CopiedSession {
  readonly id: string;
  readonly outcome: Outcome;
  /** Bytes of its lines. */
  readonly bytes: number;
  /** A run works on it here: what that writes from now on is not in the copy. */
  readonly isAtWork: boolean;
  /** Why it cannot be read. */
  readonly reason?: string;
}

interface CopyOptions {
  /** Sessions of the same id that are others there are deleted, and copied anew. @default false */
  readonly replaces?: boolean;
  readonly signal: AbortSignal;
}

/** Settings that were kept go along where none are kept there. Whether they did. */
export async function copySettings(from: SessionStore, to: SessionStore): Promise<boolean> {
  const stored = await from.settings?.read();
  if (!stored || (await to.settings?.read())) return false;
  const kept = await to.settings?.keep(0, stored.settings);
  return Boolean(kept);
}

/** The ids of all sessions of all owners, the one touched last at the end: so their order stays the same. */
export async function sessionIds({ sessions }: SessionStore): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await sessions.list({ limit: 500, ...(cursor !== undefined && { cursor }) });
    for (const { id } of page.items) ids.push(id);
    cursor = page.next;
  }
  // One that is touched while the pages are read may be on two of them.
  return [...new Set(ids)].toReversed();
}

/**
 * Whether both are one store, whatever they are called: what is made in one is there in the other. The session that is
 * made for it is gone again.
 */
export async function isSameStore(from: SessionStore, to: SessionStore, id: string): Promise<boolean> {
  await to.sessions.create({ id, owner: 'copy' });
  try {
    return (await infoOf(from, id)) !== undefined;
  } finally {
    await to.sessions.delete(id);
  }
}

/**
 * Copies one session, line by line, and compares what comes out of both. What is there already with the same lines is
 * not written again: so a copy that was cut off goes on where it was.
 *
 * @throws {ContextError} `cancelled` where it is interrupted, and the session is not there then; what the stores throw
 */
export async function copySession(
  from: SessionStore,
  to: SessionStore,
  id: string,
  { replaces = false, signal }: CopyOptions,
): Promise<CopiedSession> {
  const info = await infoOf(from, id);
  const isAtWork = info !== undefined && info.status !== 'idle';
  const ended = (outcome: Outcome, { bytes = 0, reason = '' } = {}): CopiedSession => ({
    id,
    outcome,
    bytes,
    isAtWork,
    ...(reason !== '' && { reason }),
  });
  try {
    if (!info) return ended('gone');
    if (await infoOf(to, id)) {
      const here = await digestOf(linesOf(from, id, signal));
      const there = await digestOf(linesOf(to, id, signal));
      if (here.hash === there.hash) return ended('present', here);
      if (!replaces) return ended('different', here);
      await to.sessions.delete(id);
    }
    const tally = new Tally();
    await to.sessions.import(tally.counted(linesOf(from, id, signal)));
    const { hash } = await digestOf(linesOf(to, id, signal));
    return ended(hash === tally.hash ? 'copied' : 'altered', tally);
  } catch (error) {
    if (ContextError.is(error, 'not-found')) return ended('gone');
    const reason = unreadableReason(error);
    if (reason === undefined) throw error;
    return ended('unreadable', { reason });
  }
}

async function infoOf({ sessions }: SessionStore, id: string): Promise<SessionInfo | undefined> {
  try {
    return await sessions.read(id);
  } catch (error) {
    if (ContextError.is(error, 'not-found')) return undefined;
    throw error;
  }
}

async function* linesOf({ sessions }: SessionStore, id: string, signal: AbortSignal): AsyncGenerator<string> {
  for await (const line of sessions.export(id)) {
    if (signal.aborted) throw new ContextError('cancelled', 'The copy was interrupted.', {});
    yield line;
  }
}

/** What is wrong with this session alone; `undefined` where others would fail, too. */
function unreadableReason(error: unknown): string | undefined {
  if (ContextError.is(error, 'unreadable-file') || ContextError.is(error, 'bad-state')) return error.message;
  const isDamaged = ContextError.is(error, 'store-failed') && error.details.reason === 'corrupt';
  return isDamaged ? error.message : undefined;
}

/** Length and hash of lines, as they go by. */
class Tally {
  readonly #hash = createHash('sha256');
  bytes = 0;
  #digest: string | undefined;

  async *counted(lines: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const line of lines) {
      this.bytes += Buffer.byteLength(line) + 1;
      this.#hash.update(line).update('\n');
      yield line;
    }
  }

  /** Once they have gone by. */
  get hash(): string {
    this.#digest ??= this.#hash.digest('hex');
    return this.#digest;
  }
}

async function digestOf(lines: AsyncIterable<string>): Promise<Tally> {
  const tally = new Tally();
  for await (const line of tally.counted(lines)) void line;
  return tally;
}
