/** Where a session or something in it is, for clients that read resources. */
interface SessionAddress {
  readonly sessionId: string;
  readonly recallId?: string;
}

const pattern = /^throughline:\/\/session\/([^/]+)(?:\/item\/([^/]+))?$/;

export function addressOf({ sessionId, recallId }: SessionAddress): string {
  const item = recallId === undefined ? '' : `/item/${encodeURIComponent(recallId)}`;
  return `throughline://session/${encodeURIComponent(sessionId)}${item}`;
}

/** `undefined` for a text that is no such address. */
export function readAddress(text: string): SessionAddress | undefined {
  const [, sessionId, recallId] = pattern.exec(text.trim()) ?? [];
  if (sessionId === undefined) return undefined;
  try {
    return {
      sessionId: decodeURIComponent(sessionId),
      ...(recallId !== undefined && { recallId: decodeURIComponent(recallId) }),
    };
  } catch {
    return undefined;
  }
}
