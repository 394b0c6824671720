import { loadableOf } from './loadable.ts';
import { useQuery } from '@tanstack/react-query';
import { usePageData } from './page-data.tsx';
import type { Loadable } from './loadable.ts';
import type { SessionDetail } from '@throughline/client';

/** One session; it is asked for again when the list of sessions is. */
export function useSession(sessionId: string): Loadable<SessionDetail> {
  const { client } = usePageData();
  const { data, error } = useQuery({
    queryKey: ['sessions', 'one', sessionId],
    queryFn: ({ signal }) => client.getSession({ id: sessionId }, { signal }),
  });
  return loadableOf({ data, error });
}
