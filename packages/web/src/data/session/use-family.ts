import { loadableOf } from '../loadable.ts';
import { useQuery } from '@tanstack/react-query';
import { usePageData } from '../page-data.tsx';
import type { Client, Session } from '@throughline/client';

const none: readonly Session[] = [];
const mostPages = 10;

/** All sessions that were forked from one another, this one among them. Empty until they are known. */
export function useFamily(family: string): readonly Session[] {
  const { client } = usePageData();
  // Below the key of the list of sessions: whatever makes that one old makes this one old.
  const { data, error } = useQuery({
    queryKey: ['sessions', 'family', family],
    queryFn: ({ signal }) => readFamily(client, family, signal),
  });
  const known = loadableOf({ data, error });
  return known.state === 'ready' ? known.value : none;
}

async function readFamily(client: Client, family: string, signal: AbortSignal): Promise<readonly Session[]> {
  const found: Session[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { items, next } = await client.listSessions(
      { family, limit: 200, ...(cursor !== undefined && { cursor }) },
      { signal },
    );
    found.push(...items);
    if (next === null) return found;
    cursor = next;
  }
  return found;
}
