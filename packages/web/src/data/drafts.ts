const prefix = 'throughline.draft.';
/** A draft is what somebody types; what is longer was pasted, and is not worth the room. */
export const mostDraftCharacters = 20_000;
const mostDrafts = 50;

/** What was typed in a session and not sent: it is there again after a reload. */
export function readDraft(sessionId: string): string {
  return readStored(prefix + sessionId)?.text ?? '';
}

/** Keeps the newest drafts of this browser. */
export function keepDraft(sessionId: string, text: string, nowMs = Date.now()): void {
  const key = prefix + sessionId;
  try {
    if (text === '' || text.length > mostDraftCharacters) {
      localStorage.removeItem(key);
      return;
    }
    if (localStorage.getItem(key) === null) dropOldest();
    localStorage.setItem(key, JSON.stringify({ text, atMs: nowMs }));
  } catch {
    // The browser has no room, or keeps nothing: the draft lasts as long as the page.
  }
}

interface StoredDraft {
  readonly text: string;
  readonly atMs: number;
}

function readStored(key: string): StoredDraft | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (typeof stored !== 'object' || stored === null || !('text' in stored) || !('atMs' in stored))
      return undefined;
    const { text, atMs } = stored;
    return typeof text === 'string' && typeof atMs === 'number' ? { text, atMs } : undefined;
  } catch {
    return undefined;
  }
}

function dropOldest(): void {
  const keys = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  const byAge = keys
    .map((key) => ({ key, atMs: readStored(key)?.atMs ?? 0 }))
    .toSorted((a, b) => a.atMs - b.atMs);
  for (const { key } of byAge.slice(0, Math.max(0, keys.length - mostDrafts + 1)))
    localStorage.removeItem(key);
}
