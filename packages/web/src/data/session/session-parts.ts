import { blobHash } from '../attached.ts';
import { loadableOf } from '../loadable.ts';
import { useEffect, useState } from 'react';
import { usePageData } from '../page-data.tsx';
import { useQuery } from '@tanstack/react-query';
import type { Loadable } from '../loadable.ts';
import type { RecalledText } from '@throughline/client';

/** What a recall id stands for; nothing is fetched before it is wanted. */
export function useRecalled(sessionId: string, recallId: string, isWanted: boolean): Loadable<RecalledText> {
  const { client } = usePageData();
  const query = useQuery({
    queryKey: ['recalled', sessionId, recallId],
    queryFn: ({ signal }) => client.recall({ id: sessionId, recallId }, { signal }),
    enabled: isWanted,
    staleTime: Infinity,
  });
  return loadableOf(query);
}

/** Pictures that a browser shows without running anything of them. */
const pictures: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

export function isPicture(mediaType: string): boolean {
  return pictures.has(mediaType);
}

/** What is no picture is bytes: a page that a tool wrote is never opened as one of this server's. */
function safeType(mediaType: string): string {
  return isPicture(mediaType) ? mediaType : 'application/octet-stream';
}

/** An address at which the browser finds the bytes of an image or a file; the token is sent, and is in no address. */
export function useMediaUrl(
  sessionId: string,
  media: { readonly mediaType: string; readonly data?: string; readonly url?: string },
): Loadable<string> {
  const { client } = usePageData();
  const { mediaType, data, url = '' } = media;
  const hash = blobHash(url);
  const query = useQuery({
    queryKey: ['blob', sessionId, hash ?? ''],
    queryFn: ({ signal }) => client.getBlob({ id: sessionId, hash: hash ?? '' }, { signal }),
    enabled: hash !== undefined,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const bytes = query.data;
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!bytes) return undefined;
    const made = URL.createObjectURL(new Blob([bytes.slice()], { type: safeType(mediaType) }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, mediaType]);
  if (data !== undefined) return { state: 'ready', value: `data:${safeType(mediaType)};base64,${data}` };
  if (hash === undefined)
    return { state: 'failed', failure: { title: 'Not loaded', detail: url, code: 'foreign' } };
  return loadableOf({ data: address, error: query.error });
}
