import { mostDraftCharacters } from '../drafts.ts';
import type { SentMessage } from './state.ts';
import type { UserContent } from '@throughline/client';

const prefix = 'throughline.unsent.';
const mostMessages = 20;

interface Unsent {
  readonly messageId: string;
  readonly text: string;
  /** Images and files that went along; their bytes are not kept. */
  readonly attachments: number;
}

/**
 * Remembers a message until the server has answered for it: after a reload of this tab it is there again. The
 * text only.
 */
export function keepUnsent(sessionId: string, messageId: string, content: UserContent): void {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (text.length > mostDraftCharacters) return;
  const attachments = parts.filter(({ type }) => type !== 'text').length;
  const others = readAll(sessionId).filter((one) => one.messageId !== messageId);
  writeAll(sessionId, [...others, { messageId, text, attachments }].slice(-mostMessages));
}

export function forgetUnsent(sessionId: string, messageId: string): void {
  const all = readAll(sessionId);
  const others = all.filter((one) => one.messageId !== messageId);
  if (others.length < all.length) writeAll(sessionId, others);
}

/** What this tab sent and does not know to have arrived, as messages that failed. */
export function unsentMessages(sessionId: string): readonly SentMessage[] {
  return readAll(sessionId).map(({ messageId, text, attachments }) => ({
    messageId,
    content: text,
    state: 'failed',
    detail:
      attachments === 0
        ? 'the page was loaded again before the server had answered.'
        : `the page was loaded again before the server had answered, and what was attached (${attachments}) is gone.`,
  }));
}

function readAll(sessionId: string): readonly Unsent[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(prefix + sessionId) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isUnsent) : [];
  } catch {
    return [];
  }
}

function isUnsent(value: unknown): value is Unsent {
  return (
    typeof value === 'object' &&
    value !== null &&
    'messageId' in value &&
    typeof value.messageId === 'string' &&
    'text' in value &&
    typeof value.text === 'string' &&
    'attachments' in value &&
    typeof value.attachments === 'number'
  );
}

function writeAll(sessionId: string, all: readonly Unsent[]): void {
  try {
    if (all.length === 0) sessionStorage.removeItem(prefix + sessionId);
    else sessionStorage.setItem(prefix + sessionId, JSON.stringify(all));
  } catch {
    // The browser has no room, or keeps nothing: it lasts as long as the page.
  }
}
