import type { Session } from '@throughline/client';

/** Which of the versions of a message is shown, and the sessions that show the ones beside it. */
export interface Branches {
  /** From 0. */
  readonly at: number;
  readonly count: number;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Kin = Pick<
  Session,
  'id' | 'parentSessionId' | 'forkedAt' | 'messageCount' | 'createdAtMs' | 'updatedAtMs'
>;

/**
 * The versions of the message at a place in a session: its own, and those of sessions that have the same messages
 * before it and another one there. `undefined` where there is only one.
 */
export function branchesAt(family: readonly Kin[], sessionId: string, ordinal: number): Branches | undefined {
  const byId = new Map(family.map((session) => [session.id, session]));
  const mine = byId.get(sessionId);
  if (!mine) return undefined;
  // Who wrote the message before says which conversation it is up to here.
  const trunk = (session: Kin): string => (ordinal === 0 ? '' : writerOf(byId, session, ordinal - 1));
  const here = trunk(mine);
  const newest = new Map<string, Kin>();
  for (const session of family) {
    if (session.messageCount <= ordinal || trunk(session) !== here) continue;
    const writer = writerOf(byId, session, ordinal);
    const known = newest.get(writer);
    if (
      session.id !== sessionId &&
      known &&
      (known.id === sessionId || known.updatedAtMs > session.updatedAtMs)
    )
      continue;
    newest.set(writer, session);
  }
  const writers = [...newest.keys()].toSorted((a, b) => bornMs(byId, a) - bornMs(byId, b));
  const at = writers.indexOf(writerOf(byId, mine, ordinal));
  if (writers.length < 2 || at < 0) return undefined;
  const shownBy = (place: number): string | undefined => newest.get(writers[place] ?? '')?.id;
  return { at, count: writers.length, before: shownBy(at - 1), after: shownBy(at + 1) };
}

/** The session that a message was written in: others have taken it over from there. It may be deleted since. */
function writerOf(byId: ReadonlyMap<string, Kin>, session: Kin, ordinal: number): string {
  let writer = session;
  for (let step = 0; step <= byId.size; step += 1) {
    const { parentSessionId, forkedAt } = writer;
    if (parentSessionId === null || forkedAt === null || ordinal >= forkedAt) return writer.id;
    const parent = byId.get(parentSessionId);
    if (!parent) return parentSessionId;
    writer = parent;
  }
  return writer.id;
}

/** One that is deleted was there before all that were forked from it. */
function bornMs(byId: ReadonlyMap<string, Kin>, id: string): number {
  return byId.get(id)?.createdAtMs ?? 0;
}
