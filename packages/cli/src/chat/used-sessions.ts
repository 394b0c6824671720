import type { SessionInfo, SessionStore } from '@throughline/ports';

interface Asked {
  readonly limit: number;
  /** Only those of this folder. @default of all */
  readonly folder?: string;
}

/** More than are asked for are looked at: some may be empty. */
const spare = 50;

/** The sessions that were used last, newest first; not those that were opened and left without a word. */
export async function usedSessions(
  store: SessionStore,
  { limit, folder }: Asked,
): Promise<readonly SessionInfo[]> {
  const { items } = await store.sessions.list({
    limit: limit + spare,
    ...(folder !== undefined && { folder }),
  });
  return items.filter(isUsed).slice(0, limit);
}

/** The title comes with the first message, which may still wait. */
function isUsed({ messageCount, title }: SessionInfo): boolean {
  return messageCount > 0 || title !== null;
}
