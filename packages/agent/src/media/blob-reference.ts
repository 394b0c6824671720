const scheme = '@blob:';

/** The URL under which a message refers to stored bytes. */
export function blobUrl(hash: string): string {
  return `${scheme}${hash}`;
}

/** The hash in such a URL; `undefined` for any other. */
export function blobHash(url: string): string | undefined {
  return url.startsWith(scheme) ? url.slice(scheme.length) : undefined;
}
