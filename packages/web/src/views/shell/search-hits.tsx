import { Empty, FailureNotice, Loading } from '../../parts/notice.tsx';
import { FoundText } from '../../parts/text/found-text.tsx';
import { Link } from 'wouter';
import { sessionTitle } from '../../parts/format.ts';
import { useSearch } from '../../data/sessions.ts';

/** Where a text stands in all sessions; a hit leads to its message. */
export function SearchHits({ text }: { readonly text: string }) {
  const found = useSearch(text);
  if (found.state === 'loading') return <Loading what="hits" />;
  if (found.state === 'failed') return <FailureNotice failure={found.failure} />;
  if (found.value.length === 0) return <Empty title="Nothing found">No session says “{text.trim()}”.</Empty>;
  return (
    <ul className="flex flex-col gap-3 px-1">
      {found.value.map(({ session, hits }) => (
        <li key={session.id}>
          <p dir="auto" className="truncate text-sm font-medium">
            {sessionTitle(session)}
          </p>
          <ul>
            {hits.slice(0, 5).map((hit) => (
              <li key={hit.id}>
                <Link
                  href={`/sessions/${session.id}/at/${hit.id}`}
                  className="block rounded-md px-2 py-1 hover:bg-ground-strong"
                >
                  <FoundText excerpt={hit.excerpt} sought={text} />
                </Link>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
